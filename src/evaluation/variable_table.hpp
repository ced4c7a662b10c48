/// @file
/// variables.csv: what an optimizer varies, by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "output/csv_column.hpp"

namespace kurbel {

/// Names, bounds, values and units of some variables; all of one length.
struct VariableTable {
  std::vector<std::string> names;
  VectorXd value, lower, upper;
  std::vector<std::string> units;  ///< "" of plain numbers
};

/// A row name,value,lower,upper,unit per variable; atomically.
void write_variables(const std::filesystem::path& path, const VariableTable& table);

/// d psi / d variable of a function psi, whose unit stands over its column; each row divides it by that of its
/// variable.
struct GradientColumn {
  CsvColumn column;
  VectorXd values;
};

/// A row name,value,unit,... per variable; atomically.
/// @param gradients  columns behind these
void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<GradientColumn>& gradients);

/// The values of such a file, whose rows may stand in any order and whose bounds and units may be left out. What
/// it says of units is what the problem says.
/// @return (n) in the order of the table
/// @throws InputError with file and line if it has other names than the table, a field is not a number, or a
/// value is outside the table's bounds
VectorXd read_variables(const std::filesystem::path& path, const VariableTable& table);

}  // namespace kurbel
