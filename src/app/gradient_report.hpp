/// @file
/// The table of `kurbel gradient --check`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "app/report.hpp"
#include "optimizers/gradient_check.hpp"

namespace kurbel {

/// What was checked, by name.
struct CheckedNames {
  struct Function {
    std::string group;  ///< functions of one group stand next to each other, one line for the worst of them
    std::string name;
  };
  std::vector<Function> functions;
  std::function<std::string(Eigen::Index)> variable;
};

/// Prints the table, keeps all rows with their verdicts in the report, and returns the exit code:
/// 0 if every row agrees, 1 if one differs or cannot be judged.
/// @param rows  of check_gradients(), in its order
int report_gradient_check(const std::vector<GradientCheckRow>& rows, const CheckedNames& names,
                          const CommandLine& args, Report& report);

}  // namespace kurbel
