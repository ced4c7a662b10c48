/// @file
/// Meshes in VTK's formats, XML (.vtu) and legacy (.vtk). Only vtu_mesh_reader.cpp, for the types of elements, and
/// vtk_numbers.cpp, for compressed data, know VTK.
#pragma once

#include "parts/mesh_file.hpp"

namespace kurbel {

/// Nodes and elements are numbered from 0, as ParaView shows them; there are no groups.
/// @param unit  of the coordinates, m
/// @throws InputError, with the file, if it is damaged or no unstructured grid
MeshFile read_vtu_mesh(const std::filesystem::path& path, double unit);

}  // namespace kurbel
