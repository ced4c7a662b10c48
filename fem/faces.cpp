#include "fem/faces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

namespace kurbel::fem {

namespace {

using Eigen::Index;

std::array<int, 4> sorted_nodes(const ElementFace& face) {
  std::array<int, 4> nodes = face.nodes;
  std::ranges::sort(nodes);
  return nodes;
}

/// Adds the integral of every shape function over the area of a triangle or a plane quadrilateral, or over the
/// length of an edge: of a quadrilateral the mean over its two divisions into triangles, exact for parallelograms.
void add_areas(const Mesh& mesh, const ElementFace& face, std::vector<double>& areas) {
  const auto x = [&](std::size_t a) { return mesh.positions().col(face.nodes[a]); };
  const auto add = [&](std::initializer_list<std::size_t> corners, double area) {
    for (const std::size_t a : corners)
      areas[static_cast<std::size_t>(face.nodes[a])] += area / static_cast<double>(corners.size());
  };
  const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
    return 0.5 * Vector3d(x(b) - x(a)).cross(Vector3d(x(c) - x(a))).norm();
  };
  const auto n = std::ranges::find(face.nodes, -1) - face.nodes.begin();
  if (n == 2) return add({0, 1}, (x(1) - x(0)).norm());
  if (n == 3) return add({0, 1, 2}, triangle(0, 1, 2));
  add({0, 1, 2}, 0.5 * triangle(0, 1, 2)), add({0, 2, 3}, 0.5 * triangle(0, 2, 3));
  add({0, 1, 3}, 0.5 * triangle(0, 1, 3)), add({1, 2, 3}, 0.5 * triangle(1, 2, 3));
}

/// Areas of the surface's faces that have all their nodes in the set, by node.
std::vector<double> surface_areas(const Mesh& mesh, const std::vector<int>& nodes) {
  std::vector<bool> is_in(static_cast<std::size_t>(mesh.n_nodes()), false);
  for (const int node : nodes) is_in[static_cast<std::size_t>(node)] = true;
  std::vector<double> areas(is_in.size(), 0.0);
  const std::vector<ElementFace> faces =
      faces_of(mesh, ElementSet(static_cast<std::size_t>(mesh.n_elements()), true));
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (f + 1 < faces.size() && is_same_face(faces[f], faces[f + 1])) {
      ++f;
      continue;
    }
    if (std::ranges::all_of(faces[f].nodes,
                            [&](int n) { return n < 0 || is_in[static_cast<std::size_t>(n)]; }))
      add_areas(mesh, faces[f], areas);
  }
  return areas;
}

std::vector<double> nodal_volumes(const Mesh& mesh) {
  std::vector<double> volumes(static_cast<std::size_t>(mesh.n_nodes()), 0.0);
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    for (const int node : nodes)
      volumes[static_cast<std::size_t>(node)] += mesh.volumes()[e] / static_cast<double>(nodes.size());
  }
  return volumes;
}

}  // namespace

std::vector<ElementFace> faces_of(const Mesh& mesh, const ElementSet& set) {
  std::vector<std::pair<std::array<int, 4>, ElementFace>> sorted;
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    if (!set[static_cast<std::size_t>(e)]) continue;
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    for (const std::vector<int>& of_kind : topology(mesh.kind_of(e)).faces) {
      ElementFace face{e, {-1, -1, -1, -1}};
      for (std::size_t a = 0; a < of_kind.size(); ++a) face.nodes[a] = nodes[of_kind[a]];
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

double shortest_edge(const Mesh& mesh) {
  double shortest = std::numeric_limits<double>::infinity();
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    for (const std::vector<int>& face : topology(mesh.kind_of(e)).faces) {
      for (std::size_t a = 0; a < face.size(); ++a) {
        const int from = nodes[face[a]], to = nodes[face[(a + 1) % face.size()]];
        shortest = std::min(shortest, (mesh.positions().col(to) - mesh.positions().col(from)).norm());
      }
    }
  }
  return shortest;
}

NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh) {
  const std::vector<int> nodes = mesh.nodes_in(marker.nodes);
  if (marker.weights == MarkerSpec::Weights::equal) return {nodes, std::vector<double>(nodes.size(), 1.0)};
  std::vector<double> by_node = surface_areas(mesh, nodes);
  if (std::ranges::none_of(by_node, [](double area) { return area > 0.0; })) by_node = nodal_volumes(mesh);
  NodeSet set;
  for (const int node : nodes) {
    const double weight = by_node[static_cast<std::size_t>(node)];
    if (!(weight > 0.0)) continue;
    set.nodes.push_back(node);
    set.weights.push_back(weight);
  }
  return set;
}

}  // namespace kurbel::fem
