/// @file
/// Meshes as input files of Abaqus and CalculiX.
#pragma once

#include <filesystem>
#include <string>

#include "fem/mesh.hpp"

namespace kurbel {

/// Writes nodes, elements of each kind as one *ELEMENT, and every set of the mesh, as *ELSET if it has elements and as *NSET
/// otherwise. read_abaqus() reads the same coordinates, elements and sets from it. Numbers count from 1.
/// @param title      for the first line
/// @param per_metre  unit of length, 1e3 for mm
/// @throws InputError if the name of a set has a character that ends names in such files, as a comma
/// @throws WriteError
void write_abaqus(const std::filesystem::path& path, const fem::Mesh& mesh, const std::string& title,
                  double per_metre);

}  // namespace kurbel
