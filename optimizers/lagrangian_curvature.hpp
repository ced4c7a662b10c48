/// @file
/// The curvature of a Lagrangian along the last steps, by the limited-memory formula of Broyden, Fletcher, Goldfarb and
/// Shanno in its compact form:
///
///     B = theta I - W N^-1 W^T,     W = [Y, theta S],     N = [-D, L^T; L, theta S^T S]
///
/// S and Y are n x k: steps, and differences of gradients along them. D is the diagonal and L the strictly lower triangle
/// of S^T Y. Source: R. Byrd, J. Nocedal, R. Schnabel, Math. Program. 63 (1994) 129.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// A positive definite matrix B of n rows, of which k columns are kept. It is zero until the first pair.
class LagrangianCurvature {
 public:
  static constexpr Eigen::Index memory = 30;  ///< pairs that are kept

  /// Replaces the oldest pair once the memory is full. Where y^T s is below 0.2 s^T B s, y is moved towards B s
  /// [M. Powell, Lect. Notes Math. 630 (1978) 144], so that B stays positive definite.
  /// @param s  n, a step
  /// @param y  n, difference of the gradients at its ends
  void add(const VectorXd& s, const VectorXd& y);
  void clear() { S_.resize(0, 0), Y_.resize(0, 0); }
  bool empty() const { return S_.cols() == 0; }

  /// B d
  VectorXd times(const VectorXd& d) const;
  /// (B + diag(a))^-1 R, a > 0                                                          [Sherman, Morrison, Woodbury]
  /// @param R  n x any
  MatrixXd solve(const VectorXd& a, const MatrixXd& R) const;

 private:
  MatrixXd S_, Y_;  ///< n x k, the oldest first
  double theta_ = 0.0;
  MatrixXd W_, N_;  ///< n x 2k, 2k x 2k
};

}  // namespace kurbel
