#include "fem/revolved_fits.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/symmetric_eigen.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

Vector3d with_largest_positive(const Vector3d& axis) {
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  return axis[largest] < 0.0 ? Vector3d(-axis) : axis;
}

/// A unit vector from the axis to the point; zero on the axis.
Vector3d direction_of(const Vector3d& across) {
  return across.norm() > 0.0 ? Vector3d(across.normalized()) : Vector3d(Vector3d::Zero());
}

/// A first cone by the normals, whose component along the axis is that of all: with s^2 of them, rho^2 = (r + s z)^2 is
/// linear in the origin, in r^2 and in r s.
std::optional<ConeFit> first_cone(const std::vector<Vector3d>& points, const std::vector<Facet>& facets) {
  Vector3d mean = Vector3d::Zero();
  double area = 0.0;
  for (const Facet& facet : facets) mean += facet.area * facet.normal, area += facet.area;
  mean /= area;
  ConeFit cone{Vector3d::Zero(), axis_of(facets, mean), 0.0, 0.0};
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

/// The line that the lines along all normals meet best, as those of a surface of revolution meet its axis. A normal n at p meets
/// the line through q along d if
///     d . (p x n) + (q x d) . n = 0 .
/// For each d, least squares give q x d; the rest is a quadratic form of d, whose least eigenvalue counts.
std::pair<Vector3d, Vector3d> axis_through_normals(const std::vector<Facet>& facets) {
  Matrix3d of_moments = Matrix3d::Zero(), mixed = Matrix3d::Zero(), of_normals = Matrix3d::Zero();
  for (const Facet& facet : facets) {
    const Vector3d moment = facet.centre.cross(facet.normal);
    of_moments += facet.area * moment * moment.transpose();
    mixed += facet.area * facet.normal * moment.transpose();
    of_normals += facet.area * facet.normal * facet.normal.transpose();
  }
  const Matrix3d eliminated = of_normals.fullPivLu().solve(mixed);
  const Matrix3d form = of_moments - mixed.transpose() * eliminated;
  const Vector3d axis =
      with_largest_positive(symmetric_eigen(0.5 * (form + form.transpose())).vectors.col(0));
  return {axis.cross(-eliminated * axis), axis};
}

/// A first torus around the axis of the normals, by a circle through the points (rho, z), whose equation is linear in its centre.
std::optional<TorusFit> first_torus(const std::vector<Vector3d>& points, const std::vector<Facet>& facets) {
  const auto [origin, axis] = axis_through_normals(facets);
  if (!origin.allFinite() || !axis.allFinite()) return {};
  MatrixXd A(std::ssize(points), 3);
  VectorXd b(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    const Vector3d x = points[static_cast<std::size_t>(i)] - origin;
    const double z = axis.dot(x);
    A.row(i) << 2.0 * (x - z * axis).norm(), 2.0 * z, 1.0;
    b[i] = x.squaredNorm();
  }
  const VectorXd solution = A.colPivHouseholderQr().solve(b);
  const double square = solution[2] + solution.head<2>().squaredNorm();
  if (!(square > 0.0)) return {};
  return TorusFit{origin + solution[1] * axis, axis, solution[0], std::sqrt(square)};
}

/// Least squares of the excess of points by the method of Gauss and Newton.
template <class Fit>
void improve(Fit& fit, const std::vector<Vector3d>& points) {
  constexpr int most = 20;
  constexpr double small = 1e-12;
  MatrixXd J(std::ssize(points), Fit::n_numbers);
  VectorXd excess(J.rows());
  for (int iteration = 0; iteration < most; ++iteration) {
    const Vector3d e1 = fit.axis.unitOrthogonal(), e2 = fit.axis.cross(e1);
    for (Index i = 0; i < J.rows(); ++i) {
      J.row(i) = fit.derivative(points[static_cast<std::size_t>(i)], e1, e2);
      excess[i] = fit.excess(points[static_cast<std::size_t>(i)]);
    }
    const VectorXd step = -J.colPivHouseholderQr().solve(excess);
    fit.change(step, e1, e2);
    if (!(step.norm() > small)) return;
  }
}

/// Half of the angle over which directions of unit length are spread about their mean, rad.
double half_angle_of(const std::vector<Vector3d>& directions) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& direction : directions) sum += direction;
  constexpr double balanced = 1e-9;  // of a full turn, whose mean has no direction
  if (sum.norm() <= balanced * static_cast<double>(directions.size())) return std::numbers::pi;
  double widest = 0.0;
  for (const Vector3d& direction : directions)
    widest = std::max(widest, std::atan2(direction.cross(sum).norm(), direction.dot(sum)));
  return widest;
}

