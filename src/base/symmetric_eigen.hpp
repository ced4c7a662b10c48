/// @file
/// Eigenvalues of symmetric matrices, of which the lower triangle is read, by Eigen, instantiated once.
#pragma once

#include "base/types.hpp"

namespace kurbel {

struct SymmetricEigen {
  VectorXd values;   ///< ascending
  MatrixXd vectors;  ///< a column each
};

/// A x = lambda x with x^T x = 1
SymmetricEigen symmetric_eigen(const MatrixXd& A);
/// A x = lambda B x with x^T B x = 1, B positive definite
SymmetricEigen symmetric_eigen(const MatrixXd& A, const MatrixXd& B);
/// The values of the first alone.
VectorXd symmetric_eigenvalues(const MatrixXd& A);

}  // namespace kurbel
