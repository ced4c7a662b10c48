#include "app/design_nlp.hpp"

namespace kurbel {

DesignNlp::DesignNlp(EvaluationChain& chain, const DesignSpace& space, const std::atomic<bool>& interrupted)
    : chain_(chain),
      space_(space),
      interrupted_(interrupted),
      options_(chain.problem().constraints),
      n_constraints_(options_.volume_fraction.has_value() + options_.mass.has_value()) {}

Status DesignNlp::evaluate(const VectorXd& x, Evaluation& out) {
  const BodyFields densities = space_.densities(x);
  if (Status s = chain_.reduce(densities, result_)) return s;
  if (Status s = chain_.simulate(result_)) return s;
  BodyFields density_bar;
  if (Status s = chain_.gradient(densities, result_, density_bar)) return s;
  out.objective = result_.psi;
  out.gradient = space_.search_gradient(x, density_bar);

  out.constraints.resize(n_constraints_);
  out.constraint_gradients.resize(n_constraints_, n_variables());
  Eigen::Index row = 0;
  const auto add_bound = [&](const std::optional<double>& bound, double value, const BodyFields& bar) {
    if (!bound) return;
    out.constraints[row] = value / *bound - 1.0;
    out.constraint_gradients.row(row++) = space_.pullback(x, bar).transpose() / *bound;
  };
  add_bound(options_.volume_fraction, space_.volume_fraction(densities), space_.volume_fraction_bar());
  add_bound(options_.mass, space_.mass(densities), space_.mass_bar());
  return {};
}

}  // namespace kurbel
