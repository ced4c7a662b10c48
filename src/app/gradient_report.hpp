/// @file
/// The table of `kurbel gradient --check`.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "app/command_line.hpp"
#include "optimizers/gradient_check.hpp"

namespace kurbel {

/// Puts names in place of "element 17".
void name_variables(std::vector<GradientCheckRow>& rows,
                    const std::function<std::string(Eigen::Index)>& name_of_variable);

/// Prints the table, adds it to the numbers of the run, and returns the exit code: 1 if a row fails.
int report_gradient_check(const std::vector<GradientCheckRow>& rows, const CommandLine& args,
                          nlohmann::json& numbers);

}  // namespace kurbel
