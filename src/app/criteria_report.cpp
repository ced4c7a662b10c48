#include "app/criteria_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "output/log.hpp"

namespace kurbel {

namespace {

std::string bounds_of(const CriterionConstraint& constraint) {
  std::string bounds;
  if (constraint.lower) bounds += fmt::format(", at least {:g}", *constraint.lower);
  if (constraint.upper) bounds += fmt::format(", at most {:g}", *constraint.upper);
  if (constraint.equals) bounds += fmt::format(", to equal {:g}", *constraint.equals);
  return bounds;
}

/// By more than an optimizer lets pass.
bool violates(const Problem& problem, const CriterionConstraint& constraint, double value) {
  double size = constraint.scale;
  for (const std::optional<double>& bound : {constraint.lower, constraint.upper}) {
    if (constraint.scale == 0.0 && bound) size = std::max(size, std::abs(*bound));
  }
  return excess(constraint, value) > problem.optimizer.feasibility * (size > 0.0 ? size : 1.0);
}

/// The value at all instants of a criterion, or its only one, that is farthest beyond the bounds.
double worst_value(const Problem& problem, std::size_t first, const std::vector<CriterionValues>& values) {
  const std::vector<CriterionConstraint>& criteria = problem.constraints.criteria;
  double worst = values[first + 1].value;
  for (std::size_t i = first; i < criteria.size() && criteria[i].name == criteria[first].name; ++i) {
    const double value = values[i + 1].value;
    if (excess(criteria[i], value) > excess(criteria[i], worst)) worst = value;
  }
  return worst;
}

void report_peak(const Problem& problem, const PeakColumn& column,
                 const std::vector<CriterionValues>& values) {
  const double peak = peak_of(problem, column, values);
  if (column.function == 0) return log_info(fmt::format("psi has the true peak {:.12g}", peak));
  const std::size_t first = column.function - 1;
  const CriterionConstraint& constraint = problem.constraints.criteria[first];
  const char* what = constraint.instant ? "farthest value at any step" : "true peak";
  log_info(fmt::format("{} has the {} {:.12g}{}", column.name, what, peak, bounds_of(constraint)));
  const double seen = worst_value(problem, first, values);
  if (constraint.equals || violates(problem, constraint, seen) || !violates(problem, constraint, peak))
    return;
  log_warning(
      fmt::format("{} is within its bounds {}, but its {} is {:.6g}{}; {}", column.name,
                  constraint.instant ? "at its instants" : fmt::format("as an aggregate ({:.6g})", seen),
                  what, peak, bounds_of(constraint),
                  constraint.instant    ? "take more instants"
                  : constraint.adaptive ? "optimize finds designs that meet them"
                                        : "scaling = \"adaptive\" bounds the true peak"));
}

}  // namespace

void report_criteria(const Problem& problem, const std::vector<CriterionValues>& values,
                     nlohmann::json& numbers) {
  const std::vector<CriterionConstraint>& criteria = problem.constraints.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const bool repeats = criteria[i].instant && i > 0 && criteria[i - 1].name == criteria[i].name;
    const char* where = criteria[i].instant ? " at the worst of its instants" : "";
    if (!repeats) {
      log_info(fmt::format("{}{} = {:.12g}{}", criteria[i].name, where, worst_value(problem, i, values),
                           bounds_of(criteria[i])));
    }
    numbers["criteria"][criteria[i].label()] = values[i + 1].value;
  }
  for (const PeakColumn& column : peak_columns(problem)) {
    report_peak(problem, column, values);
    numbers["peaks"][column.name] = peak_of(problem, column, values);
  }
}

}  // namespace kurbel
