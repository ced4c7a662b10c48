/// @file
/// Faces of elements, and which elements share them.
#pragma once

#include <array>
#include <vector>

#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Marks elements of a mesh, by their numbers.
using ElementSet = std::vector<bool>;

/// A face of an element, in 2D an edge: its corners in order around it, as many as it has, then -1.
struct ElementFace {
  Eigen::Index element;
  std::array<int, 4> corners;
  std::size_t index;  ///< among the faces of the element
};

ElementFace face_at(const Mesh& mesh, const FacePlace& at);

/// All nodes of a face: the corners, then the nodes in the middles of the edges.
std::vector<int> nodes_of(const Mesh& mesh, const ElementFace& face);

/// The faces of the elements of a set, those that two of them share twice and side by side.
std::vector<ElementFace> faces_of(const Mesh& mesh, const ElementSet& set);

/// True if two faces have the same corners.
bool is_same_face(const ElementFace& a, const ElementFace& b);

/// The shortest edge of any element from corner to corner, m.
double shortest_edge(const Mesh& mesh);

/// The edge of an equilateral triangle or a regular tetrahedron, or of a square or cube, of the mean size, m.
double mean_edge(const Mesh& mesh);

/// int N_i dA over a face, in 2D over the length of an edge, by node of nodes_of(); m^2 or m.
VectorXd face_weights(const Mesh& mesh, const ElementFace& face);

/// Selects the nodes of a marker's place and weights them. They count alike, or by area: w_i = int N_i dA over the faces
/// of the surface, in 2D edges, in that place (faces_in). Nodes without such a face are left out. The corners of
/// quadratic faces have weights that are zero (triangles) or negative (quadrilaterals). If there is no face, the place
/// lies within the body, and every element gives its nodes equal shares of its volume: that is int N_i dV of linear
/// elements that map affinely, and it is positive for any choice of nodes.
NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh);

}  // namespace kurbel::fem
