#include "fem/element_kind.hpp"

#include <algorithm>
#include <span>

namespace kurbel::fem {

namespace {

using Edges = std::vector<std::array<int, 2>>;

Edges first_of(std::span<const std::array<int, 2>> edges, std::size_t n) {
  return {edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// The element with nodes at its corners alone.
ElementTopology linear(const char* name, int dim, int n_corners, Edges edges,
                       std::vector<std::vector<int>> faces) {
  return {name, dim, n_corners, std::move(edges), std::move(faces), n_corners};
}

/// Adds a node in the middle of every edge.
ElementTopology quadratic(const char* name, ElementTopology element) {
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
  element.name = name;
  element.n_nodes = element.n_corners + static_cast<int>(element.edges.size());
  return element;
}

}  // namespace

const ElementTopology& topology(ElementKind kind) {
  static const ElementTopology tri3 =
      linear("tri3", 2, 3, first_of(simplex_edges, 3), {{0, 1}, {1, 2}, {2, 0}});
  static const ElementTopology quad4 =
      linear("quad4", 2, 4, first_of(cube_edges, 4), {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  static const ElementTopology tet4 =
      linear("tet4", 3, 4, first_of(simplex_edges, 6), {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}});
  static const ElementTopology hex8 =
      linear("hex8", 3, 8, first_of(cube_edges, 12),
             {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}});
  static const ElementTopology wedge6 =
      linear("wedge6", 3, 6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
             {{0, 1, 2}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}});
  static const ElementTopology pyramid5 =
      linear("pyramid5", 3, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
             {{0, 1, 2, 3}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}});
  static const ElementTopology tri6 = quadratic("tri6", tri3), quad8 = quadratic("quad8", quad4),
                               tet10 = quadratic("tet10", tet4), hex20 = quadratic("hex20", hex8);
  switch (kind) {
    case ElementKind::tri3:
      return tri3;
    case ElementKind::quad4:
      return quad4;
    case ElementKind::tet4:
      return tet4;
    case ElementKind::hex8:
      return hex8;
    case ElementKind::tri6:
      return tri6;
    case ElementKind::quad8:
      return quad8;
    case ElementKind::tet10:
      return tet10;
    case ElementKind::hex20:
      return hex20;
    case ElementKind::wedge6:
      return wedge6;
    case ElementKind::pyramid5:
      return pyramid5;
  }
  return hex8;
}

}  // namespace kurbel::fem
