/// @file
/// Reads the part that a user brings: a geometry, which is meshed, or a mesh.
#pragma once

#include "parts/mesh_file.hpp"

namespace kurbel {

/// True if a file has the ending of a part.
bool is_part(const std::filesystem::path& path);

/// Reads .msh, .geo, .step, .brep or .stl through Gmsh, and .inp, .vtk and .vtu.
/// @param thickness  of a 2D mesh, m
/// @throws InputError if the file cannot be read or meshed, as make_mesh(), or if kurbel was built without Gmsh
std::shared_ptr<const fem::Mesh> read_part(const PartFile& part, double thickness);

}  // namespace kurbel
