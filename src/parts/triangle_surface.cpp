#include "parts/triangle_surface.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "fem/crossing_faces.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

std::string place_text(const Vector3d& x) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g}) m", x[0], x[1], x[2]);
}

constexpr const char* advice =
    "Export it again as a closed solid, or close it in a program that repairs .stl files";

/// Edges of triangles, each as often as it has triangles, in order.
std::vector<std::array<int, 2>> sorted_edges(const TriangleSurface& surface) {
  std::vector<std::array<int, 2>> edges;
  for (const auto& corners : surface.corners.colwise()) {
    for (Index a = 0; a < 3; ++a) {
      const auto [low, high] = std::minmax({corners[a], corners[(a + 1) % 3]});
      edges.push_back({low, high});
    }
  }
  std::ranges::sort(edges);
  return edges;
}

void require_closed(const TriangleSurface& surface) {
  const std::vector<std::array<int, 2>> edges = sorted_edges(surface);
  std::vector<std::array<int, 2>> open, branches;
  for (auto edge = edges.begin(); edge != edges.end();) {
    const auto next =
        std::ranges::find_if(edge, edges.end(), [&](const auto& other) { return other != *edge; });
    if (next - edge == 1) open.push_back(*edge);
    if (next - edge > 2) branches.push_back(*edge);
    edge = next;
  }
  const auto middle = [&](const std::array<int, 2>& edge) {
    return place_text(0.5 * (surface.points.col(edge[0]) + surface.points.col(edge[1])));
  };
  if (!open.empty())
    throw InputError(fmt::format(
        "its surface is not closed: {} of its edges have a triangle on one side only, such as that "
        "around {}. {}",
        open.size(), middle(open.front()), advice));
  if (!branches.empty())
    throw InputError(
        fmt::format("its surface branches: {} of its edges have more than two triangles, such as that around "
                    "{}. {}",
                    branches.size(), middle(branches.front()), advice));
}

}  // namespace

void require_fillable(const TriangleSurface& surface) {
  if (surface.corners.cols() == 0) throw InputError("it has no triangles");
  require_closed(surface);
  constexpr double flat = 1e-6;  // STL files have six or seven digits
  const auto crossing = fem::crossing_faces(surface.points, surface.corners, flat);
  if (crossing.empty()) return;
  const auto [f, g] = *std::ranges::min_element(crossing);
  const Vector3d at = surface.points(Eigen::all, surface.corners.col(f)).rowwise().mean();
  throw InputError(
      fmt::format("its surface passes through itself, such as around {}. {}", place_text(at), advice));
}

double volume_within(const TriangleSurface& surface) {
  double sum = 0.0;
  const Vector3d origin = surface.points.rowwise().mean();
  for (const auto& corners : surface.corners.colwise()) {
    const auto corner = [&](Index a) -> Vector3d { return surface.points.col(corners[a]) - origin; };
    sum += corner(0).cross(corner(1)).dot(corner(2)) / 6.0;
  }
  return std::abs(sum);
}

}  // namespace kurbel
