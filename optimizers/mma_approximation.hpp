/// @file
/// Moving asymptotes and the convex separable approximations of MMA and GCMMA.
///
///     f~_i(x) = r_i + sum_j [ p_ij / (U_j - x_j) + q_ij / (x_j - L_j) ],     i = 0 .. m
///     p_ij = (U_j - x_j^k)^2 (1.001 max(df_i/dx_j, 0) + 0.001 max(-df_i/dx_j, 0) + rho_ig)
///     q_ij = (x_j^k - L_j)^2 (0.001 max(df_i/dx_j, 0) + 1.001 max(-df_i/dx_j, 0) + rho_ig)
///
/// where variable j belongs to group g. Function 0 is the objective, the others are the constraints f_i = 0, which come
/// first, and f_i <= 0. An equality is approximated by its tangent plane, twice: f~_i <= 0 and -f~_i <= 0. Two convex
/// approximations would enclose no step. Value and gradient at x^k are those of f_i.
/// Near an optimum the objective has no asymptotes but the curvature B of the Lagrangian (lagrangian_curvature.hpp), which
/// couples the variables:
///
///     f~_0(x) = r_0 + df_0/dx d + d^T B d / 2
///               + sum_j rho_0g [ (U_j - x_j^k)^2 / (U_j - x_j) + (x_j^k - L_j)^2 / (x_j - L_j) ],     d = x - x^k
///
/// MMA begins with rho_ig = 1e-5. GCMMA begins with rho_ig = 0.1 / n_g sum_(j in g) |df_i/dx_j| and raises it until the approximation
/// is conservative, f~_i >= f_i, at its own minimum. All variables are in units of their range, x_max - x_min = 1.
///
/// Svanberg's paper has one group. Here a problem says which variables are of one kind, for a few stiff ones would
/// otherwise hold back thousands of others. By how much f_i exceeds its approximation at x^k + d is a sum over groups,
///
///     f_i - f~_i = sum_g int_0^1 (df_i/dx - df~_i/dx)_g(x^k + t d) . d_g dt  ~  sum_g a_ig
///     a_ig = 1/2 (df_i/dx - df~_i/dx)_g(x^k + d) . d_g
///
/// by the trapezoidal rule, for both gradients are the same at x^k. Group g has the share max(a_ig, 0) / sum_h max(a_ih, 0),
///
///     rho_ig  <-  min[ 1.1 (rho_ig + share_ig (f_i - f~_i) / D_g), 10 max(rho_ig, that with which GCMMA begins) ]
///     D_g = sum_(j in g) (U_j - L_j) d_j^2 / [(U_j - x_j) (x_j - L_j)],     x = x^k + d
///
/// which for one group is eq. 4.7 of [Svanberg 2007]. The proof of convergence [Svanberg 2002] needs that an iteration of GCMMA
/// has finitely many trials and that rho has a bound. The second derivatives of f_i are bounded, so f~_i is conservative once all
/// its rho_ig exceed some M. A trial with f_i > f~_i multiplies each of them by at least 1.1. So there are at most
/// N = log(M / min_g rho_ig) / log 1.1 such trials for each function. In GCMMA it multiplies them by at most 10, so that rho_ig stays
/// below 10^N times that with which the iteration begins.
/// Sources: K. Svanberg, Int. J. Numer. Meth. Eng. 24 (1987) 359; SIAM J. Optim. 12 (2002) 555; MMA and GCMMA, KTH 2007.
#pragma once

#include <vector>

#include "optimizers/lagrangian_curvature.hpp"

namespace kurbel {

/// Asymptotes L < x < U of each variable. They start half a range away from x. A distance grows by 1.2 where the last two
/// steps have the same sign and shrinks by 0.7 where the signs differ, between 0.01 and 10 ranges.
class MmaAsymptotes {
 public:
  /// @param first_distance  from x in the first iterations, in ranges
  explicit MmaAsymptotes(double first_distance) : first_distance_(first_distance) {}

  /// @param x  n, the next design
  void update(const VectorXd& x);

  const VectorXd& lower() const { return L_; }
  const VectorXd& upper() const { return U_; }

