/// @file
/// Residual of a design in the first-order conditions of Karush, Kuhn and Tucker.
#pragma once

#include "optimizers/optimizer.hpp"

namespace kurbel {

/// An inequality further inside than this has no multiplier, unless it has a width of its own.
constexpr double kkt_width = 1e-3;

/// Zero exactly at a KKT point; each part is in the units of x or of the constraints.
struct KktResidual {
  /// max |x - P(x - (grad f + J^T mu) / scale)|, P the projection onto the bounds
  double stationarity = 0.0;
  /// largest violation of a constraint
  double infeasibility = 0.0;
  /// max over satisfied inequalities of min(-g_i, mu_i max|grad g_i| / scale)
  double complementarity = 0.0;
  VectorXd multipliers;  ///< m

  double total() const;
};

/// KKT residual with the multipliers that fit best. mu minimizes the convex, piecewise quadratic
///
///     sum_i ( w_i L_i )^2,   L = grad f + J^T mu,   mu_j >= 0 for inequalities,
///
/// in which w_i in [0, 1] is the distance of x_i from the bound towards which -L_i points, relative to
/// upper_i - lower_i (1 if that is infinite): a variable pressed against its bound does not count.
/// Inequalities with g_j < -w_j count as inactive, mu_j = 0.
///
/// @param x            (n) within the bounds
/// @param evaluation   at x
/// @param scale        > 0: what counts as a gradient of size one, e.g. max |grad f| at the start
/// @param widths       w_j > 0 of each constraint; empty: kkt_width
KktResidual kkt_residual(const VectorXd& x, const Evaluation& evaluation, const VectorXd& lower,
                         const VectorXd& upper, Eigen::Index n_equalities, double scale,
                         const VectorXd& widths = {});

}  // namespace kurbel
