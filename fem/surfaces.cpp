#include "fem/surfaces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "fem/selection.hpp"

namespace kurbel::fem {

namespace {

constexpr double smooth_angle = 40.0 * std::numbers::pi / 180.0;

std::size_t n_corners_of(const ElementFace& face) {
  return static_cast<std::size_t>(std::ranges::count_if(face.corners, [](int c) { return c >= 0; }));
}

/// Pairs of faces that share an edge, in 2D a node.
std::vector<std::pair<std::size_t, std::size_t>> neighbours(const std::vector<ElementFace>& faces) {
  std::map<std::array<int, 2>, std::vector<std::size_t>> by_edge;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto& corners = faces[f].corners;
    const auto n = static_cast<std::size_t>(std::ranges::count_if(corners, [](int c) { return c >= 0; }));
    for (std::size_t a = 0; a < n; ++a) {
      const int from = corners[a], to = n == 2 ? from : corners[(a + 1) % n];
      by_edge[{std::min(from, to), std::max(from, to)}].push_back(f);
    }
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [edge, at] : by_edge) {
    for (std::size_t i = 1; i < at.size(); ++i) pairs.emplace_back(at[0], at[i]);
  }
  return pairs;
}

}  // namespace

Vector3d centre_of(const Mesh& mesh, const ElementFace& face) {
  const std::size_t n = n_corners_of(face);
  Vector3d centre = Vector3d::Zero();
  for (std::size_t a = 0; a < n; ++a)
    centre += mesh.positions().col(face.corners[a]) / static_cast<double>(n);
  return centre;
}

Vector3d outward_normal(const Mesh& mesh, const ElementFace& face) {
  const std::size_t n = n_corners_of(face);
  const Vector3d centre = centre_of(mesh, face);
  const auto at = [&](std::size_t a) { return Vector3d(mesh.positions().col(face.corners[a % n])); };
  Vector3d normal = Vector3d::Zero();
  if (n == 2) {
    normal = (at(1) - at(0)).cross(Vector3d::UnitZ());
  } else {
    for (std::size_t a = 0; a < n; ++a) normal += (at(a) - centre).cross(at(a + 1) - centre);
  }
  normal.normalize();
  return normal.dot(centre - mesh.centres().col(face.element)) < 0.0 ? Vector3d(-normal) : normal;
}

std::vector<std::vector<FacePlace>> smooth_surfaces(const Mesh& mesh) {
  const std::vector<ElementFace> faces = surface_faces(mesh);
  std::vector<Vector3d> normals;
  for (const ElementFace& face : faces) normals.push_back(outward_normal(mesh, face));
  std::vector<std::vector<std::size_t>> joined(faces.size());
  for (const auto& [a, b] : neighbours(faces)) {
    if (normals[a].dot(normals[b]) < std::cos(smooth_angle)) continue;
    joined[a].push_back(b);
    joined[b].push_back(a);
  }
  std::vector<std::vector<FacePlace>> surfaces;
  std::vector<bool> is_done(faces.size(), false);
  for (std::size_t first = 0; first < faces.size(); ++first) {
    if (is_done[first]) continue;
    is_done[first] = true;
    std::vector<std::size_t> found = {first};
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::size_t next : joined[found[i]]) {
        if (is_done[next]) continue;
        is_done[next] = true;
        found.push_back(next);
      }
    }
    std::vector<FacePlace>& surface = surfaces.emplace_back();
    for (const std::size_t f : found)
      surface.push_back({static_cast<int>(faces[f].element), static_cast<int>(faces[f].index)});
    std::ranges::sort(surface);
  }
  return surfaces;
}

}  // namespace kurbel::fem
