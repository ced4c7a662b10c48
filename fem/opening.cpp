#include "fem/opening.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fem/cell_grid.hpp"

namespace kurbel::fem {

namespace {

constexpr double rounding = 1e-6;  ///< of a distance that is met exactly on structured meshes

Mesh::Points points_of(const std::vector<Vector3d>& places) {
  return Eigen::Map<const Mesh::Points>(places.front().data(), 3, std::ssize(places));
}

/// Axes along which the mesh is thinner than the diameter.
std::vector<Eigen::Index> thin_axes(const Mesh& mesh, double diameter) {
  std::vector<Eigen::Index> axes;
  for (Eigen::Index d = 0; d < mesh.dim(); ++d) {
    const auto along = mesh.positions().row(d);
    if (along.maxCoeff() - along.minCoeff() < diameter * (1.0 - rounding)) axes.push_back(d);
  }
  return axes;
}

/// Whether all nodes of a face are at one place along an axis.
bool is_across(const Mesh& mesh, const std::vector<int>& nodes, Eigen::Index axis, double diameter) {
  const double first = mesh.positions()(axis, nodes.front());
  return std::ranges::all_of(
      nodes, [&](int node) { return std::abs(mesh.positions()(axis, node) - first) <= rounding * diameter; });
}

/// Nodes and centres of the faces that bound the set; the nodes are struck off those of the inside. On a
/// structured mesh one of them is nearest to a centre of an element, and to a node.
std::vector<Vector3d> boundary(const Mesh& mesh, const ElementSet& set, double diameter,
                               std::vector<bool>& is_inside) {
  std::vector<Vector3d> places;
  const auto add = [&](const ElementFace& face) {
    const std::vector<int> nodes = nodes_of(mesh, face);
    Vector3d sum = Vector3d::Zero();
    for (const int node : nodes) {
      sum += mesh.positions().col(node);
      if (is_inside[static_cast<std::size_t>(node)]) places.emplace_back(mesh.positions().col(node));
      is_inside[static_cast<std::size_t>(node)] = false;
    }
    places.emplace_back(sum / static_cast<double>(nodes.size()));
  };
  const std::vector<Eigen::Index> axes = thin_axes(mesh, diameter);
  const std::vector<ElementFace> faces = faces_of(mesh, ElementSet(set.size(), true));
  const auto is_of_set = [&](const ElementFace& face) { return set[static_cast<std::size_t>(face.element)]; };
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const bool is_shared = f + 1 < faces.size() && is_same_face(faces[f], faces[f + 1]);
    if (is_shared && is_of_set(faces[f]) != is_of_set(faces[f + 1])) add(faces[f]);
    const auto bounds = [&] {
      const std::vector<int> nodes = nodes_of(mesh, faces[f]);
      return std::ranges::none_of(axes,
                                  [&](Eigen::Index axis) { return is_across(mesh, nodes, axis, diameter); });
    };
    if (!is_shared && is_of_set(faces[f]) && bounds()) add(faces[f]);
    if (is_shared) ++f;
  }
  return places;
}

}  // namespace

ElementSet opening(const Mesh& mesh, const ElementSet& set, double diameter) {
  ElementSet open(set.size(), false);
  std::vector<bool> is_inside(static_cast<std::size_t>(mesh.n_nodes()), false);
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set[e]) continue;
    for (const int node : mesh.nodes_of(static_cast<Eigen::Index>(e)))
      is_inside[static_cast<std::size_t>(node)] = true;
  }
  const std::vector<Vector3d> bounds = boundary(mesh, set, diameter, is_inside);
  if (bounds.empty()) return set;
  const double radius = 0.5 * diameter, reach = radius * (1.0 + rounding);
  const Mesh::Points wall_points = points_of(bounds);
  const CellGrid walls(wall_points, reach);
  const auto fits = [&](const Vector3d& place) {
    return !walls.has_within(place, radius * (1.0 - rounding));
  };
  std::vector<Vector3d> discs;
  for (std::size_t node = 0; node < is_inside.size(); ++node) {
    const Vector3d place = mesh.positions().col(static_cast<Eigen::Index>(node));
    is_inside[node] = is_inside[node] && fits(place);
    if (is_inside[node]) discs.push_back(place);
  }
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set[e]) continue;
    const auto element = static_cast<Eigen::Index>(e);
    const Vector3d centre = mesh.centres().col(element);
    const Mesh::Nodes corners = mesh.nodes_of(element);
    const bool is_disc = fits(centre);
    if (is_disc) discs.push_back(centre);
    open[e] = is_disc || std::any_of(corners.begin(), corners.end(),
                                     [&](int node) { return is_inside[static_cast<std::size_t>(node)]; });
  }
  if (discs.empty()) return open;
  const Mesh::Points disc_points = points_of(discs);
  const CellGrid covers(disc_points, reach);
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (set[e] && !open[e])
      open[e] = covers.has_within(mesh.centres().col(static_cast<Eigen::Index>(e)), reach);
  }
  return open;
}

}  // namespace kurbel::fem
