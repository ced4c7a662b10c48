/// @file
/// Faces of elements, and which elements share them.
#pragma once

#include <array>
#include <vector>

#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Which elements are meant.
using ElementSet = std::vector<bool>;

/// A face of an element, in 2D an edge: its nodes in order of the face, as many as it has, then -1.
struct ElementFace {
  Eigen::Index element;
  std::array<int, 4> nodes;
};

/// The faces of the elements of a set, those that two of them share twice and side by side.
std::vector<ElementFace> faces_of(const Mesh& mesh, const ElementSet& set);

/// Whether two faces have the same nodes.
bool is_same_face(const ElementFace& a, const ElementFace& b);

/// The shortest edge of any element, m.
double shortest_edge(const Mesh& mesh);

/// The nodes of a box with weights: alike, or by area, w_i = int N_i dA over the faces of the surface that have all
/// their nodes in the box, in 2D its edges. Nodes without such a face are left out; if none has one, w_i =
/// int N_i dV over the elements around.
NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh);

}  // namespace kurbel::fem
