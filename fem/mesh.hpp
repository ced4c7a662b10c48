/// @file
/// Structured meshes of rectangles (4-node quadrilaterals) and boxes (8-node hexahedra).
#pragma once

#include <vector>

#include "fem/body_spec.hpp"

namespace kurbel::fem {

/// origin + size_d i_d / divisions_d, 3 x n_nodes by number, m; z = 0 in 2D.
Eigen::Matrix<double, 3, Eigen::Dynamic> node_positions(const MeshSpec& spec);

/// Nodes and elements numbered x fastest, then y, then z; corners in VTK order. Immutable.
class Mesh {
 public:
  using Points = Eigen::Matrix<double, 3, Eigen::Dynamic>;
  using Connectivity = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;

  /// @throws InputError if dim is not 2 or 3, a division is below 1, or a length is not positive
  explicit Mesh(const MeshSpec& spec);

  int dim() const { return dim_; }
  int nodes_per_element() const { return dim_ == 2 ? 4 : 8; }
  Eigen::Index n_nodes() const { return positions_.cols(); }
  Eigen::Index n_elements() const { return connectivity_.cols(); }

  /// 3 x n_nodes, m; z = 0 in 2D.
  const Points& positions() const { return positions_; }
  /// nodes_per_element x n_elements.
  const Connectivity& connectivity() const { return connectivity_; }
  /// 3 x n_elements, m.
  const Points& centres() const { return centres_; }
  /// n_elements, m^3 (2D: area times thickness).
  const VectorXd& volumes() const { return volumes_; }
  /// Edge lengths of an element, m; in 2D the third is the thickness.
  const Vector3d& element_size() const { return element_size_; }
  /// Corner positions of the element of reference, 3 x nodes_per_element, with its first corner in the
  /// origin.
  Points reference_corners() const;
  /// Elements of a layer (a row in 2D) are contiguous; layers i and i + 2 share no node.
  Eigen::Index elements_per_layer() const { return elements_per_layer_; }

  /// Numbers, ascending, of the nodes (elements, by centre) inside the box; bounds count as inside within
  /// 1e-6 of an element edge. In 2D the bounds along z are compared with z = 0.
  std::vector<int> nodes_in(const Box& box) const;
  std::vector<int> elements_in(const Box& box) const;

 private:
  void connect_elements(const MeshSpec& spec);
  std::vector<int> select(const Points& points, const Box& box) const;

  int dim_;
  Points positions_, centres_;
  Connectivity connectivity_;
  VectorXd volumes_;
  Vector3d element_size_;
  Eigen::Index elements_per_layer_ = 0;
};

}  // namespace kurbel::fem
