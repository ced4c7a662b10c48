#include "fem/surface_shape.hpp"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/symmetric_eigen.hpp"
#include "fem/surfaces.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// A face as a flat one through its corners.
struct Facet {
  Vector3d centre, normal;  ///< the normal points outward
  double area;
};

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

/// The direction along which the normals n have components that vary least about `mean`: the eigenvector of the least
/// eigenvalue of sum A (n - mean) (n - mean)^T.
Vector3d axis_of(const Sample& sample, const Vector3d& mean) {
  Matrix3d sum = Matrix3d::Zero();
  for (const Facet& facet : sample.facets)
    sum += facet.area * (facet.normal - mean) * (facet.normal - mean).transpose();
  Vector3d axis = symmetric_eigen(sum).vectors.col(0);
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  return axis[largest] < 0.0 ? Vector3d(-axis) : axis;
}

/// Points whose distance rho from an axis is r + s z, z along that axis from `origin`. Lengths are those of the sample, whose
/// size is 1 and whose centre the origin.
struct ConeFit {
  Vector3d origin, axis;
  double r, s;

  /// What a point lacks: rho - r - s z, and its derivatives by shifts of the origin and turns of the axis along e1 and e2,
  /// by r and by s.
  double excess(const Vector3d& x) const {
    const double z = axis.dot(x - origin);
    return (x - origin - z * axis).norm() - r - s * z;
  }
  Eigen::Matrix<double, 1, 6> derivative(const Vector3d& x, const Vector3d& e1, const Vector3d& e2) const {
    const double z = axis.dot(x - origin);
    const Vector3d across = x - origin - z * axis;
    const Vector3d radial = across.norm() > 0.0 ? Vector3d(across.normalized()) : Vector3d(Vector3d::Zero());
    const Vector3d by_turn = -z * radial - s * across;
    Eigen::Matrix<double, 1, 6> row;
    row << -radial.dot(e1), -radial.dot(e2), by_turn.dot(e1), by_turn.dot(e2), -1.0, -z;
    return row;
  }
};

/// A first cone by the normals, whose component along the axis is that of all: with s^2 of them, rho^2 = (r + s z)^2 is
/// linear in the origin, in r^2 and in r s.
std::optional<ConeFit> first_cone(const Sample& sample, const std::vector<Vector3d>& points) {
  Vector3d mean = Vector3d::Zero();
  for (const Facet& facet : sample.facets) mean += facet.area / sample.area * facet.normal;
  ConeFit cone{Vector3d::Zero(), axis_of(sample, mean), 0.0, 0.0};
  const double sine = mean.dot(cone.axis), square_of_s = sine * sine / (1.0 - sine * sine);
  const Vector3d e1 = cone.axis.unitOrthogonal(), e2 = cone.axis.cross(e1);
  MatrixXd A(std::ssize(points), 4);
  VectorXd b(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    const Vector3d& x = points[static_cast<std::size_t>(i)];
    const double z = cone.axis.dot(x);
    A.row(i) << 2.0 * e1.dot(x), 2.0 * e2.dot(x), 1.0, z;
    b[i] = x.squaredNorm() - (1.0 + square_of_s) * z * z;
  }
  const VectorXd solution = A.colPivHouseholderQr().solve(b);
  const double square = solution[2] + solution.head<2>().squaredNorm();
  if (!(square > 0.0)) return {};
  cone.origin = solution[0] * e1 + solution[1] * e2;
  cone.r = std::sqrt(square);
  cone.s = 0.5 * solution[3] / cone.r;
  return cone;
}

/// Least squares of the distances of points from a cone by the method of Gauss and Newton.
void improve(ConeFit& cone, const std::vector<Vector3d>& points) {
  constexpr int most = 20;
  constexpr double small = 1e-12;
  MatrixXd J(std::ssize(points), 6);
  VectorXd excess(J.rows());
  for (int iteration = 0; iteration < most; ++iteration) {
    const Vector3d e1 = cone.axis.unitOrthogonal(), e2 = cone.axis.cross(e1);
    for (Index i = 0; i < J.rows(); ++i) {
      J.row(i) = cone.derivative(points[static_cast<std::size_t>(i)], e1, e2);
      excess[i] = cone.excess(points[static_cast<std::size_t>(i)]);
    }
    const VectorXd step = -J.colPivHouseholderQr().solve(excess);
    cone.origin += step[0] * e1 + step[1] * e2;
    cone.axis = (cone.axis + step[2] * e1 + step[3] * e2).normalized();
    cone.r += step[4];
    cone.s += step[5];
    if (!(step.norm() > small)) return;
  }
}

double fit_cone(const Sample& sample, SurfaceShape& shape) {
  constexpr std::size_t least_nodes = 8;  // a cone has six numbers
  if (sample.nodes.size() < least_nodes) return none;
  std::vector<Vector3d> points;
  for (const Vector3d& node : sample.nodes) points.emplace_back((node - sample.centre) / sample.size);
  std::optional<ConeFit> cone = first_cone(sample, points);
  if (!cone) return none;
  improve(*cone, points);
  if (!cone->origin.allFinite() || cone->s == 0.0) return none;
  if (cone->s < 0.0) cone->axis = -cone->axis, cone->s = -cone->s;
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

}  // namespace

SurfaceShape shape_of(const Mesh& mesh, const std::vector<FacePlace>& faces) {
  const Sample sample = sample_of(mesh, faces);
  const SurfaceShape free{.centre = sample.centre, .area = sample.area};
  SurfaceShape shape = free;
  if (fit_plane(sample, shape) <= fit) return shape;
  shape = free;
  const bool is_plane = mesh.dim() == 2;
  if (fit_round(sample, is_plane ? Vector3d::UnitZ() : axis_of(sample, Vector3d::Zero()), shape) <= fit)
    return shape;
  if (is_plane) return free;
  SurfaceShape sphere = free, cone = free;
  const double off_sphere = fit_round(sample, Vector3d::Zero(), sphere), off_cone = fit_cone(sample, cone);
  // One linear element across a chamfer or a zone of a sphere tells nothing of its curvature: chamfers are more frequent.
  constexpr double rounding = 1e-6;
  if (off_cone <= fit && off_cone <= off_sphere + rounding) return cone;
  return off_sphere <= fit ? sphere : free;
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
    case SurfaceShape::Kind::free:
      break;
  }
  return "free";
}

}  // namespace kurbel::fem
