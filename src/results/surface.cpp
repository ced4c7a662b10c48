#include "results/surface.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/joined_groups.hpp"

namespace kurbel {

namespace {

double sixfold_volume(const Surface& surface, Eigen::Index triangle) {
  const auto corner = [&](int k) { return Vector3d(surface.points.col(surface.triangles(k, triangle))); };
  return corner(0).dot(corner(1).cross(corner(2)));
}

}  // namespace

double enclosed_volume(const Surface& surface) {
  double sum = 0.0;
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t) sum += sixfold_volume(surface, t);
  return sum / 6.0;
}

SurfaceFaults find_faults(const Surface& surface) {
  SurfaceFaults faults;
  struct Passes {
    int forwards = 0, backwards = 0;
  };
  std::map<std::pair<int, int>, Passes> edges;
  for (const auto& triangle : surface.triangles.colwise()) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangle[k], b = triangle[(k + 1) % 3];
      Passes& passes = edges[std::minmax(a, b)];
      ++(a < b ? passes.forwards : passes.backwards);
    }
    const Vector3d a = surface.points.col(triangle[0]);
    const Vector3d b = surface.points.col(triangle[1]) - a, c = surface.points.col(triangle[2]) - a;
    if (b.cross(c).norm() == 0.0) ++faults.flat_triangles;
  }
  for (const auto& [edge, passes] : edges) {
    const int n = passes.forwards + passes.backwards;
    if (n == 2 && passes.forwards == 1) continue;
    faults.place = 0.5 * (surface.points.col(edge.first) + surface.points.col(edge.second));
    if (n == 1)
      ++faults.open_edges;
    else if (n > 2)
      ++faults.crowded_edges;
    else
      ++faults.turned_edges;
  }
  return faults;
}

int count_pieces(const Surface& surface) {
  JoinedGroups pieces(static_cast<std::size_t>(surface.points.cols()));
  const auto corner = [&](int k, Eigen::Index t) {
    return static_cast<std::size_t>(surface.triangles(k, t));
  };
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t) {
    for (int k = 1; k < 3; ++k) pieces.join(corner(k, t), corner(0, t));
  }
  std::map<std::size_t, double> volumes;
  for (Eigen::Index t = 0; t < surface.triangles.cols(); ++t)
    volumes[pieces.group_of(corner(0, t))] += sixfold_volume(surface, t);
  return static_cast<int>(
      std::ranges::count_if(volumes, [](const auto& piece) { return piece.second > 0.0; }));
}

}  // namespace kurbel
