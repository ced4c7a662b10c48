/// @file
/// Values over time as text, one row per instant (.csv).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "results/table_column.hpp"

namespace kurbel {

struct TimeColumn {
  TableColumn column;
  VectorXd values;  ///< one per time
};

/// Writes column `t [s]`, then the columns given, atomically. Numbers are the shortest that read back to the
/// same bits, so that equal runs give equal files.
/// @throws InputError if a column has not as many values as there are times, or the file cannot be written
void write_time_table_csv(const std::filesystem::path& path, const VectorXd& t,
                          const std::vector<TimeColumn>& columns);

}  // namespace kurbel
