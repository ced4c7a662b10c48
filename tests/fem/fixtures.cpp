#include "fixtures.hpp"

#include <algorithm>
#include <stdexcept>

namespace kurbel::fem::test {

ReducedBody reduced(FlexibleBody& body, const VectorXd& rho) {
  ReducedBody out;
  if (const Status failure = body.reduce(rho, out); failure.failed())
    throw std::runtime_error(failure.message());
  return out;
}

MatrixXd filter_matrix(const Mesh& mesh, double radius) {
  MatrixXd H(mesh.n_elements(), mesh.n_elements());
  for (Eigen::Index e = 0; e < H.rows(); ++e) {
    for (Eigen::Index f = 0; f < H.cols(); ++f) {
      const double distance = (mesh.centres().col(e) - mesh.centres().col(f)).norm();
      H(e, f) = std::max(0.0, radius - distance) * (mesh.volumes()[f] / mesh.volumes()[0]);
    }
    H.row(e) /= H.row(e).sum();
  }
  return H;
}

}  // namespace kurbel::fem::test
