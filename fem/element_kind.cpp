#include "fem/element_kind.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace kurbel::fem {

namespace {

using Edges = std::vector<std::array<int, 2>>;

Edges first_of(std::span<const std::array<int, 2>> edges, std::size_t n) {
  return {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// The element with nodes at its corners alone.
ElementTopology linear(ElementKind kind, const char* name, int vtk_type, int dim, int n_corners, Edges edges,
                       std::vector<std::vector<int>> faces) {
  return {name, dim, n_corners, std::move(edges), std::move(faces), n_corners, kind, vtk_type};
}

/// Adds a node in the middle of every edge.
ElementTopology quadratic(ElementKind kind, const char* name, int vtk_type, ElementTopology element) {
  const auto middle = [&](int a, int b) {
    const auto edge = std::ranges::find_if(element.edges, [&](const std::array<int, 2>& ends) {
      return ends == std::array{a, b} || ends == std::array{b, a};
    });
    return element.n_corners + static_cast<int>(edge - element.edges.begin());
  };
  for (std::vector<int>& face : element.faces) {
    const std::size_t n = face.size(), n_edges = n == 2 ? 1 : n;
    for (std::size_t a = 0; a < n_edges; ++a) face.push_back(middle(face[a], face[(a + 1) % n]));
  }
  element.kind = kind, element.name = name, element.vtk_type = vtk_type;
  element.n_nodes = element.n_corners + static_cast<int>(element.edges.size());
  return element;
}

std::vector<ElementTopology> make_element_kinds() {
  using enum ElementKind;
  const ElementTopology
      tri = linear(tri3, "tri3", 5, 2, 3, first_of(simplex_edges, 3), {{0, 1}, {1, 2}, {2, 0}}),
      quad = linear(quad4, "quad4", 9, 2, 4, first_of(cube_edges, 4), {{0, 1}, {1, 2}, {2, 3}, {3, 0}}),
      tet = linear(tet4, "tet4", 10, 3, 4, first_of(simplex_edges, 6),
                   {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}}),
      hex = linear(hex8, "hex8", 12, 3, 8, first_of(cube_edges, 12),
                   {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}),
      wedge = linear(wedge6, "wedge6", 13, 3, 6,
                     {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
                     {{0, 1, 2}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}),
      pyramid = linear(pyramid5, "pyramid5", 14, 3, 5,
                       {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
                       {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}});
  return {tri,
          quad,
          tet,
          hex,
          quadratic(tri6, "tri6", 22, tri),
          quadratic(quad8, "quad8", 23, quad),
          quadratic(tet10, "tet10", 24, tet),
          quadratic(hex20, "hex20", 25, hex),
          wedge,
          pyramid};
}

}  // namespace

const std::vector<ElementTopology>& element_kinds() {
  static const std::vector<ElementTopology> kinds = [] {
    std::vector<ElementTopology> all = make_element_kinds();
    if (all.size() != n_element_kinds || !std::ranges::is_sorted(all, {}, &ElementTopology::kind))
      throw std::logic_error("element_kinds() needs a row for each word of ElementKind, in their order");
    return all;
  }();
  return kinds;
}

const ElementTopology& topology(ElementKind kind) {
  return element_kinds()[static_cast<std::size_t>(kind)];
}

std::optional<ElementKind> kind_of_vtk(int vtk_type) {
  const auto known = std::ranges::find(element_kinds(), vtk_type, &ElementTopology::vtk_type);
  return known == element_kinds().end() ? std::nullopt : std::optional(known->kind);
}

ElementKind with_corners_alone(ElementKind kind) {
  const ElementTopology& element = topology(kind);
  const auto same = std::ranges::find_if(element_kinds(), [&](const ElementTopology& other) {
    return other.dim == element.dim && other.n_corners == element.n_corners && !other.has_middle_nodes();
  });
  return same->kind;
}

}  // namespace kurbel::fem