/// True if the points turn around the axis, and around the tube, by an angle that tells the two radii.
bool is_told_by(const TorusFit& torus, const std::vector<Vector3d>& points) {
  constexpr double least = 10.0 * std::numbers::pi / 180.0;
  std::vector<Vector3d> around_axis, around_tube;
  for (const Vector3d& x : points) {
    const double z = torus.axis.dot(x - torus.centre);
    const Vector3d across = x - torus.centre - z * torus.axis;
    around_axis.push_back(direction_of(across));
    around_tube.push_back(direction_of({across.norm() - torus.ring, z, 0.0}));
  }
  return half_angle_of(around_axis) >= least && half_angle_of(around_tube) >= least;
}

}  // namespace

Vector3d axis_of(const std::vector<Facet>& facets, const Vector3d& mean) {
  Matrix3d sum = Matrix3d::Zero();
  for (const Facet& facet : facets)
    sum += facet.area * (facet.normal - mean) * (facet.normal - mean).transpose();
  return with_largest_positive(symmetric_eigen(sum).vectors.col(0));
}

double ConeFit::excess(const Vector3d& x) const {
  const double z = axis.dot(x - origin);
  return (x - origin - z * axis).norm() - r - s * z;
}

Eigen::Matrix<double, 1, ConeFit::n_numbers> ConeFit::derivative(const Vector3d& x, const Vector3d& e1,
                                                                 const Vector3d& e2) const {
  const double z = axis.dot(x - origin);
  const Vector3d across = x - origin - z * axis, radial = direction_of(across);
  const Vector3d by_turn = -z * radial - s * across;
  Eigen::Matrix<double, 1, n_numbers> row;
  row << -radial.dot(e1), -radial.dot(e2), by_turn.dot(e1), by_turn.dot(e2), -1.0, -z;
  return row;
}

void ConeFit::change(const VectorXd& by, const Vector3d& e1, const Vector3d& e2) {
  origin += by[0] * e1 + by[1] * e2;
  axis = (axis + by[2] * e1 + by[3] * e2).normalized();
  r += by[4];
  s += by[5];
}

std::optional<ConeFit> fitted_cone(const std::vector<Vector3d>& points, const std::vector<Facet>& facets) {
  std::optional<ConeFit> cone = first_cone(points, facets);
  if (!cone) return {};
  improve(*cone, points);
  if (!cone->origin.allFinite() || cone->s == 0.0) return {};
  if (cone->s < 0.0) cone->axis = -cone->axis, cone->s = -cone->s;
  return cone;
}

double TorusFit::excess(const Vector3d& x) const {
  const double z = axis.dot(x - centre);
  return std::hypot((x - centre - z * axis).norm() - ring, z) - tube;
}

Eigen::Matrix<double, 1, TorusFit::n_numbers> TorusFit::derivative(const Vector3d& x, const Vector3d& e1,
                                                                   const Vector3d& e2) const {
  const double z = axis.dot(x - centre);
  const Vector3d across = x - centre - z * axis, radial = direction_of(across);
  const double out = across.norm() - ring, distance = std::hypot(out, z);
  Eigen::Matrix<double, 1, n_numbers> row;
  if (distance == 0.0) return row.setZero();  // on the ring, where the distance has no derivative
  const Vector3d away = (out * radial + z * axis) / distance;
  row << -away.transpose(), z * ring / distance * radial.dot(e1), z * ring / distance * radial.dot(e2),
      -out / distance, -1.0;
  return row;
}

void TorusFit::change(const VectorXd& by, const Vector3d& e1, const Vector3d& e2) {
  centre += by.head<3>();
  axis = (axis + by[3] * e1 + by[4] * e2).normalized();
  ring += by[5];
  tube += by[6];
}

std::optional<TorusFit> fitted_torus(const std::vector<Vector3d>& points, const std::vector<Facet>& facets) {
  std::optional<TorusFit> torus = first_torus(points, facets);
  if (!torus) return {};
  improve(*torus, points);
  const bool is_usable = torus->centre.allFinite() && torus->ring > 0.0 && torus->tube > 0.0;
  if (!is_usable || !is_told_by(*torus, points)) return {};
  return torus;
}

}  // namespace kurbel::fem
