/// @file
/// The shapes of surfaces, by which a user picks bearings: planes, cylinders, spheres, cones and tori, as they fit a mesh.
#pragma once

#include <array>
#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// The shape of a surface, as it fits its nodes: within 1e-3 of its size. Other ones are free.
struct SurfaceShape {
  /// In 2D lines and circles count as planes and cylinders.
  enum class Kind { plane, cylinder, sphere, cone, torus, free };
  Kind kind = Kind::free;
  /// The centre of the area of a plane or free surface, of a sphere or torus, or of the axis of a cylinder or cone, m
  Vector3d centre = Vector3d::Zero();
  /// Outward normal of a plane, axis of a cylinder or torus, axis of a cone from its apex to its opening; zero of others
  Vector3d axis = Vector3d::Zero();
  double radius = 0.0;       ///< of cylinders, spheres and the tubes of tori, m
  double area = 0.0;         ///< m^2; in 2D the length, m
  double ring_radius = 0.0;  ///< of the circle in the middle of a torus's tube, m
  // Only cones have:
  Vector3d apex = Vector3d::Zero();          ///< m
  double half_angle = 0.0;                   ///< between axis and surface, rad
  std::array<double, 2> radii = {0.0, 0.0};  ///< at the narrow and at the wide end, m
};

/// @param faces  at least one
SurfaceShape shape_of(const Mesh& mesh, const std::vector<FacePlace>& faces);

/// "plane", "cylinder", "sphere", "cone", "torus", "free"; in 2D "line", "circle", "free".
const char* name_of(SurfaceShape::Kind kind, int dim);

}  // namespace kurbel::fem
