#include "study/cut_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "evaluation/adaptive_scaling.hpp"
#include "evaluation/cut_design.hpp"

namespace kurbel {

namespace {

constexpr double largest_change = 0.05;  ///< of the objective; the report of a cut warns beyond it, too
constexpr double little_worse = 2e-3;    ///< of the objective of an optimum

}  // namespace

bool CutTrial::is_grey() const {
  return grey_level > much_grey;
}

bool CutTrial::stands(double feasibility) const {
  return loose == 0.0 && violation <= feasibility && std::abs(change) <= largest_change;
}

bool CutTrial::holds(double feasibility) const {
  return stands(feasibility) && !is_grey();
}

bool CutTrial::is_better_than(const CutTrial& other, double feasibility) const {
  if (std::isinf(violation)) return false;
  if (is_of_optimum != other.is_of_optimum && holds(feasibility) && other.holds(feasibility)) {
    const double at_optimum = is_of_optimum ? design_objective : other.design_objective;
    const double elsewhere = is_of_optimum ? other.design_objective : design_objective;
    return is_of_optimum == (at_optimum <= elsewhere + little_worse * std::abs(elsewhere));
  }
  const auto rank = [&](const CutTrial& trial) {
    return std::tuple(trial.loose, std::max(trial.violation, feasibility), trial.is_grey(), trial.objective);
  };
  return rank(*this) < rank(other);
}

std::string CutTrial::text(double feasibility) const {
  if (loose > 0.0)
    return fmt::format("it is in pieces ({:.2g} % of its solid are loose)", 100.0 * std::min(loose, 1.0));
  if (std::isinf(violation)) return "it cannot be simulated";
  if (violation > feasibility) return fmt::format("it violates a constraint by {:.2g}", violation);
  if (std::abs(change) <= largest_change)
    return fmt::format("the design is grey, with a grey level of {:.2g}", grey_level);
  return fmt::format("its objective differs by {:+.2g} %", 100.0 * change);
}

CutTrial try_cut(EvaluationChain& chain, const DesignSpace& space, const ConstraintRows& rows,
                 const VectorXd& x, double objective) {
  const Design design = space.at(x);
  const CutDesign cut = cut_to_solid_and_void(chain.bodies(), design);
  CutTrial trial;
  trial.design_objective = objective;
  trial.grey_level = space.grey_level(design), trial.grey_of_cut = space.grey_level(cut.design);
  for (const CutBody& body : cut.bodies)
    trial.loose += body.island_share + static_cast<double>(body.pieces.apart.size());
  ChainResult found;
  if (chain.reduce(cut.design, found).failed() || chain.simulate(found).failed()) return trial;
  const VectorXd values = judged_values(chain, rows, space, found);
  trial.violation = 0.0;
  for (Eigen::Index i = 0; i < values.size(); ++i)
    trial.violation = std::max(trial.violation, i < rows.n_equalities() ? std::abs(values[i]) : values[i]);
  trial.objective = found.psi;
  // With projection.robust the objective is the worst of three designs; the cut is that of the one at eta.
  double own = objective;
  if (chain.problem().projection.robust > 0.0) {
    ChainResult at_eta;
    if (chain.reduce(design, at_eta).failed() || chain.simulate(at_eta).failed()) return CutTrial{};
    own = at_eta.psi;
  }
  trial.change = own != 0.0 ? (found.psi - own) / std::abs(own) : 0.0;
  return trial;
}

}  // namespace kurbel
