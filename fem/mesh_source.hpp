/// @file
/// The source of a body's mesh: a map from its shape to the places of the nodes, with its pull-back.
#pragma once

#include <memory>

#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// A mesh whose nodes depend on a shape, the edge lengths of the box around it. Which nodes make an element does not.
/// Two sources are there, both affine,
///
///     x_d = origin_d + s_d xi_d,     xi in [0, 1]^dim
///
/// a box of equal elements, which makes the xi itself, and a mesh that is given, whose nodes have them.
class MeshSource {
 public:
  virtual ~MeshSource() = default;

  /// Places of the nodes, 3 x n_nodes by number, m; z = 0 in 2D.
  /// @param size  s, m
  /// @throws InputError if dim is not 2 or 3, a division is below 1, or a length is not positive
  virtual Mesh::Points positions(const Vector3d& size) const = 0;
  /// Transpose of the derivative of positions() by the size.
  /// @param positions_bar  3 x n_nodes
  /// @return  zero for the third in 2D
  virtual Vector3d pullback(const Vector3d& size, const Mesh::Points& positions_bar) const = 0;

  virtual double n_nodes() const = 0;
  /// The smallest extents of elements along the axes, m; in 2D the third is the thickness.
  virtual Vector3d element_size(const Vector3d& size) const = 0;
  /// Areas (2D) or volumes of the elements, m^2 or m^3.
  virtual VectorXd measures(const Vector3d& size, Eigen::Index n_elements) const = 0;
};

/// The source of the mesh of a body.
/// @param spec  its size is the shape at which a mesh has been given
std::unique_ptr<const MeshSource> mesh_source(const MeshSpec& spec);

}  // namespace kurbel::fem
