#include "fem/reference_element.hpp"

namespace kurbel::fem {

Mesh::Points reference_corners(const Mesh& mesh, const FlexibleBodySpec& spec, const Vector3d& size) {
  Mesh::Points corners = mesh.reference_corners();
  for (int d = 0; d < mesh.dim(); ++d) corners.row(d) *= size[d] / spec.mesh.size[d];
  return corners;
}

ElementDerivatives differentiate_element(const Element& element, const Corners& corners, int dim) {
  constexpr double step = 1e-100;
  ComplexCorners moved = corners.cast<Complex>();
  ElementDerivatives out;
  for (Eigen::Index a = 0; a < corners.cols(); ++a) {
    for (int d = 0; d < dim; ++d) {
      moved(d, a) += Complex(0.0, step);
      const BasicElementMatrices<Complex> at_moved = element.matrices(moved);
      moved(d, a) = corners(d, a);
      out.stiffness.push_back(at_moved.stiffness.imag() / step);
      out.mass.push_back(at_moved.mass.imag() / step);
    }
  }
  return out;
}

}  // namespace kurbel::fem
