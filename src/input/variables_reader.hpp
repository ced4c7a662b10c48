/// @file
/// Reads variables.csv: values of what an optimizer varies, by name.
#pragma once

#include <filesystem>

#include "results/variable_table.hpp"

namespace kurbel {

/// Reads the values of a file of write_variables() (output/csv_tables.hpp), whose rows may stand in any order and
/// whose bounds and units may be left out. What it says of units is what the problem says.
/// @return (n) in the order of the table
/// @throws InputError with file and line if it has other names than the table, a field is not a number, or a
/// value is outside the table's bounds
VectorXd read_variables(const std::filesystem::path& path, const VariableTable& table);

}  // namespace kurbel
