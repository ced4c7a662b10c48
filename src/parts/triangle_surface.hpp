/// @file
/// A surface of triangles (.stl), before it is filled.
#pragma once

#include "fem/mesh.hpp"

namespace kurbel {

struct TriangleSurface {
  fem::Mesh::Points points = fem::Mesh::Points(3, 0);  ///< m
  Eigen::MatrixXi corners = Eigen::MatrixXi(3, 0);     ///< of triangles: indices of points
};

/// Refuses surfaces that enclose nothing: Gmsh searches some of them without end, and its messages about others do not help.
/// @throws InputError with a place if the surface is open, branches, or passes through itself
void require_fillable(const TriangleSurface& surface);

/// Returns the volume, m^3. All triangles are turned outwards, or all inwards.
double volume_within(const TriangleSurface& surface);

}  // namespace kurbel
