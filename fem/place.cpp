#include "fem/place.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace kurbel::fem {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// How far a value is outside of bounds; inside the distance to the nearer one, negative.
double outside(double value, double lower, double upper) {
  return std::max(lower - value, value - upper);
}

/// Combines distances along directions that are perpendicular to each other.
double combined(std::initializer_list<double> distances) {
  double squares = 0.0, largest = -infinity;
  for (const double d : distances) {
    if (d > 0.0) squares += d * d;
    largest = std::max(largest, d);
  }
  return squares > 0.0 ? std::sqrt(squares) : largest;
}

double distance(const Box& box, const Vector3d& x) {
  const auto along = [&](std::size_t d) {
    return outside(x[static_cast<Eigen::Index>(d)], box.lower[d].value_or(-infinity),
                   box.upper[d].value_or(infinity));
  };
  return combined({along(0), along(1), along(2)});
}

double distance(const Cylinder& cylinder, const Vector3d& x) {
  const Vector3d axis = cylinder.axis.normalized(), r = x - cylinder.point;
  const double along = axis.dot(r), radius = (r - along * axis).norm();
  const double inner = cylinder.inner > 0.0 ? cylinder.inner : -infinity;
  return combined({outside(radius, inner, cylinder.outer), outside(along, cylinder.lower, cylinder.upper)});
}

double distance(const Sphere& sphere, const Vector3d& x) {
  const double inner = sphere.inner > 0.0 ? sphere.inner : -infinity;
  return outside((x - sphere.centre).norm(), inner, sphere.outer);
}

double distance(const HalfSpace& half, const Vector3d& x) {
  return -half.normal.normalized().dot(x - half.point);
}

double distance(const Polygon& polygon, const Vector3d& x) {
  const Eigen::Vector2d p(x[(polygon.axis + 1) % 3], x[(polygon.axis + 2) % 3]);
  bool is_inside = false;
  double nearest = infinity;
  for (std::size_t i = 0, n = polygon.corners.size(); i < n; ++i) {
    const Eigen::Vector2d &a = polygon.corners[i], &b = polygon.corners[(i + 1) % n], edge = b - a;
    const double at = std::clamp((p - a).dot(edge) / edge.squaredNorm(), 0.0, 1.0);
    nearest = std::min(nearest, (p - a - at * edge).norm());
    if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / edge[1] * edge[0])
      is_inside = !is_inside;
  }
  return is_inside ? -nearest : nearest;
}

double distance(const SetName&, const Vector3d&) {
  return infinity;
}
double distance(const SurfaceNumber&, const Vector3d&) {
  return infinity;
}

double distance(const AllOf& all, const Vector3d& x) {
  double largest = -infinity;
  for (const Place& place : all.places) largest = std::max(largest, distance_to(place, x));
  return largest;
}

double distance(const AnyOf& any, const Vector3d& x) {
  double smallest = infinity;
  for (const Place& place : any.places) smallest = std::min(smallest, distance_to(place, x));
  return smallest;
}

double distance(const Not& none, const Vector3d& x) {
  return -distance_to(none.place.front(), x);
}

}  // namespace

bool is_everywhere(const Place& place) {
  const Box* box = std::get_if<Box>(&place.shape);
  const auto is_bounded = [](const std::optional<double>& bound) { return bound.has_value(); };
  return box && std::ranges::none_of(box->lower, is_bounded) && std::ranges::none_of(box->upper, is_bounded);
}

double distance_to(const Place& place, const Vector3d& x) {
  return std::visit([&](const auto& shape) { return distance(shape, x); }, place.shape);
}

}  // namespace kurbel::fem
