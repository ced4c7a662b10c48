/// @file
/// Simple solids that stand for the parts of a mechanism in a picture.
#pragma once

#include "results/unstructured_grid.hpp"

namespace kurbel {

/// A closed tube from a to b, m. Every point of it is on one of the two end sections.
UnstructuredGrid tube(const Vector3d& a, const Vector3d& b, double radius);
UnstructuredGrid sphere(const Vector3d& centre, double radius);
/// About an axis through its centre.
UnstructuredGrid cylinder(const Vector3d& centre, const Vector3d& axis, double radius, double height);
/// Edges along the axes.
UnstructuredGrid box(const Vector3d& centre, const Vector3d& edges);
/// A square pyramid with its tip at a place, on which it stands along `down`, a unit vector.
UnstructuredGrid pyramid(const Vector3d& tip, const Vector3d& down, double height);
/// A coil of wire from a to b: windings of constant number and radius between two straight ends.
UnstructuredGrid coil(const Vector3d& a, const Vector3d& b, double radius);
/// A dashpot from a to b: a cylinder, and the rod that slides in it.
UnstructuredGrid dashpot(const Vector3d& a, const Vector3d& b, double radius);
/// A flat spiral of wire about the z axis at the origin.
UnstructuredGrid spiral(double radius);

}  // namespace kurbel
