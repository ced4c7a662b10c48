/// @file
/// Meshes in VTK's formats, XML (.vtu) and legacy (.vtk). VTK names the types of elements and decompresses; the files are read here.
#pragma once

#include "parts/mesh_file.hpp"

namespace kurbel {

/// Nodes and elements are numbered from 0, as ParaView shows them; there are no groups.
/// @param unit  of the coordinates, m
/// @throws InputError, with the file, if it is damaged or no unstructured grid
MeshFile read_vtu_mesh(const std::filesystem::path& path, double unit);

}  // namespace kurbel
