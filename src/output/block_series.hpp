/// @file
/// Snapshots of named meshes as a series of multi-block files with a .pvd.
#pragma once

#include <filesystem>
#include <vector>

#include "output/pvd_collection.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

/// Writes meshes as `<stem>_0.vtu`, `<stem>_1.vtu`, ... in single precision, and last the .vtm, which names them.
/// @throws as BlockSeries::add_frame
void write_blocks(const std::filesystem::path& vtm, const std::vector<NamedBlock>& blocks);

/// Writes each instant as `<stem>/<stem>_00000.vtm` next to `<stem>.pvd`, which names a file
/// `<stem>_00000_0.vtu` for each block, in single precision. What does not move is written once.
class BlockSeries {
 public:
  /// Writes an empty .pvd.
  /// @throws WriteError if it cannot be written
  explicit BlockSeries(const std::filesystem::path& pvd);

  /// @param blocks  as many each time
  /// @throws WriteError if a file cannot be written; InputError if an array does not fit its grid, or a
  /// corner is not a point
  void add_frame(double time, const std::vector<NamedBlock>& blocks);

 private:
  std::filesystem::path folder_;
  PvdCollection collection_;
};

}  // namespace kurbel
