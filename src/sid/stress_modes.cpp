#include "sid/stress_modes.hpp"

namespace kurbel {

VectorXd von_mises(const StressModes& modes, const VectorXd& q) {
  const MatrixXd sigma = modes.S * q;
  MatrixXd G(sigma.rows(), 1);
  von_mises_part(sigma, modes.n_components, G);
  const Eigen::Index n = modes.n_points();
  return (sigma.cwiseProduct(G)).reshaped(n, modes.n_components).rowwise().sum().cwiseMax(0.0).cwiseSqrt();
}

}  // namespace kurbel
