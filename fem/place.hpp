/// @file
/// Places in a body by shape or name. Regions, clamps, markers and elements of variables are stated with them.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace kurbel::fem {

struct Place;

/// A box with optional bounds per axis, m.
struct Box {
  std::array<std::optional<double>, 3> lower, upper;
};

/// Points at a distance from a line within bounds, m; in 2D the line is along z, and this is a circle or a ring.
struct Cylinder {
  Vector3d point = Vector3d::Zero();  ///< on the axis
  Vector3d axis = Vector3d::UnitZ();  ///< of any length
  double inner = 0.0, outer = 0.0;    ///< radii
  /// Bounds along the axis, from `point`.
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// Points at a distance from a centre within bounds, m.
struct Sphere {
  Vector3d centre = Vector3d::Zero();
  double inner = 0.0, outer = 0.0;
};

/// Points x with (x - point) . normal >= 0.
struct HalfSpace {
  Vector3d point = Vector3d::Zero();
  Vector3d normal = Vector3d::UnitX();  ///< of any length
};

/// Points within a closed polygon, seen along an axis; of any depth.
struct Polygon {
  std::vector<Eigen::Vector2d> corners;  ///< m: (x, y), (y, z) or (z, x) across the axis
  int axis = 2;
};

/// A set that the mesh has under a name.
struct SetName {
  std::string name;
};

/// A surface of the mesh, counted from 1 (surfaces.hpp).
struct SurfaceNumber {
  int number = 1;
};

/// The intersection, the union, and what is outside.
struct AllOf {
  std::vector<Place> places;
};
struct AnyOf {
  std::vector<Place> places;
};
struct Not {
  std::vector<Place> place;  ///< one
};

struct Place {
  using Shape =
      std::variant<Box, Cylinder, Sphere, HalfSpace, Polygon, SetName, SurfaceNumber, AllOf, AnyOf, Not>;

  Place() = default;  ///< everywhere
  template <class S>
  requires std::is_constructible_v<Shape, S> &&(!std::is_same_v<std::remove_cvref_t<S>, Place>)Place(S&& one)
      : shape(std::forward<S>(one)) {}

  Shape shape;
};

/// True if the place is a box without bounds, which has every point.
bool is_everywhere(const Place& place);

/// Distance of a point outside of a shape, m; negative inside. It is exact outside of single shapes; of intersections it is
/// the largest and of unions the smallest distance. Names hold no point: infinite.
double distance_to(const Place& place, const Vector3d& x);

}  // namespace kurbel::fem
