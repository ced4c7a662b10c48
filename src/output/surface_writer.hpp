/// @file
/// Surfaces as files of triangles.
#pragma once

#include <filesystem>
#include <string>

#include "results/surface.hpp"

namespace kurbel {

/// The unit of the lengths in a file.
enum class LengthUnit { millimetre, metre };
constexpr double per_metre(LengthUnit unit) {
  return unit == LengthUnit::millimetre ? 1e3 : 1.0;
}

/// Writes a binary .stl, atomically. Its numbers have single precision and no unit.
/// @param per_metre  the unit of the file: 1000 for millimetres
/// @throws WriteError if the file cannot be written
void write_stl(const std::filesystem::path& path, const Surface& surface, double per_metre);

/// @throws InputError, which names what to install, if this build cannot write .3mf
void require_3mf();
/// Writes a .3mf, atomically: one object with its name and unit, in single precision.
/// @throws WriteError if the file cannot be written; InputError as require_3mf()
void write_3mf(const std::filesystem::path& path, const Surface& surface, const std::string& name,
               LengthUnit unit);

}  // namespace kurbel
