#include "app/criteria_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "output/log.hpp"

namespace kurbel {

namespace {

std::string bounds_of(const CriterionConstraint& bounded) {
  std::string bounds;
  if (bounded.lower) bounds += fmt::format(", at least {:g}", *bounded.lower);
  if (bounded.upper) bounds += fmt::format(", at most {:g}", *bounded.upper);
  if (bounded.equals) bounds += fmt::format(", to equal {:g}", *bounded.equals);
  return bounds;
}

/// The functions first to end of one course: the value of the only one, or the worst.
void report_constraint(const std::vector<CriterionConstraint>& functions, std::size_t first, std::size_t end,
                       const std::vector<CriterionValues>& values, nlohmann::json& numbers) {
  const std::string name = functions[first].course_name();
  if (std::isnan(values[first + 1].value)) return;
  std::size_t worst = first;
  for (std::size_t i = first; i < end; ++i) {
    const double value = values[i + 1].value;
    if (excess(functions[i], value) > excess(functions[worst], values[worst + 1].value)) worst = i;
  }
  const bool several = functions[first].instant.has_value();
  log_info(fmt::format("{}{} = {:.12g}{}", name, several ? " at the worst of its instants" : "",
                       values[worst + 1].value, bounds_of(functions[worst])));
  for (std::size_t i = first; i < end; ++i) numbers["criteria"][functions[i].label()] = values[i + 1].value;
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
  for (std::size_t i = first;
       i < criteria.size() && criteria[i].course_name() == criteria[first].course_name(); ++i) {
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

void report_criteria(const EvaluationChain& chain, const std::vector<CriterionValues>& values,
                     nlohmann::json& numbers) {
  const std::vector<CriterionConstraint>& functions = chain.model().functions();
  for (std::size_t first = 0, end = 0; first < functions.size(); first = end) {
    while (end < functions.size() && functions[end].course_name() == functions[first].course_name()) ++end;
    report_constraint(functions, first, end, values, numbers);
  }
  for (const PeakColumn& column : peak_columns(chain.problem())) {
    if (std::isnan(values[column.function].value)) continue;
    report_peak(chain.problem(), column, values);
    numbers["peaks"][column.name] = peak_of(chain.problem(), column, values);
  }
}

}  // namespace kurbel
