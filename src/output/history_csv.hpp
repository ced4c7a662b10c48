/// @file
/// A table of numbers as text, one row per iteration (.csv).
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "results/table_column.hpp"

namespace kurbel {

/// Column `iteration`, then the columns given. Numbers are the shortest that read back to the same bits, so
/// that equal runs give equal files; keep what differs between runs (times) in a table of its own. Every row
/// is on disk at once.
class HistoryCsv {
 public:
  /// A table without rows; a file of that name is replaced.
  /// @throws WriteError if it cannot be written
  HistoryCsv(std::filesystem::path path, std::vector<TableColumn> columns);

  /// @throws InputError if there are not as many values as columns
  /// @throws WriteError if the row cannot be written
  void add_row(int iteration, const std::vector<double>& values);

 private:
  std::filesystem::path path_;
  std::vector<TableColumn> columns_;
  std::ofstream out_;
};

}  // namespace kurbel
