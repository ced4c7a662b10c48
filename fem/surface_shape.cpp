#include "fem/surface_shape.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "fem/revolved_fits.hpp"
#include "fem/surfaces.hpp"

namespace kurbel::fem {

namespace {

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
    sample.facets.push_back(
        {centre_of(mesh, face), outward_normal(mesh, face), face_weights(mesh, face).sum()});
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
constexpr double none =
    std::numeric_limits<double>::infinity();  // the deviation from a shape that there is not

/// The largest distance of a node from a shape, relative to the size of the surface.
template <class Distance>
double deviation(const Sample& sample, const Distance& distance) {
  double largest = 0.0;
  for (const Vector3d& x : sample.nodes) {
    const double d = std::abs(distance(x));
    if (!std::isfinite(d)) return none;
    largest = std::max(largest, d);
  }
  return largest / sample.size;
}

double fit_plane(const Sample& sample, SurfaceShape& shape) {
  Vector3d normal = Vector3d::Zero();
  for (const Facet& facet : sample.facets) normal += facet.area * facet.normal;
  if (!(normal.norm() > 0.0)) return none;
  shape.kind = SurfaceShape::Kind::plane;
  shape.axis = normal.normalized();
  return deviation(sample, [&](const Vector3d& x) { return shape.axis.dot(x - sample.centre); });
}

/// Least squares of |x|^2 - 2 x . c + (c . c - r^2) = 0 in the coordinates across `axis`, all if it is zero.
double fit_round(const Sample& sample, const Vector3d& axis, SurfaceShape& shape) {
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
  if (!(square > 0.0)) return none;
  shape.kind = axis.isZero() ? SurfaceShape::Kind::sphere : SurfaceShape::Kind::cylinder;
  shape.centre = sample.centre + sample.size * c;
  shape.axis = axis;
  shape.radius = sample.size * std::sqrt(square);
  return deviation(sample,
                   [&](const Vector3d& x) { return (across * (x - shape.centre)).norm() - shape.radius; });
}

/// The nodes in lengths of the size of the surface, from its centre.
std::vector<Vector3d> scaled_nodes(const Sample& sample) {
  std::vector<Vector3d> points;
  for (const Vector3d& node : sample.nodes) points.emplace_back((node - sample.centre) / sample.size);
  return points;
}

double fit_cone(const Sample& sample, SurfaceShape& shape) {
  constexpr std::size_t least_nodes = 8;  // a cone has six numbers
  if (sample.nodes.size() < least_nodes) return none;
  const std::vector<Vector3d> points = scaled_nodes(sample);
  const std::optional<ConeFit> cone = fitted_cone(points, sample.facets);
  if (!cone) return none;
  double low = none, high = -none;
  for (const Vector3d& x : points) {
    const double z = cone->axis.dot(x - cone->origin);
    low = std::min(low, z), high = std::max(high, z);
  }
  const double least = cone->r + cone->s * low;
  if (least < -fit) return none;  // points on both sides of the apex
  shape.kind = SurfaceShape::Kind::cone;
  shape.axis = cone->axis;
  shape.centre = sample.centre + sample.size * (cone->origin + 0.5 * (low + high) * cone->axis);
  shape.apex = sample.centre + sample.size * (cone->origin - cone->r / cone->s * cone->axis);
  shape.half_angle = std::atan(cone->s);
  shape.radii = {sample.size * std::max(0.0, least), sample.size * (cone->r + cone->s * high)};
  const double cosine = std::cos(shape.half_angle);
  return deviation(sample, [&](const Vector3d& x) {
    return sample.size * cosine * cone->excess((x - sample.centre) / sample.size);
  });
}

double fit_torus(const Sample& sample, SurfaceShape& shape) {
  constexpr std::size_t least_nodes = 9;  // a torus has seven numbers
  if (sample.nodes.size() < least_nodes) return none;
  std::vector<Facet> facets = sample.facets;
  for (Facet& facet : facets) facet.centre = (facet.centre - sample.centre) / sample.size;
  const std::optional<TorusFit> torus = fitted_torus(scaled_nodes(sample), facets);
  if (!torus) return none;
  shape.kind = SurfaceShape::Kind::torus;
  shape.centre = sample.centre + sample.size * torus->centre;
  shape.axis = torus->axis;
  shape.radius = sample.size * torus->tube;
  shape.ring_radius = sample.size * torus->ring;
  return deviation(sample, [&](const Vector3d& x) {
    return sample.size * torus->excess((x - sample.centre) / sample.size);
  });
}

}  // namespace

SurfaceShape shape_of(const Mesh& mesh, const std::vector<FacePlace>& faces) {
  const Sample sample = sample_of(mesh, faces);
  const SurfaceShape free{.centre = sample.centre, .area = sample.area};
  SurfaceShape shape = free;
  if (fit_plane(sample, shape) <= fit) return shape;
  shape = free;
  const bool is_plane = mesh.dim() == 2;
  if (fit_round(sample, is_plane ? Vector3d::UnitZ() : axis_of(sample.facets, Vector3d::Zero()), shape) <=
      fit)
    return shape;
  if (is_plane) return free;
  SurfaceShape sphere = free, cone = free;
  const double off_sphere = fit_round(sample, Vector3d::Zero(), sphere), off_cone = fit_cone(sample, cone);
  // One linear element across a chamfer or a zone of a sphere tells nothing of its curvature: chamfers are more frequent.
  constexpr double rounding = 1e-6;
  if (off_cone <= fit && off_cone <= off_sphere + rounding) return cone;
  if (off_sphere <= fit) return sphere;
  shape = free;
  return fit_torus(sample, shape) <= fit ? shape : free;
}

const char* name_of(SurfaceShape::Kind kind, int dim) {
  switch (kind) {
    case SurfaceShape::Kind::plane:
      return dim == 2 ? "line" : "plane";
    case SurfaceShape::Kind::cylinder:
      return dim == 2 ? "circle" : "cylinder";
    case SurfaceShape::Kind::sphere:
      return "sphere";
    case SurfaceShape::Kind::cone:
      return "cone";
    case SurfaceShape::Kind::torus:
      return "torus";
    case SurfaceShape::Kind::free:
      break;
  }
  return "free";
}

}  // namespace kurbel::fem
