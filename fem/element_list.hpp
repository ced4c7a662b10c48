/// @file
/// Elements given by their corners, on a mesh of any shape: faces, and which elements share them.
#pragma once

#include <array>
#include <vector>

#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Elements of one kind by their corners in VTK order: in 2D polygons, in 3D tetrahedra or hexahedra.
struct ElementList {
  int dim;
  const Mesh::Points& positions;      ///< 3 x n_nodes, m; not owned
  const Mesh::Connectivity& corners;  ///< nodes per element x n_elements; not owned

  Eigen::Index size() const { return corners.cols(); }
  Vector3d centre(Eigen::Index element) const;
  /// The shortest edge of any element, m.
  double shortest_edge() const;
};

/// Which elements are meant.
using ElementSet = std::vector<bool>;

/// A face of an element, in 2D an edge: its nodes in order of the face, as many as it has, then -1.
struct ElementFace {
  Eigen::Index element;
  std::array<int, 4> nodes;
};

/// The faces of the elements of a set, those that two of them share twice and side by side.
std::vector<ElementFace> faces_of(const ElementList& elements, const ElementSet& set);

/// Whether two faces have the same nodes.
bool is_same_face(const ElementFace& a, const ElementFace& b);

}  // namespace kurbel::fem
