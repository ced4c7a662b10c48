#include "fem/faces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "fem/selection.hpp"
#include "fem/shape_functions.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

std::array<int, 4> sorted_corners(const ElementFace& face) {
  std::array<int, 4> corners = face.corners;
  std::ranges::sort(corners);
  return corners;
}

/// int N_i dA over a face, in 2D the length of an edge, by node.
/// @param x  places of the nodes of the face
template <class Kind>
VectorXd face_areas(const Mesh::Points& x) {
  VectorXd areas = VectorXd::Zero(Kind::n);
  for (const auto& [xi, weight] : Kind::mass_rule()) {
    const auto shape = Kind::shape(xi);
    const Eigen::Matrix<double, 3, Kind::dim> tangents = x * shape.dN.transpose();
    double area = 0.0;
    if constexpr (Kind::dim == 1) {
      area = tangents.norm();
    } else {
      area = tangents.col(0).cross(tangents.col(1)).norm();
    }
    areas += weight * area * shape.N;
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
    const ElementTopology& kind = topology(mesh.kind_of(e));
    for (std::size_t index = 0; index < kind.faces.size(); ++index) {
      ElementFace face{e, {-1, -1, -1, -1}, index};
      const std::size_t n_corners = kind.n_face_corners(index);
      for (std::size_t a = 0; a < n_corners; ++a) face.corners[a] = nodes[kind.faces[index][a]];
      sorted.emplace_back(sorted_corners(face), face);
    }
  }
  std::ranges::sort(sorted, {},
                    [](const auto& entry) { return std::pair(entry.first, entry.second.element); });
  std::vector<ElementFace> faces;
  faces.reserve(sorted.size());
  for (const auto& [corners, face] : sorted) faces.push_back(face);
  return faces;
}

ElementFace face_at(const Mesh& mesh, const FacePlace& at) {
  const ElementTopology& kind = topology(mesh.kind_of(at.element));
  const auto index = static_cast<std::size_t>(at.index);
  const Mesh::Nodes nodes = mesh.nodes_of(at.element);
  ElementFace face{at.element, {-1, -1, -1, -1}, index};
  for (std::size_t a = 0; a < kind.n_face_corners(index); ++a) face.corners[a] = nodes[kind.faces[index][a]];
  return face;
}

std::vector<int> nodes_of(const Mesh& mesh, const ElementFace& face) {
  const Mesh::Nodes nodes = mesh.nodes_of(face.element);
  std::vector<int> of_face = topology(mesh.kind_of(face.element)).faces[face.index];
  for (int& node : of_face) node = nodes[node];
  return of_face;
}

bool is_same_face(const ElementFace& a, const ElementFace& b) {
  return sorted_corners(a) == sorted_corners(b);
}

double shortest_edge(const Mesh& mesh) {
  double shortest = std::numeric_limits<double>::infinity();
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    for (const auto& [from, to] : topology(mesh.kind_of(e)).edges) {
      const double length = (mesh.positions().col(nodes[to]) - mesh.positions().col(nodes[from])).norm();
      shortest = std::min(shortest, length);
    }
  }
  return shortest;
}

double mean_edge(const Mesh& mesh) {
  const double measure = mesh.measures().mean();
  const bool is_simplex = topology(mesh.kind_of(0)).n_corners == mesh.dim() + 1;
  if (mesh.dim() == 2) return std::sqrt(is_simplex ? 4.0 / std::sqrt(3.0) * measure : measure);
  return std::cbrt(is_simplex ? 6.0 * std::sqrt(2.0) * measure : measure);
}

VectorXd face_weights(const Mesh& mesh, const ElementFace& face) {
  const std::vector<int> nodes = nodes_of(mesh, face);
  const Mesh::Points x = mesh.positions()(Eigen::all, nodes);
  const std::size_t n_corners = topology(mesh.kind_of(face.element)).n_face_corners(face.index);
  return with_face_kind(n_corners, nodes.size(), [&]<class Kind>(Kind) { return face_areas<Kind>(x); });
}

NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh) {
  if (marker.set) return *marker.set;
  if (marker.weights == MarkerSpec::Weights::equal) {
    const std::vector<int> nodes = mesh.nodes_in(marker.nodes);
    return {nodes, std::vector<double>(nodes.size(), 1.0)};
  }
  std::map<int, double> weights;
  for (const ElementFace& face : faces_in(mesh, marker.nodes)) {
    const std::vector<int> nodes = nodes_of(mesh, face);
    const VectorXd of_nodes = face_weights(mesh, face);
    for (std::size_t a = 0; a < nodes.size(); ++a) weights[nodes[a]] += of_nodes[static_cast<Index>(a)];
  }
  if (weights.empty()) {
    const std::vector<double> volumes = nodal_volumes(mesh);
    for (const int node : mesh.nodes_in(marker.nodes))
      weights[node] = volumes[static_cast<std::size_t>(node)];
  }
  NodeSet set;
  for (const auto& [node, weight] : weights) {
    set.nodes.push_back(node);
    set.weights.push_back(weight);
  }
  return set;
}

}  // namespace kurbel::fem
