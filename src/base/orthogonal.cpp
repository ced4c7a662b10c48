#include "base/orthogonal.hpp"

namespace kurbel {

VectorXd least_squares(const MatrixXd& A, const VectorXd& b, std::optional<double> rank_tolerance) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factor(A.rows(), A.cols());
  if (rank_tolerance) factor.setThreshold(*rank_tolerance);
  return factor.compute(A).solve(b);
}

MatrixXd left_inverse(const MatrixXd& A) {
  return A.householderQr().solve(MatrixXd::Identity(A.rows(), A.rows()));
}

MatrixXd orthonormal_factor(const MatrixXd& A) {
  return A.householderQr().householderQ();
}

MatrixXd orthonormal_factor(const Eigen::ColPivHouseholderQR<MatrixXd>& qr) {
  return qr.householderQ();
}

}  // namespace kurbel
