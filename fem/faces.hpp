/// @file
/// Faces of elements, and which elements share them.
#pragma once

#include <array>
#include <vector>

#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Marks elements of a mesh, by their numbers.
using ElementSet = std::vector<bool>;

/// A face of an element, in 2D an edge: its nodes in order of the face, as many as it has, then -1.
struct ElementFace {
  Eigen::Index element;
  std::array<int, 4> nodes;
};

/// The faces of the elements of a set, those that two of them share twice and side by side.
std::vector<ElementFace> faces_of(const Mesh& mesh, const ElementSet& set);

/// True if two faces have the same nodes.
bool is_same_face(const ElementFace& a, const ElementFace& b);

/// The shortest edge of any element, m.
double shortest_edge(const Mesh& mesh);

/// Selects the nodes of a marker's box and weights them. They count alike, or by area: w_i = int N_i dA over those
/// faces of the surface, in 2D edges, that have all their nodes in the box. Nodes without such a face are left out. If
/// no node has one, the box lies within the body, and w_i = int N_i dV over the elements around.
NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh);

}  // namespace kurbel::fem
