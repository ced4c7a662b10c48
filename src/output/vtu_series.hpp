/// @file
/// Snapshots of a moving mesh as a series of .vtu files with a .pvd.
#pragma once

#include <filesystem>
#include <vector>

#include "output/pvd_collection.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {

/// Writes each instant as `<stem>/<stem>_00000.vtu` next to `<stem>.pvd`, in single precision.
class VtuSeries {
 public:
  /// Writes an empty .pvd.
  /// @throws InputError if it cannot be written
  explicit VtuSeries(const std::filesystem::path& pvd);

  /// @param grid  points where they are at this time, m
  /// @throws InputError if the file cannot be written, an array does not fit the grid, or a corner is not a
  /// point
  void add_frame(double time, const UnstructuredGrid& grid, const std::vector<FieldArray>& cell_arrays,
                 const std::vector<FieldArray>& point_arrays = {});

 private:
  std::filesystem::path folder_;
  PvdCollection collection_;
};

}  // namespace kurbel
