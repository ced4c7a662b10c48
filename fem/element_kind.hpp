/// @file
/// The kinds of elements that a mesh may have: what they have in common with other programs' elements of the
/// same name.
#pragma once

#include <cstddef>
#include <vector>

namespace kurbel::fem {

/// Triangle and quadrilateral in the plane, tetrahedron and hexahedron in space, with nodes at their corners.
enum class ElementKind { tri3, quad4, tet4, hex8 };
inline constexpr std::size_t n_element_kinds = 4;

/// Nodes are numbered as in VTK.
struct ElementTopology {
  const char* name;
  int dim;
  int n_nodes;
  std::vector<std::vector<int>> faces;  ///< places of a face's nodes, in order around it; in 2D the edges
};

const ElementTopology& topology(ElementKind kind);

}  // namespace kurbel::fem
