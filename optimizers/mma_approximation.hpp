/// @file
/// Moving asymptotes and the convex separable approximations of MMA and GCMMA.
///
///     f~_i(x) = r_i + sum_j [ p_ij / (U_j - x_j) + q_ij / (x_j - L_j) ],     i = 0 .. m
///     p_ij = (U_j - x_j^k)^2 (1.001 max(df_i/dx_j, 0) + 0.001 max(-df_i/dx_j, 0) + rho_i)
///     q_ij = (x_j^k - L_j)^2 (0.001 max(df_i/dx_j, 0) + 1.001 max(-df_i/dx_j, 0) + rho_i)
///
/// Function 0 is the objective, the others are the constraints f_i = 0, which come first, and f_i <= 0. An equality is
/// approximated by its tangent plane, twice: f~_i <= 0 and -f~_i <= 0. Two convex approximations would enclose no step.
/// Value and gradient at x^k are those of f_i.
/// Near an optimum the objective has no asymptotes but the curvature B of the Lagrangian (lagrangian_curvature.hpp), which
/// couples the variables:
///
///     f~_0(x) = r_0 + df_0/dx d + d^T B d / 2
///               + rho_0 sum_j [ (U_j - x_j^k)^2 / (U_j - x_j) + (x_j^k - L_j)^2 / (x_j - L_j) ],     d = x - x^k
///
/// MMA keeps rho_i = 1e-5. GCMMA begins with rho_i = 0.1 / n sum_j |df_i/dx_j| and raises it until the approximation is
/// conservative, f~_i >= f_i, at its own minimum. All variables are in units of their range, x_max - x_min = 1.
/// Sources: K. Svanberg, Int. J. Numer. Meth. Eng. 24 (1987) 359; SIAM J. Optim. 12 (2002) 555; MMA and GCMMA, KTH 2007.
#pragma once

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
  /// @param least_rho     1 + m, or empty
  /// @param curvature     B, which counts once it is not empty; or nullptr
  MmaApproximation(const VectorXd& x, const MmaFunctions& functions, bool conservative,
                   const VectorXd& least_rho, const LagrangianCurvature* curvature = nullptr);
  const VectorXd& rho() const { return rho_; }
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
  /// Raises rho_i of each that does.                                                [Svanberg 2007, eq. 4.7]
  void become_more_conservative(const VectorXd& values);

 private:
  bool is_quadratic() const { return curvature_ != nullptr && !curvature_->empty(); }
  /// By how much a function exceeds its approximation; none for equalities.
  VectorXd lack(const VectorXd& values) const;

  const VectorXd& x_;
  const MmaFunctions& functions_;
  const LagrangianCurvature* curvature_;
  MatrixXd constraint_gradients_;  ///< m x n, of the approximations at the last trial
  VectorXd first_rho_, rho_;       ///< 1 + m; as GCMMA begins, and as it is
  VectorXd approximated_;          ///< 1 + m, at the last trial; not of equalities
  double distance_ = 0.0;  ///< from x^k to the last trial, as rho weighs it          [Svanberg 2007, eq. 4.5]
};

}  // namespace kurbel
