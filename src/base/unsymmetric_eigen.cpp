#include "base/unsymmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace kurbel {

LeastMode least_mode(const MatrixXd& A) {
  const Eigen::EigenSolver<MatrixXd> modes(A);
  LeastMode least;
  Eigen::Index mode = 0;
  least.value = modes.eigenvalues().real().minCoeff(&mode);
  least.vector = modes.eigenvectors().col(mode).real();
  return least;
}

}  // namespace kurbel
