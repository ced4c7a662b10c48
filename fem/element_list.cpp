#include "fem/element_list.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace kurbel::fem {

namespace {

using Face = std::vector<int>;  // places among the corners of an element

/// Edges of a polygon, or faces of a solid.
std::vector<Face> faces_of_kind(int dim, int n_corners) {
  if (dim == 3 && n_corners == 4) return {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}};
  if (dim == 3) {
    assert(n_corners == 8);
    return {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  }
  std::vector<Face> edges;
  for (int a = 0; a < n_corners; ++a) edges.push_back({a, (a + 1) % n_corners});
  return edges;
}

std::array<int, 4> sorted_nodes(const ElementFace& face) {
  std::array<int, 4> nodes = face.nodes;
  std::ranges::sort(nodes);
  return nodes;
}

}  // namespace

Vector3d ElementList::centre(Eigen::Index element) const {
  return positions(Eigen::all, corners.col(element)).rowwise().mean();
}

double ElementList::shortest_edge() const {
  const std::vector<Face> faces = faces_of_kind(dim, static_cast<int>(corners.rows()));
  double shortest = std::numeric_limits<double>::infinity();
  for (Eigen::Index e = 0; e < size(); ++e) {
    for (const Face& face : faces) {
      for (std::size_t a = 0; a < face.size(); ++a) {
        const int from = corners(face[a], e), to = corners(face[(a + 1) % face.size()], e);
        shortest = std::min(shortest, (positions.col(to) - positions.col(from)).norm());
      }
    }
  }
  return shortest;
}

std::vector<ElementFace> faces_of(const ElementList& elements, const ElementSet& set) {
  const std::vector<Face> kinds = faces_of_kind(elements.dim, static_cast<int>(elements.corners.rows()));
  std::vector<std::pair<std::array<int, 4>, ElementFace>> sorted;
  for (Eigen::Index e = 0; e < elements.size(); ++e) {
    if (!set[static_cast<std::size_t>(e)]) continue;
    for (const Face& kind : kinds) {
      ElementFace face{e, {-1, -1, -1, -1}};
      for (std::size_t a = 0; a < kind.size(); ++a) face.nodes[a] = elements.corners(kind[a], e);
      sorted.emplace_back(sorted_nodes(face), face);
    }
  }
  std::ranges::sort(sorted, {},
                    [](const auto& entry) { return std::pair(entry.first, entry.second.element); });
  std::vector<ElementFace> faces;
  faces.reserve(sorted.size());
  for (const auto& [nodes, face] : sorted) faces.push_back(face);
  return faces;
}

bool is_same_face(const ElementFace& a, const ElementFace& b) {
  return sorted_nodes(a) == sorted_nodes(b);
}

}  // namespace kurbel::fem
