/// @file
/// variables.csv: what an optimizer varies, by name.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Names, bounds and values of some variables; all of one length.
struct VariableTable {
  std::vector<std::string> names;
  VectorXd value, lower, upper;
};

/// A row name,value,lower,upper per variable; atomically.
void write_variables(const std::filesystem::path& path, const VariableTable& table);

/// A row name,value,... per variable; atomically.
/// @param gradients  columns behind these: name, and d psi / d variable
void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<std::pair<std::string, VectorXd>>& gradients);

/// The values of such a file, whose rows may stand in any order and whose bounds may be left out.
/// @return (n) in the order of the table
/// @throws InputError with file and line if it has other names than the table, a field is not a number, or a
/// value is outside the table's bounds
VectorXd read_variables(const std::filesystem::path& path, const VariableTable& table);

}  // namespace kurbel
