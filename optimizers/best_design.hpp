/// @file
/// Comparison of two designs.
#pragma once

#include "optimizers/optimizer.hpp"

namespace kurbel {

/// Largest violation: max of |g_i| (i < n_equalities) and max(0, g_i) (the others); 0 without constraints.
double infeasibility(const Eigen::Ref<const VectorXd>& constraints, Eigen::Index n_equalities);
inline double infeasibility(const Evaluation& evaluation, Eigen::Index n_equalities) {
  return infeasibility(evaluation.constraints, n_equalities);
}

/// Keeps the best of the designs shown to it: feasible before infeasible, then the lower objective among
/// feasible ones and the smaller violation among infeasible ones. Of equals, the first stays.
class BestDesign {
 public:
  /// @param feasibility  violation up to which a design counts as feasible
  BestDesign(Eigen::Index n_equalities, double feasibility)
      : n_equalities_(n_equalities), feasibility_(feasibility) {}

  /// @return whether this design is now the best
  bool consider(const VectorXd& x, const Evaluation& evaluation);

  /// Violation of the best design.
  double violation() const { return infeasibility_; }
  bool empty() const { return empty_; }
  bool feasible() const { return !empty_ && infeasibility_ <= feasibility_; }
  const VectorXd& x() const { return x_; }
  const Evaluation& evaluation() const { return evaluation_; }

 private:
  Eigen::Index n_equalities_;
  double feasibility_;
  bool empty_ = true;
  double infeasibility_ = 0.0;
  VectorXd x_;
  Evaluation evaluation_;
};

/// The ending of a run, and the violation of constraints by the best design, if any.
std::string ending_with_violation(const std::string& ending, const BestDesign& best);

}  // namespace kurbel