 private:
  double first_distance_;
  VectorXd L_, U_;
  VectorXd last_, before_last_;  ///< designs; empty in the first iterations
};

/// Variables of one kind, which share a rho of each function.
class VariableGroups {
 public:
  /// @param group  n, of each variable, 0, 1, ...
  explicit VariableGroups(std::vector<int> group);
  Eigen::Index size() const { return sizes_.size(); }
  /// Variables of each group.
  const VectorXd& sizes() const { return sizes_; }
  /// rows x groups -> rows x n, the value of its group for each variable
  MatrixXd spread(const MatrixXd& by_group) const { return by_group(Eigen::all, group_); }
  /// rows x n -> rows x groups, sums over the variables of each
  template <class Expression>
  MatrixXd sum(const Expression& by_variable) const {
    if (size() == 1) return by_variable.rowwise().sum();
    MatrixXd by_group = MatrixXd::Zero(by_variable.rows(), size());
    for (Eigen::Index j = 0; j < by_variable.cols(); ++j)
      by_group.col(group_[static_cast<std::size_t>(j)]) += by_variable.col(j);
    return by_group;
  }

 private:
  std::vector<int> group_;
  VectorXd sizes_;
};

/// Objective and constraints at a design, the objective first.
struct MmaFunctions {
  VectorXd values;     ///< 1 + m
  MatrixXd gradients;  ///< (1 + m) x n
  Eigen::Index n_equalities = 0;
};

/// The box in which an approximation is minimized.
struct MmaBox {
  const VectorXd& lower;  ///< n, bounds
  const VectorXd& upper;
  const MmaAsymptotes& asymptotes;
  double move;  ///< largest change of a variable
};

struct MmaTrial {
  VectorXd x;       ///< n, where the approximation is least
  VectorXd lambda;  ///< m, multipliers there
};

/// Approximations of all functions at one design.
class MmaApproximation {
 public:
  /// @param conservative  whether rho begins as in GCMMA; else as in MMA, but not below `least_rho`
  /// @param least_rho     (1 + m) x groups, or empty
  /// @param curvature     B, which counts once it is not empty; or nullptr
  MmaApproximation(const VectorXd& x, const MmaFunctions& functions, const VariableGroups& groups,
                   bool conservative, const MatrixXd& least_rho,
                   const LagrangianCurvature* curvature = nullptr);
  const MatrixXd& rho() const { return rho_; }
  /// True if no rho exceeds that with which MMA or GCMMA begins and the objective has no curvature B, which may be too
  /// large: a small step then tells that the optimum is near.
  bool is_free() const;

  MmaTrial minimize(const MmaBox& box);
  /// Difference of the Lagrangian's gradients along the step to the last trial, less that of the approximated
  /// constraints, whose curvature the subproblem has already: what B times the step should be.
  /// @param there  at the trial
  VectorXd gradient_difference(const MmaTrial& trial, const MmaFunctions& there) const;

  /// True if neither objective nor inequality exceeds its approximation at the last trial.
  /// @param values  1 + m, there
  bool is_conservative(const VectorXd& values) const;
  /// Raises all rho_ig of each that does.
  /// @param trial, there  the last trial and its functions
  void become_more_conservative(const MmaTrial& trial, const MmaFunctions& there);

 private:
  bool is_quadratic() const { return curvature_ != nullptr && !curvature_->empty(); }
  /// The amount by which a function exceeds its approximation; none for equalities.
  VectorXd lack(const VectorXd& values) const;
  /// Shares of groups in what function i lacks at the trial.
  VectorXd shares(Eigen::Index i, const MmaTrial& trial, const MmaFunctions& there) const;

  const VectorXd& x_;
  const MmaFunctions& functions_;
  const LagrangianCurvature* curvature_;
  const VariableGroups& groups_;
  MatrixXd gradients_;        ///< (1 + m) x n, of the approximations at the last trial
  MatrixXd first_rho_, rho_;  ///< (1 + m) x groups; as GCMMA begins, and as it is
  VectorXd approximated_;     ///< 1 + m, at the last trial; not of equalities
  VectorXd distances_;        ///< D_g of the last trial
};

}  // namespace kurbel
