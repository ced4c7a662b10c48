#include "optimizers/best_design.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kurbel {

double infeasibility(const Eigen::Ref<const VectorXd>& constraints, Eigen::Index n_equalities) {
  double largest = 0.0;
  for (Eigen::Index i = 0; i < constraints.size(); ++i) {
    const double g = constraints[i];
    largest = std::max(largest, i < n_equalities ? std::abs(g) : g);
  }
  return largest;
}

bool BestDesign::consider(const VectorXd& x, const Evaluation& evaluation) {
  const double violation = infeasibility(evaluation, n_equalities_);
  const bool is_feasible = violation <= feasibility_;
  bool better = empty_;
  if (!empty_) {
    if (is_feasible != feasible()) {
      better = is_feasible;
    } else {
      better = is_feasible ? evaluation.objective < evaluation_.objective : violation < infeasibility_;
    }
  }
  if (!better) return false;
  empty_ = false;
  infeasibility_ = violation;
  x_ = x;
  evaluation_ = evaluation;
  return true;
}

std::string ending_with_violation(const std::string& ending, const BestDesign& best) {
  if (best.empty() || best.feasible()) return ending;
  return ending + fmt::format(
                      "; no design that was tried satisfies all constraints, the best one violates "
                      "them by up to {:.3g}",
                      best.violation());
}

}  // namespace kurbel
