#include "evaluation/design_nlp.hpp"

#include "evaluation/adjoint_error.hpp"
#include "evaluation/constraint_rows.hpp"

namespace kurbel {

DesignNlp::DesignNlp(EvaluationChain& chain, const DesignSpace& space, const std::atomic<bool>& interrupted)
    : chain_(chain),
      space_(space),
      interrupted_(interrupted),
      options_(chain.problem().constraints),
      n_equalities_(options_.n_equalities()),
      n_constraints_(n_equalities_ + options_.n_inequalities()) {}

Status DesignNlp::evaluate(const VectorXd& x, Evaluation& out) {
  const Design design = space_.at(x);
  if (Status s = chain_.reduce(design, result_)) return s;
  if (Status s = chain_.simulate(result_)) return s;
  std::vector<Design> bars;
  if (Status s = chain_.gradients(result_, bars)) return s;
  if (!adjoint_measured_) {
    if (Status s = measure_adjoint_errors(chain_, space_, x, result_, bars)) return s;
    adjoint_measured_ = true;
  }
  out.objective = result_.psi;
  out.gradient = space_.search_gradient(x, bars.front());

  out.constraints.resize(n_constraints_);
  out.constraint_gradients.resize(n_constraints_, n_variables());
  Eigen::Index row = n_equalities_;
  const auto add_bound = [&](const std::optional<double>& bound, const auto& value, const auto& bar) {
    if (!bound) return;
    out.constraints[row] = (space_.*value)(design) / *bound - 1.0;
    out.constraint_gradients.row(row++) = space_.pullback(x, (space_.*bar)(design)).transpose() / *bound;
  };
  add_bound(options_.volume_fraction, &DesignSpace::volume_fraction, &DesignSpace::volume_fraction_bar);
  add_bound(options_.mass, &DesignSpace::mass, &DesignSpace::mass_bar);
  for (const CriterionRow& g : criterion_rows(options_)) {
    const double value = result_.criteria[static_cast<Eigen::Index>(g.criterion)];
    out.constraints[g.row] = g.scale * (value - g.bound);
    out.constraint_gradients.row(g.row) =
        g.scale * space_.search_gradient(x, bars[g.criterion + 1]).transpose();
  }
  out.remarks = to_remarks(result_.values);
  return {};
}

}  // namespace kurbel
