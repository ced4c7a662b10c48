#include "fem/reference_element.hpp"

namespace kurbel::fem {

namespace {

template <class Scalar>
BasicElementMatrices<Scalar> element_of(const Eigen::Matrix<Scalar, 3, Eigen::Dynamic>& corners,
                                        const FlexibleBodySpec& spec) {
  const MeshSpec& mesh = spec.mesh;
  const double nu = spec.material.poisson_ratio;
  return mesh.dim == 2
             ? quad4_plane_stress<Scalar>(corners.template topRows<2>(), nu, mesh.thickness, mesh.element)
             : hex8<Scalar>(corners, nu, mesh.element);
}

}  // namespace

Mesh::Points reference_corners(const Mesh& mesh, const FlexibleBodySpec& spec, const Vector3d& size) {
  Mesh::Points corners = mesh.reference_corners();
  for (int d = 0; d < mesh.dim(); ++d) corners.row(d) *= size[d] / spec.mesh.size[d];
  return corners;
}

ElementMatrices reference_element(const Mesh::Points& corners, const FlexibleBodySpec& spec) {
  return element_of<double>(corners, spec);
}

std::vector<StressPoint> reference_stress_points(const Mesh::Points& corners, const FlexibleBodySpec& spec) {
  const MeshSpec& mesh = spec.mesh;
  const double nu = spec.material.poisson_ratio;
  return mesh.dim == 2 ? quad4_stress_points(corners.topRows<2>(), nu, mesh.thickness, mesh.element)
                       : hex8_stress_points(corners, nu, mesh.element);
}

ElementDerivatives differentiate_reference_element(const Mesh::Points& corners,
                                                   const FlexibleBodySpec& spec) {
  constexpr double step = 1e-100;
  Eigen::Matrix<Complex, 3, Eigen::Dynamic> moved = corners.cast<Complex>();
  ElementDerivatives out;
  for (Eigen::Index a = 0; a < corners.cols(); ++a) {
    for (int d = 0; d < spec.mesh.dim; ++d) {
      moved(d, a) += Complex(0.0, step);
      const BasicElementMatrices<Complex> element = element_of<Complex>(moved, spec);
      moved(d, a) = corners(d, a);
      out.stiffness.push_back(element.stiffness.imag() / step);
      out.mass.push_back(element.mass.imag() / step);
    }
  }
  return out;
}

}  // namespace kurbel::fem
