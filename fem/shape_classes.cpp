#include "fem/shape_classes.hpp"

#include "fem/mesh_source.hpp"

namespace kurbel::fem {

namespace {

constexpr double step = 1e-100;

/// Calls act(corners) with a complex step in every direction of every corner in turn.
template <class Act>
void for_each_coordinate(const Corners& corners, int dim, const Act& act) {
  ComplexCorners moved = corners.cast<Complex>();
  for (Eigen::Index a = 0; a < corners.cols(); ++a) {
    for (int d = 0; d < dim; ++d) {
      moved(d, a) += Complex(0.0, step);
      act(moved);
      moved(d, a) = corners(d, a);
    }
  }
}

}  // namespace

ShapeClasses::ShapeClasses(const FlexibleBodySpec& spec, std::shared_ptr<const Mesh> mesh,
                           const MeshShape& shape)
    : mesh_(std::move(mesh)),
      n_stresses_(mesh_->dim() == 2 && spec.mesh.plane == PlaneState::stress ? 3 : 6) {
  if (shape.offsets.size() > 0) {
    mesh_ = std::make_shared<const Mesh>(mesh_->moved(mesh_source(spec.mesh)->positions(shape)));
  } else {
    for (int d = 0; d < mesh_->dim(); ++d) stretch_[d] = shape.size[d] / spec.mesh.size[d];
  }
  for (std::size_t kind = 0; kind < n_element_kinds; ++kind) {
    elements_[kind] = make_element(static_cast<ElementKind>(kind), spec.material.poisson_ratio,
                                   spec.mesh.thickness, spec.mesh.element, spec.mesh.plane);
  }
}

std::vector<ElementMatrices> ShapeClasses::matrices() const {
  std::vector<ElementMatrices> matrices;
  matrices.reserve(static_cast<std::size_t>(size()));
  for (int c = 0; c < size(); ++c) matrices.push_back(element(c).matrices(corners(c)));
  return matrices;
}

ElementDerivatives differentiate_element(const Element& element, const Corners& corners, int dim) {
  ElementDerivatives out;
  for_each_coordinate(corners, dim, [&](const ComplexCorners& moved) {
    const BasicElementMatrices<Complex> at_moved = element.matrices(moved);
    out.stiffness.push_back(at_moved.stiffness.imag() / step);
    out.mass.push_back(at_moved.mass.imag() / step);
  });
  return out;
}

}  // namespace kurbel::fem
