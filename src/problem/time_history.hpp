/// @file
/// Time histories of other runs or programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

class TomlTable;

/// A column of a table over time (.csv), such as the outputs.csv of a run, whose first column has the times.
struct TimeHistory {
  std::vector<double> t;       ///< s, ascending, two or more
  std::vector<double> values;  ///< one for each time
  std::string unit;  ///< of the title of the column, "rad" of "elbow [rad]"; empty if it states none
};

/// The time history that the keys `file` and `column` of a table name.
/// @param directory  at which a relative file name starts
/// @throws InputError if there is no such file or column, or a line has no number or no later time
TimeHistory read_time_history(const TomlTable& table, const std::filesystem::path& directory);

}  // namespace kurbel
