/// @file
/// The shapes of a mesh's elements, with all that follows from a shape alone: matrices, stresses, and their derivatives
/// by the places of the corners.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "fem/body_spec.hpp"
#include "fem/element.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_shape.hpp"

namespace kurbel::fem {

/// The shapes of a mesh's elements (Mesh::class_of) when it has a certain shape, and the elements of their kinds. A box has
/// one shape, a free mesh as many as elements. Loops over elements find what they need anew where the shape changes
/// (OfShape).
class ShapeClasses {
 public:
  ShapeClasses(const FlexibleBodySpec& spec, std::shared_ptr<const Mesh> mesh, const MeshShape& shape);

  Eigen::Index size() const { return mesh_->n_classes(); }
  int of(Eigen::Index element) const { return mesh_->class_of()[static_cast<std::size_t>(element)]; }

  ElementKind kind_of(Eigen::Index element) const { return mesh_->kind_of(element); }

  const Element& element(int c) const { return *elements_[static_cast<std::size_t>(mesh_->class_kind(c))]; }
  /// Places of the nodes of a shape, 3 x nodes, the first in the origin, m.
  Corners corners(int c) const { return stretch_.asDiagonal() * mesh_->class_corners(c); }
  /// Components of a stress: 3 in plane stress, otherwise 6.
  Eigen::Index n_stresses() const { return n_stresses_; }
  /// Matrices of all shapes, by class.
  std::vector<ElementMatrices> matrices() const;
  std::vector<MatrixXd> sampled_stress(int c) const { return element(c).sampled_stress(corners(c)); }
  std::vector<StressPoint> stress_points(int c) const { return element(c).stress_points(corners(c)); }

 private:
  std::shared_ptr<const Mesh> mesh_;
  Vector3d stretch_ = Vector3d::Ones();
  Eigen::Index n_stresses_;
  std::array<std::unique_ptr<const Element>, n_element_kinds> elements_;
};

/// Keeps a value that is found once for successive elements of the same shape.
template <class T>
class OfShape {
 public:
  /// @param find  (class) -> T
  template <class Find>
  const T& at(int c, const Find& find) {
    if (c != c_) {
      value_.emplace(find(c));
      c_ = c;
    }
    return *value_;
  }

 private:
  int c_ = -1;
  std::optional<T> value_;
};

/// d k / d x and d m / d x by coordinate: entry a * dim + d belongs to direction d of corner a.
struct ElementDerivatives {
  std::vector<MatrixXd> stiffness;  ///< m per m; (nodes * dim) square
  std::vector<MatrixXd> mass;       ///< m^3 per m; nodes x nodes
};
/// Differentiates by complex step, to rounding.
ElementDerivatives differentiate_element(const Element& element, const Corners& corners, int dim);

}  // namespace kurbel::fem
