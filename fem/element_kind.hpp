/// @file
/// The kinds of elements that a mesh may have: what they have in common with other programs' elements of the
/// same name.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace kurbel::fem {

/// Triangle and quadrilateral in the plane, tetrahedron and hexahedron in space, with nodes at the corners or also in the
/// middles of the edges; wedge and pyramid, which join tetrahedra to hexahedra. The number in a name is that of the nodes.
enum class ElementKind { tri3, quad4, tet4, hex8, tri6, quad8, tet10, hex20, wedge6, pyramid5 };
inline constexpr std::size_t n_element_kinds = static_cast<std::size_t>(ElementKind::pyramid5) + 1;

/// Each entry tells whether a corner lies at the upper end of a hexahedron along each axis, in VTK order;
/// quadrilaterals have the first four.
inline constexpr std::array<std::array<int, 3>, 8> corner_ends = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// Corners at the ends of the edges of a tetrahedron, in VTK's order of the nodes in their middles; a triangle has the
/// first three.
inline constexpr std::array<std::array<int, 2>, 6> simplex_edges = {
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
/// The same of a hexahedron; a quadrilateral has the first four.
inline constexpr std::array<std::array<int, 2>, 12> cube_edges = {
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/// Nodes are numbered as in VTK: the corners, then the middles of the edges. Seen from 3, 4, 5 the corners 0, 1, 2 of a
/// wedge go clockwise, as VTK documents it: Gmsh and Abaqus exchange 1 with 2 and 4 with 5.
struct ElementTopology {
  const char* name;
  int dim;
  int n_corners;
  /// Corners at the ends of the edges, in the order of the nodes in their middles.
  std::vector<std::array<int, 2>> edges;
  /// Places of the nodes of a face, in 2D of an edge: its corners in order around it, then the middles of its edges in
  /// the same order.
  std::vector<std::vector<int>> faces;
  int n_nodes;
  ElementKind kind;
  int vtk_type;  ///< its number in VTK

  bool has_middle_nodes() const { return n_nodes > n_corners; }
  /// The number of corners of a face, which are the first of its nodes.
  std::size_t n_face_corners(std::size_t face) const {
    const std::size_t n = faces[face].size();
    return has_middle_nodes() ? (n + 1) / 2 : n;
  }
};

/// All kinds, in the order of their words.
const std::vector<ElementTopology>& element_kinds();
const ElementTopology& topology(ElementKind kind);

/// The kind of a number in VTK; nothing if no element has it.
std::optional<ElementKind> kind_of_vtk(int vtk_type);

/// The kind with the same corners and no other nodes.
ElementKind with_corners_alone(ElementKind kind);

}  // namespace kurbel::fem
