/// @file
/// Fields on meshes as .vtu files, and on surfaces as .vtp files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/unstructured_grid.hpp"

namespace kurbel {

struct VtuOptions {
  bool animation = false;  ///< single precision and LZ4: a third of the time, for series of many large files
  std::optional<int> iteration{};     ///< of an optimization: field data `iteration`
  std::vector<std::string> bodies{};  ///< names to which the cell array `body` points: field data `bodies`
};

/// Writes a .vtu (binary, compressed), with a seal (base/sealed_file.hpp), atomically; makes its folder.
/// Units become VTK's information key UNITS_LABEL of their arrays.
/// @throws WriteError if the file cannot be written
/// @throws InputError if an array does not fit the grid, or a corner is not a point
void write_vtu(const std::filesystem::path& path, const UnstructuredGrid& grid,
               const std::vector<FieldArray>& cell_arrays, const std::vector<FieldArray>& point_arrays = {},
               const VtuOptions& options = {});

/// Writes faces and lines as a .vtp, in the same way: flat triangles and pieces of lines, each with the values of the cell that it
/// is of. Edges of quadratic faces are divided into four.
/// @throws as write_vtu()
void write_vtp(const std::filesystem::path& path, const UnstructuredGrid& grid,
               const std::vector<FieldArray>& cell_arrays);

}  // namespace kurbel
