#include "fem/opening.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "fem/cell_grid.hpp"

namespace kurbel::fem {

namespace {

constexpr double rounding = 1e-6;  ///< of a distance that is met exactly on structured meshes

Mesh::Points points_of(const std::vector<Vector3d>& places) {
  return Eigen::Map<const Mesh::Points>(places.front().data(), 3, std::ssize(places));
}

/// Whether all nodes of a face are at one place along an axis.
bool is_across(const Mesh& mesh, const std::vector<int>& nodes, Eigen::Index axis, double diameter) {
  const double first = mesh.positions()(axis, nodes.front());
  return std::ranges::all_of(
      nodes, [&](int node) { return std::abs(mesh.positions()(axis, node) - first) <= rounding * diameter; });
}

/// Nodes and centres of the faces that bound the set; the nodes are struck off those of the inside. On a
/// structured mesh one of them is nearest to a centre of an element, and to a node.
std::vector<Vector3d> boundary(const Mesh& mesh, const ElementSet& set, double diameter, MeshSurface surface,
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
    if (!is_shared && surface == MeshSurface::bounds && is_of_set(faces[f]) && bounds()) add(faces[f]);
    if (is_shared) ++f;
  }
  return places;
}

/// Places beyond the surface of the mesh, up to a distance from the faces that the set has there.
std::vector<Vector3d> places_outside(const Mesh& mesh, const ElementSet& set, double distance) {
  constexpr int n_steps = 4;
  std::vector<Vector3d> places;
  const std::vector<ElementFace> all = faces_of(mesh, ElementSet(set.size(), true));
  for (std::size_t f = 0; f < all.size(); ++f) {
    if (f + 1 < all.size() && is_same_face(all[f], all[f + 1])) {
      ++f;
      continue;
    }
    if (!set[static_cast<std::size_t>(all[f].element)]) continue;
    const std::vector<int> nodes = nodes_of(mesh, all[f]);
    Vector3d centre = Vector3d::Zero();
    for (const int node : nodes) centre += mesh.positions().col(node) / static_cast<double>(nodes.size());
    const Vector3d outwards = (centre - mesh.centres().col(all[f].element)).normalized();
    for (int step = 1; step <= n_steps; ++step) {
      const Vector3d move = distance * step / n_steps * outwards;
      places.emplace_back(centre + move);
      for (const int node : nodes) places.emplace_back(mesh.positions().col(node) + move);
    }
  }
  return places;
}

}  // namespace

std::vector<Eigen::Index> thin_axes(const Mesh& mesh, double diameter) {
  std::vector<Eigen::Index> axes;
  for (Eigen::Index d = 0; d < mesh.dim(); ++d) {
    const auto along = mesh.positions().row(d);
    if (along.maxCoeff() - along.minCoeff() < diameter * (1.0 - rounding)) axes.push_back(d);
  }
  return axes;
}

Mesh::Points surface_places(const Mesh& mesh, double diameter) {
  const ElementSet all(static_cast<std::size_t>(mesh.n_elements()), true);
  std::vector<bool> is_inside(static_cast<std::size_t>(mesh.n_nodes()), true);
  const std::vector<Vector3d> places = boundary(mesh, all, diameter, MeshSurface::bounds, is_inside);
  if (places.empty()) return Mesh::Points(3, 0);
  return points_of(places);
}

ElementSet opening(const Mesh& mesh, const ElementSet& set, double diameter, MeshSurface surface) {
  ElementSet open(set.size(), false);
  std::vector<bool> is_inside(static_cast<std::size_t>(mesh.n_nodes()), false);
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (!set[e]) continue;
    for (const int node : mesh.nodes_of(static_cast<Eigen::Index>(e)))
      is_inside[static_cast<std::size_t>(node)] = true;
  }
  const std::vector<Vector3d> bounds = boundary(mesh, set, diameter, surface, is_inside);
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
  if (surface == MeshSurface::is_open)
    std::ranges::copy_if(places_outside(mesh, set, radius), std::back_inserter(discs), fits);
  if (discs.empty()) return open;
  const Mesh::Points disc_points = points_of(discs);
  const CellGrid covers(disc_points, reach);
  for (std::size_t e = 0; e < set.size(); ++e) {
    if (set[e] && !open[e])
      open[e] = covers.has_within(mesh.centres().col(static_cast<Eigen::Index>(e)), reach);
  }
  return open;
}

double smallest_width(const Mesh& mesh, const ElementSet& set, MeshSurface surface) {
  constexpr double little = 0.01, step = 0.05;
  const auto volume_of = [&](const ElementSet& of) {
    double sum = 0.0;
    for (std::size_t e = 0; e < of.size(); ++e) {
      if (of[e]) sum += mesh.volumes()[static_cast<Eigen::Index>(e)];
    }
    return sum;
  };
  const double all = volume_of(set), edge = shortest_edge(mesh);
  const double extent =
      (mesh.positions().rowwise().maxCoeff() - mesh.positions().rowwise().minCoeff()).norm();
  const auto is_thinner = [&](double diameter) {
    return all - volume_of(opening(mesh, set, diameter, surface)) >= little * all;
  };
  if (all == 0.0) return std::numeric_limits<double>::infinity();
  double low = edge, high = 2.0 * edge;
  while (!is_thinner(high)) {
    if (high > extent) return std::numeric_limits<double>::infinity();
    low = high, high *= 2.0;
  }
  while (high - low > step * edge) {
    const double middle = 0.5 * (low + high);
    (is_thinner(middle) ? high : low) = middle;
  }
  return low;
}

}  // namespace kurbel::fem
