/// @file
/// Eigenvalues of matrices of any kind, by Eigen, instantiated once.
#pragma once

#include "base/types.hpp"

namespace kurbel {

struct LeastMode {
  double value;     ///< real part of the eigenvalue of which it is least
  VectorXd vector;  ///< real part of its eigenvector
};

/// The least mode of A x = lambda x.
LeastMode least_mode(const MatrixXd& A);

}  // namespace kurbel
