/// @file
/// Parts by way of Gmsh.
#pragma once

#include "parts/mesh_file.hpp"

namespace kurbel {

/// Reads, and where it has no elements meshes, what a file holds. One call at a time.
/// @throws InputError with what Gmsh says, or if kurbel was built without it
MeshFile read_with_gmsh(const PartFile& part);

}  // namespace kurbel
