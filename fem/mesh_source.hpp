/// @file
/// The source of a body's mesh: a map from its shape to the places of the nodes, with its pull-back.
#pragma once

#include <memory>

#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"
#include "fem/mesh_shape.hpp"

namespace kurbel::fem {

/// A mesh whose nodes depend on a shape. Which nodes make an element does not. The nodes of a box of equal elements and
/// those of a mesh that is given are at
///
///     x_d = origin_d + s_d xi_d + u_d,     xi in [0, 1]^dim
///
/// s are the edge lengths; u, of a given mesh whose surface moves, are linear in the offsets (fem/surface_morph.hpp).
class MeshSource {
 public:
  virtual ~MeshSource() = default;

  /// Places of the nodes, 3 x n_nodes by number, m; z = 0 in 2D.
  /// @throws InputError if dim is not 2 or 3, a division is below 1, or a length is not positive
  virtual Mesh::Points positions(const MeshShape& shape) const = 0;
  /// Transpose of the derivative of positions() by the shape.
  /// @param positions_bar  3 x n_nodes
  /// @return  zero for the third edge length in 2D
  virtual MeshShape pullback(const MeshShape& shape, const Mesh::Points& positions_bar) const = 0;

  virtual double n_nodes() const = 0;
  /// The smallest extents of elements along the axes, m, without offsets; in 2D the third is the thickness.
  virtual Vector3d element_size(const Vector3d& size) const = 0;
  /// Areas (2D) or volumes of the elements, m^2 or m^3; NaN of an element that offsets turn inside out.
  virtual VectorXd measures(const MeshShape& shape, Eigen::Index n_elements) const = 0;
  /// Transpose of the derivative of measures() by the shape.
  virtual MeshShape pull_back_measures(const MeshShape& shape, const VectorXd& measures_bar) const = 0;
};

/// The source of the mesh of a body.
/// @param spec  its size is the shape at which a mesh has been given
std::unique_ptr<const MeshSource> mesh_source(const MeshSpec& spec);

}  // namespace kurbel::fem
