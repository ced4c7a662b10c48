/// @file
/// variables.csv and gradient.csv: what an optimizer varies, and gradients by it, as text.
#pragma once

#include <filesystem>
#include <vector>

#include "results/variable_table.hpp"

namespace kurbel {

/// Writes a row name,value,lower,upper,unit per variable; atomically.
/// @throws WriteError if the file cannot be written
void write_variables(const std::filesystem::path& path, const VariableTable& table);

/// Writes a row name,value,unit,... per variable; atomically.
/// @param gradients  columns behind these
/// @throws WriteError if the file cannot be written
void write_gradient_table(const std::filesystem::path& path, const VariableTable& table,
                          const std::vector<GradientColumn>& gradients);

}  // namespace kurbel
