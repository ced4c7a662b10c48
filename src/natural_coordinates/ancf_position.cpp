#include "natural_coordinates/ancf_beam.hpp"
#include "natural_coordinates/ancf_section.hpp"

namespace kurbel {

Vector2d ancf_position(const Eigen::Ref<const VectorXd>& e, double xi, double zeta, double h, double l) {
  const double xi2 = xi * xi, xi3 = xi2 * xi;
  Eigen::Matrix<double, 6, 1> s;
  s << 1.0 - 3.0 * xi2 + 2.0 * xi3, l * (xi - 2.0 * xi2 + xi3), h * zeta * (1.0 - xi), 3.0 * xi2 - 2.0 * xi3,
      l * (xi3 - xi2), h * zeta * xi;
  return ancf::as_planar_nodes<double>(e) * s;
}

}  // namespace kurbel
