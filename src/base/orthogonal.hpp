/// @file
/// Least squares and orthonormal bases by Householder's reflections, instantiated once.
#pragma once

#include <optional>

#include "base/types.hpp"

namespace kurbel {

/// The shortest x of least |A x - b|.
/// @param rank_tolerance  pivots that are smaller, relative to the largest, count as zero; without: rounding errors
VectorXd least_squares(const MatrixXd& A, const VectorXd& b, std::optional<double> rank_tolerance = {});

/// X of least |A X - 1|, where the columns of A are independent.
MatrixXd left_inverse(const MatrixXd& A);

/// Q (m x m) of A = Q R: its first columns span those of A if they are independent.
MatrixXd orthonormal_factor(const MatrixXd& A);
/// Q (m x m) of A P = Q R
MatrixXd orthonormal_factor(const Eigen::ColPivHouseholderQR<MatrixXd>& qr);

}  // namespace kurbel
