/// @file
/// Meshes in the input files of Abaqus and CalculiX (.inp): nodes, elements and sets.
#pragma once

#include "parts/mesh_file.hpp"

namespace kurbel {

/// Reads *NODE, *ELEMENT, *NSET and *ELSET (GENERATE too); skips what other keywords say. Shells and trusses count as the
/// faces and edges that they mesh.
/// @param unit  of length, m
/// @throws InputError, with file and line, if it cannot be read, has an element type that kurbel does not have, numbers that
/// are none, nodes or elements that do not exist, or several instances of parts
MeshFile read_abaqus(const std::filesystem::path& path, double unit);

}  // namespace kurbel
