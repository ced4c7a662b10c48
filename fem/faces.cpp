#include "fem/faces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>
#include <utility>

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

/// The areas that the faces of the surface give to the nodes of a set.
struct SurfaceAreas {
  std::vector<double> by_node;
  std::vector<bool> has_face;
};

/// Counts the faces that have all their nodes in the set.
SurfaceAreas surface_areas(const Mesh& mesh, const std::vector<int>& nodes) {
  const auto n_nodes = static_cast<std::size_t>(mesh.n_nodes());
  std::vector<bool> is_in(n_nodes, false);
  for (const int node : nodes) is_in[static_cast<std::size_t>(node)] = true;
  SurfaceAreas areas{std::vector<double>(n_nodes, 0.0), std::vector<bool>(n_nodes, false)};
  const std::vector<ElementFace> faces =
      faces_of(mesh, ElementSet(static_cast<std::size_t>(mesh.n_elements()), true));
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (f + 1 < faces.size() && is_same_face(faces[f], faces[f + 1])) {
      ++f;
      continue;
    }
    const auto is_selected = [&](int n) { return n < 0 || is_in[static_cast<std::size_t>(n)]; };
    if (!std::ranges::all_of(faces[f].corners, is_selected)) continue;
    const std::vector<int> of_face = nodes_of(mesh, faces[f]);
    if (!std::ranges::all_of(of_face, is_selected)) continue;
    const Mesh::Points x = mesh.positions()(Eigen::all, of_face);
    const std::size_t n_corners = topology(mesh.kind_of(faces[f].element)).n_face_corners(faces[f].place);
    const VectorXd of_nodes =
        with_face_kind(n_corners, of_face.size(), [&]<class Kind>(Kind) { return face_areas<Kind>(x); });
    for (std::size_t a = 0; a < of_face.size(); ++a) {
      const auto node = static_cast<std::size_t>(of_face[a]);
      areas.by_node[node] += of_nodes[static_cast<Index>(a)];
      areas.has_face[node] = true;
    }
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
    for (std::size_t place = 0; place < kind.faces.size(); ++place) {
      ElementFace face{e, {-1, -1, -1, -1}, place};
      const std::size_t n_corners = kind.n_face_corners(place);
      for (std::size_t a = 0; a < n_corners; ++a) face.corners[a] = nodes[kind.faces[place][a]];
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

std::vector<int> nodes_of(const Mesh& mesh, const ElementFace& face) {
  const Mesh::Nodes nodes = mesh.nodes_of(face.element);
  std::vector<int> of_face = topology(mesh.kind_of(face.element)).faces[face.place];
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

NodeSet marker_nodes(const MarkerSpec& marker, const Mesh& mesh) {
  const std::vector<int> nodes = mesh.nodes_in(marker.nodes);
  if (marker.weights == MarkerSpec::Weights::equal) return {nodes, std::vector<double>(nodes.size(), 1.0)};
  SurfaceAreas areas = surface_areas(mesh, nodes);
  if (std::ranges::find(areas.has_face, true) == areas.has_face.end())
    areas = {nodal_volumes(mesh), std::vector<bool>(areas.has_face.size(), true)};
  NodeSet set;
  for (const int node : nodes) {
    if (!areas.has_face[static_cast<std::size_t>(node)]) continue;
    set.nodes.push_back(node);
    set.weights.push_back(areas.by_node[static_cast<std::size_t>(node)]);
  }
  return set;
}

}  // namespace kurbel::fem
