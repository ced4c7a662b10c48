/// @file
/// The report of `kurbel check` on the mesh of a part: sets and surfaces, by which its bearings are picked.
#pragma once

#include <filesystem>

#include "app/report.hpp"
#include "fem/mesh.hpp"

namespace kurbel {

/// Tells the sets of a mesh, and its surfaces with their numbers.
void report_part(const fem::Mesh& mesh, Report report);

/// Writes pictures of the numbered surfaces: NAME.png, and NAME.vtp with the cell arrays `surface` and `kind`.
/// @param name  "surfaces" behind what tells several bodies apart
/// @throws InputError or WriteError if a file cannot be written
void write_surfaces(const fem::Mesh& mesh, const std::filesystem::path& folder, const std::string& name,
                    Report& report);

/// "2310 tri6 and 12 quad8 elements, 4800 nodes"
std::string size_of_mesh(const fem::Mesh& mesh);

/// Reports a part alone, before there is a problem file.
/// @param pictures  the folder of write_surfaces(); empty: none
/// @throws InputError as read_part()
void report_part_file(const std::filesystem::path& path, const std::filesystem::path& pictures,
                      Report& report);

}  // namespace kurbel
