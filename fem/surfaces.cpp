#include "fem/surfaces.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/symmetric_eigen.hpp"
#include "fem/selection.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr double smooth_angle = 40.0 * std::numbers::pi / 180.0;

/// A face as a flat one through its corners.
struct Facet {
  Vector3d centre, normal;  ///< the normal points outward
  double area;
};

std::size_t n_corners_of(const ElementFace& face) {
  return static_cast<std::size_t>(std::ranges::count_if(face.corners, [](int c) { return c >= 0; }));
}

Vector3d centre_of(const Mesh& mesh, const ElementFace& face) {
  const std::size_t n = n_corners_of(face);
  Vector3d centre = Vector3d::Zero();
  for (std::size_t a = 0; a < n; ++a)
    centre += mesh.positions().col(face.corners[a]) / static_cast<double>(n);
  return centre;
}

Facet facet_of(const Mesh& mesh, const ElementFace& face) {
  return {centre_of(mesh, face), outward_normal(mesh, face), face_weights(mesh, face).sum()};
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

/// A surface by its facets and the positions of its nodes.
struct Sample {
  std::vector<Facet> facets;
  std::vector<Vector3d> nodes;
  double area = 0.0;
  Vector3d centre = Vector3d::Zero();
  double size = 0.0;  ///< of the box around it
};

Sample sample_of(const Mesh& mesh, const std::vector<FacePlace>& faces) {
  Sample sample;
  std::vector<int> nodes;
  for (const FacePlace& at : faces) {
    const ElementFace face = face_at(mesh, at);
    sample.facets.push_back(facet_of(mesh, face));
    sample.area += sample.facets.back().area;
    sample.centre += sample.facets.back().area * sample.facets.back().centre;
    const std::vector<int> own = nodes_of(mesh, face);
    nodes.insert(nodes.end(), own.begin(), own.end());
  }
  sample.centre /= sample.area;
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  Eigen::AlignedBox3d box;
  for (const int node : nodes) {
    sample.nodes.push_back(mesh.positions().col(node));
    box.extend(sample.nodes.back());
  }
  sample.size = box.diagonal().norm();
  return sample;
}

constexpr double fit = 1e-3;  // of the size of a surface

bool fit_plane(const Sample& sample, SurfaceShape& shape) {
  Vector3d normal = Vector3d::Zero();
  for (const Facet& facet : sample.facets) normal += facet.area * facet.normal;
  if (!(normal.norm() > 0.0)) return false;
  shape.axis = normal.normalized();
  return std::ranges::all_of(sample.nodes, [&](const Vector3d& x) {
    return std::abs(shape.axis.dot(x - sample.centre)) <= fit * sample.size;
  });
}

/// Least squares of |x|^2 - 2 x . c + (c . c - r^2) = 0 in the coordinates across `axis`, all if it is zero.
bool fit_round(const Sample& sample, const Vector3d& axis, SurfaceShape& shape) {
  const Matrix3d across = Matrix3d::Identity() - axis * axis.transpose();
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
  Eigen::Vector4d b = Eigen::Vector4d::Zero();
  for (const Vector3d& node : sample.nodes) {
    const Vector3d x = across * (node - sample.centre) / sample.size;
    const Eigen::Vector4d row(2.0 * x[0], 2.0 * x[1], 2.0 * x[2], 1.0);
    A += row * row.transpose();
    b += row * x.squaredNorm();
  }
  A.topLeftCorner<3, 3>() += axis * axis.transpose();  // the centre is not displaced along the axis
  const Eigen::Vector4d solution = A.fullPivLu().solve(b);
  const Vector3d c = solution.head<3>();
  const double square = solution[3] + c.squaredNorm();
  if (!(square > 0.0)) return false;
  shape.centre = sample.centre + sample.size * c;
  shape.axis = axis;
  shape.radius = sample.size * std::sqrt(square);
  return std::ranges::all_of(sample.nodes, [&](const Vector3d& x) {
    return std::abs((across * (x - shape.centre)).norm() - shape.radius) <= fit * sample.size;
  });
}

/// The direction in which the normals have no component: the eigenvector of the least eigenvalue of sum A n n^T.
Vector3d axis_of(const Sample& sample, int dim) {
  if (dim == 2) return Vector3d::UnitZ();
  Matrix3d sum = Matrix3d::Zero();
  for (const Facet& facet : sample.facets) sum += facet.area * facet.normal * facet.normal.transpose();
  Vector3d axis = symmetric_eigen(sum).vectors.col(0);
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  return axis[largest] < 0.0 ? Vector3d(-axis) : axis;
}

}  // namespace

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
  for (const ElementFace& face : faces) normals.push_back(facet_of(mesh, face).normal);
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

SurfaceShape shape_of(const Mesh& mesh, const std::vector<FacePlace>& faces) {
  const Sample sample = sample_of(mesh, faces);
  SurfaceShape shape{.centre = sample.centre, .area = sample.area};
  if (fit_plane(sample, shape)) {
    shape.kind = SurfaceShape::Kind::plane;
    return shape;
  }
  if (fit_round(sample, axis_of(sample, mesh.dim()), shape)) {
    shape.kind = SurfaceShape::Kind::cylinder;
    return shape;
  }
  if (mesh.dim() == 3 && fit_round(sample, Vector3d::Zero(), shape)) {
    shape.kind = SurfaceShape::Kind::sphere;
    return shape;
  }
  return {.centre = sample.centre, .area = sample.area};
}

const char* name_of(SurfaceShape::Kind kind, int dim) {
  switch (kind) {
    case SurfaceShape::Kind::plane:
      return dim == 2 ? "line" : "plane";
    case SurfaceShape::Kind::cylinder:
      return dim == 2 ? "circle" : "cylinder";
    case SurfaceShape::Kind::sphere:
      return "sphere";
    case SurfaceShape::Kind::free:
      break;
  }
  return "free";
}

}  // namespace kurbel::fem
