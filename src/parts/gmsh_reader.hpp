/// @file
/// Parts by way of Gmsh.
#pragma once

#include <functional>

#include "parts/mesh_file.hpp"

namespace kurbel {

/// @throws InputError with what to install if there is no Gmsh
void require_gmsh();

/// The longest edge of elements at a place, m.
using SizeAt = std::function<double(const Vector3d&)>;

/// Reads, and where it has no elements meshes, what a file holds. One call at a time.
/// @param size_at  sizes below that of the part; none: the same everywhere
/// @throws InputError with what Gmsh says, or if kurbel was built without it
MeshFile read_with_gmsh(const PartFile& part, const SizeAt& size_at = {});

/// Makes a .step of a geometry of Gmsh, a .geo by OpenCASCADE, in mm, and reads it again.
/// @param edge  of the triangles by which the area is found, m
/// @return  the area of its surfaces in planes z = constant, m^2
/// @throws InputError with what Gmsh says, or if kurbel was built without it
double make_step(const std::filesystem::path& geometry, const std::filesystem::path& step, double edge);

}  // namespace kurbel
