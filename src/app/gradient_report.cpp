#include "app/gradient_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "output/console.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

/// Largest relative error with which a row passes.
double tolerance_of(const GradientCheckRow& row, const CommandLine& args) {
  constexpr double usual = 1e-6, safety = 10.0;
  return args.tolerance ? *args.tolerance : std::max(usual, safety * row.uncertainty);
}

/// Prints the table; false if a row fails.
bool report_check(const std::vector<GradientCheckRow>& rows, const CommandLine& args, nlohmann::json& table) {
  Console& console = Console::standard();
  console.print(fmt::format("{:<16} {:>20} {:>20} {:>12} {:>12}  {}", "", "adjoint", "differences",
                            "rel. error", "uncertainty", "verdict"));
  bool all_passed = true;
  for (const GradientCheckRow& row : rows) {
    const bool passed = row.relative_error <= tolerance_of(row, args);
    all_passed = all_passed && passed;
    console.print(fmt::format("{:<16} {:>20.12e} {:>20.12e} {:>12.2e} {:>12.2e}  {}", row.label, row.adjoint,
                              row.difference, row.relative_error, row.uncertainty,
                              passed ? "agrees" : "DIFFERS"));
    table.push_back({{"label", row.label},
                     {"adjoint", row.adjoint},
                     {"difference", row.difference},
                     {"relative_error", row.relative_error},
                     {"uncertainty", row.uncertainty},
                     {"passed", passed}});
  }
  return all_passed;
}

}  // namespace

void name_variables(std::vector<GradientCheckRow>& rows,
                    const std::function<std::string(Eigen::Index)>& name_of_variable) {
  for (GradientCheckRow& row : rows) {
    Eigen::Index variable = 0;
    if (std::sscanf(row.label.c_str(), "element %ld", &variable) == 1) row.label = name_of_variable(variable);
  }
}

int report_gradient_check(const std::vector<GradientCheckRow>& rows, const CommandLine& args,
                          nlohmann::json& numbers) {
  numbers["check"] = nlohmann::json::array();
  const bool passed = report_check(rows, args, numbers["check"]);
  numbers["worst_relative_error"] = worst_relative_error(rows);
  log_info(fmt::format("largest relative error {:.2e}: {}", worst_relative_error(rows),
                       passed ? "the gradient agrees with the differences"
                              : "the gradient DIFFERS by more than the tolerance"));
  return passed ? 0 : 1;
}

}  // namespace kurbel
