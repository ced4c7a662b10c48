/// @file
/// A surface of triangles (.stl), before it is filled.
#pragma once

#include "fem/mesh.hpp"

namespace kurbel {

struct TriangleSurface {
  fem::Mesh::Points points = fem::Mesh::Points(3, 0);  ///< m
  Eigen::MatrixXi corners = Eigen::MatrixXi(3, 0);     ///< of triangles: indices of points
};

/// Gmsh searches some surfaces that enclose nothing without end, and tells of others what helps nobody.
/// @throws InputError with a place if the surface has an edge, branches, or passes through itself
void require_fillable(const TriangleSurface& surface);

/// m^3, whichever way the triangles are turned, all alike.
double volume_within(const TriangleSurface& surface);

}  // namespace kurbel
