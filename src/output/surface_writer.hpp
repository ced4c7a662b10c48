/// @file
/// Surfaces as files of triangles.
#pragma once

#include <filesystem>

#include "results/surface.hpp"

namespace kurbel {

/// Writes a binary .stl, atomically. Its numbers have single precision and no unit.
/// @param per_metre  the unit of the file: 1000 for millimetres
/// @throws WriteError if the file cannot be written
void write_stl(const std::filesystem::path& path, const Surface& surface, double per_metre);

}  // namespace kurbel
