/// @file
/// Surfaces of a body, by which a user picks its bearings: found on the mesh by their normals, and described.
#pragma once

#include <string>
#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// Parts of the surface within which the normals of neighbours, which share an edge (in 2D a node), differ by at most 40
/// degrees; in the order of their first faces.
std::vector<std::vector<FacePlace>> smooth_surfaces(const Mesh& mesh);

/// The normal of a face through its corners, outward from its element, of length one; of an edge in 2D that in the plane.
Vector3d outward_normal(const Mesh& mesh, const ElementFace& face);

/// The shape of a surface, as it fits its nodes: within 1e-3 of its size, a coarse mesh's within what its faces deviate.
struct SurfaceShape {
  enum class Kind {
    plane,
    cylinder,
    sphere,
    free
  };  ///< in 2D lines and circles count as planes and cylinders
  Kind kind = Kind::free;
  Vector3d centre =
      Vector3d::Zero();  ///< of a plane's or free surface's area, of a sphere, amid a cylinder's axis, m
  Vector3d axis = Vector3d::Zero();  ///< outward normal of a plane, axis of a cylinder, zero of others
  double radius = 0.0;               ///< of cylinders and spheres, m
  double area = 0.0;                 ///< m^2; in 2D the length, m
};

/// @param faces  at least one
SurfaceShape shape_of(const Mesh& mesh, const std::vector<FacePlace>& faces);

/// "plane", "cylinder", "sphere", "free"; in 2D "line", "circle", "free".
const char* name_of(SurfaceShape::Kind kind, int dim);

}  // namespace kurbel::fem
