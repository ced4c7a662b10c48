#include "formulation/criterion_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace kurbel {

CriterionValues joined_over_cases(const OverCases& over, const VectorXd& weights,
                                  const std::vector<CriterionValues>& of_cases) {
  VectorXd psi(weights.size()), low = psi, high = psi;
  for (Eigen::Index c = 0; c < weights.size(); ++c) {
    const CriterionValues& own = of_cases[static_cast<std::size_t>(c)];
    psi[c] = own.value, low[c] = own.low, high[c] = own.high;
  }
  CriterionValues joined{over.value(weights, psi)};
  if (over.functional == OverCases::Functional::sum) {
    joined.low = weights.dot(low), joined.high = weights.dot(high);
  } else {
    const bool by_size = over.functional == OverCases::Functional::p_norm;
    joined.low = joined.high = by_size ? high.cwiseAbs().maxCoeff() : high.maxCoeff();
  }
  return joined;
}

VectorXd to_diagnostics(const std::vector<CriterionValues>& values) {
  VectorXd diagnostics(3 * static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    diagnostics.segment<3>(3 * static_cast<Eigen::Index>(i)) << values[i].value, values[i].low,
        values[i].high;
  return diagnostics;
}

std::vector<CriterionValues> values_of_diagnostics(const VectorXd& diagnostics) {
  std::vector<CriterionValues> values;
  for (Eigen::Index i = 0; i + 2 < diagnostics.size(); i += 3)
    values.push_back({diagnostics[i], diagnostics[i + 1], diagnostics[i + 2]});
  return values;
}

double excess(const CriterionConstraint& function, double value) {
  if (function.equals) return std::abs(value - *function.equals);
  double beyond = -std::numeric_limits<double>::infinity();
  if (function.upper) beyond = std::max(beyond, value - *function.upper);
  if (function.lower) beyond = std::max(beyond, *function.lower - value);
  return beyond;
}

double peak(const CriterionConstraint& constraint, const CriterionValues& values) {
  return excess(constraint, values.low) > excess(constraint, values.high) ? values.low : values.high;
}

std::string name_in_tables(const std::string& name) {
  constexpr std::array<std::string_view, 12> results = {
      "iteration", "evaluations", "objective",      "psi",       "modes",         "volume_fraction",
      "mass",      "grey_level",  "constraint_max", "violation", "design_change", "kkt_residual"};
  return std::ranges::find(results, name) == results.end() ? name : "criteria." + name;
}

std::vector<PeakColumn> peak_columns(const Problem& problem) {
  const auto has_aggregate = [](const std::vector<CriterionTerm>& terms) {
    return std::any_of(terms.begin(), terms.end(), is_aggregate);
  };
  std::vector<PeakColumn> columns;
  if (has_aggregate(problem.objective)) columns.push_back({"objective", 0});
  const std::vector<CriterionConstraint>& criteria = problem.constraints.criteria;
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    const std::string name = criteria[i].time_history_name();
    const bool repeats = criteria[i].instant && i > 0 && criteria[i - 1].time_history_name() == name;
    if (!repeats && (criteria[i].instant || has_aggregate(criteria[i].terms)))
      columns.push_back({name_in_tables(name), i + 1});
  }
  return columns;
}

double peak_of(const Problem& problem, const PeakColumn& column, const std::vector<CriterionValues>& values) {
  const CriterionValues& of_function = values[column.function];
  if (column.function == 0) return of_function.high;
  return peak(problem.constraints.criteria[column.function - 1], of_function);
}

}  // namespace kurbel
