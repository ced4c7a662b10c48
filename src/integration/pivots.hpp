/// @file
/// A check that the pivots of a factorization are more than rounding errors.
#pragma once

#include <Eigen/LU>
#include <cmath>

namespace kurbel {

/// Every pivot u_ii = a_ii - sum_{j<i} l_ij u_ji stands above the rounding errors of the terms it is left
/// from,
///
///     |u_ii| > 1e-14 (|u_ii| + sum_{j<i} |l_ij| |u_ji|)
///
/// Both sides take the same factor when rows and columns are scaled: equations in newtons beside such in
/// metres, and the choice of units, do not matter, as they do for the ratio of the smallest to the largest
/// pivot.
template <class Matrix>
bool is_regular(const Eigen::PartialPivLU<Matrix>& lu) {
  constexpr double rounding = 1e-14;
  const Matrix& m = lu.matrixLU();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    const double pivot = std::abs(m(i, i));
    const double terms = m.row(i).head(i).cwiseAbs().dot(m.col(i).head(i).cwiseAbs().transpose());
    // A NaN is in no relation.
    if (!std::isfinite(terms) || !(pivot > rounding * (pivot + terms))) return false;
  }
  return true;
}

}  // namespace kurbel
