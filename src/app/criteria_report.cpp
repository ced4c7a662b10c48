#include "app/criteria_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "evaluation/constraint_rows.hpp"
#include "output/log.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

/// By more than an optimizer lets pass.
bool violates(const Problem& problem, const CriterionConstraint& constraint, double value) {
  const auto size = [&](const std::optional<double>& bound) {
    return bound ? scale_of(constraint, *bound) : 0.0;
  };
  const double scale = std::max({size(constraint.lower), size(constraint.upper), size(constraint.equals)});
  return excess(constraint, value) > problem.optimizer.feasibility * scale;
}

std::string value_text(double value, const std::string& unit) {
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

const char* name_of_peak(const CriterionConstraint& constraint) {
  return constraint.instant ? "farthest value at the steps between them" : "true peak";
}

std::string warning_of_peak(const CriterionConstraint& constraint, const CriterionRow& row) {
  if (!row.value_is_within || row.peak_is_within || row.is_adaptive) return "";
  return fmt::format(
      "{} is within its bounds {}, but its {} is {}, and has to be {}. {}", row.name,
      constraint.instant ? "at its instants" : fmt::format("as an aggregate ({:.6g})", row.value),
      name_of_peak(constraint), value_text(*row.peak, row.unit), row.bounds.in_words(row.unit),
      constraint.instant ? "Take more instants."
                         : "Take scaling = \"adaptive\", which bounds the true peak.");
}

std::map<std::string, double> peaks_of(const Problem& problem, const std::vector<CriterionValues>& values) {
  std::map<std::string, double> peaks;
  for (const PeakColumn& column : peak_columns(problem)) {
    if (!std::isnan(values[column.function].value)) peaks[column.name] = peak_of(problem, column, values);
  }
  return peaks;
}

class RowsOfDesign {
 public:
  RowsOfDesign(const Problem& problem, const std::vector<CriterionValues>& values)
      : problem_(problem), values_(values), peaks_(peaks_of(problem, values)) {}

  void add_objective() {
    if (problem_.objective.empty()) return;
    CriterionRow row{"objective", unit_of(problem_, problem_.objective), values_[0].value};
    row.peak = peak("objective");
    rows_.push_back(std::move(row));
  }

  void add_design(const std::string& name, const char* unit, double value,
                  const std::optional<double>& bound) {
    const double limit = bound.value_or(value);
    const bool is_met = value - limit <= problem_.optimizer.feasibility * limit;
    CriterionRow row{name, unit, value, {.upper = bound}};
    row.is_met = row.value_is_within = is_met;
    rows_.push_back(std::move(row));
  }

  void add_criteria() {
    const std::vector<CriterionConstraint>& functions = problem_.constraints.criteria;
    for (std::size_t first = 0, end = 0; first < functions.size(); first = end) {
      while (end < functions.size() &&
             functions[end].time_history_name() == functions[first].time_history_name())
        ++end;
      if (std::isnan(values_[first + 1].value)) continue;
      add_time_history(first, end);
    }
  }

  std::vector<CriterionRow> take() { return std::move(rows_); }

 private:
  std::optional<double> peak(const std::string& name) const {
    const auto found = peaks_.find(name);
    return found == peaks_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The functions first to end: the value of the only one, or the worst.
  void add_time_history(std::size_t first, std::size_t end) {
    const std::vector<CriterionConstraint>& functions = problem_.constraints.criteria;
    std::size_t worst = first;
    for (std::size_t i = first; i < end; ++i) {
      if (excess(functions[i], values_[i + 1].value) > excess(functions[worst], values_[worst + 1].value))
        worst = i;
    }
    const CriterionConstraint& constraint = functions[worst];
    const std::string name = name_in_tables(constraint.time_history_name());
    CriterionRow row{name, unit_of(problem_, constraint.terms), values_[worst + 1].value};
    row.bounds = {constraint.lower, constraint.upper, constraint.equals};
    row.peak = peak(name);
    row.peak_is_within = constraint.equals || !row.peak || !violates(problem_, constraint, *row.peak);
    row.value_is_within = !violates(problem_, constraint, row.value);
    row.is_adaptive = constraint.adaptive && row.peak;
    row.is_met = row.is_adaptive ? row.peak_is_within : row.value_is_within;
    row.warning = warning_of_peak(constraint, row);
    rows_.push_back(std::move(row));
  }

  const Problem& problem_;
  const std::vector<CriterionValues>& values_;
  std::map<std::string, double> peaks_;
  std::vector<CriterionRow> rows_;
};

}  // namespace

std::string CriterionBounds::text() const {
  if (equals) return fmt::format("= {:g}", *equals);
  if (lower && upper) return fmt::format("{:g} to {:g}", *lower, *upper);
  if (lower) return fmt::format(">= {:g}", *lower);
  return upper ? fmt::format("<= {:g}", *upper) : "";
}

std::string CriterionBounds::in_words(const std::string& unit) const {
  if (equals) return "exactly " + value_text(*equals, unit);
  if (lower && upper) return fmt::format("between {:g} and {}", *lower, value_text(*upper, unit));
  if (lower) return "at least " + value_text(*lower, unit);
  return upper ? "at most " + value_text(*upper, unit) : "";
}

std::string CriterionRow::violation(double of_value) const {
  return fmt::format("{}: it is {}, but has to be {}", name, value_text(of_value, unit),
                     bounds.in_words(unit));
}

const char* CriterionRow::verdict() const {
  if (!bounds.any()) return "";
  if (!is_met) return value_is_within ? "violated by its peak" : "violated";
  if (!value_is_within) return "met by its peak";
  return peak_is_within ? "met" : "met, but not by its peak";
}

std::vector<CriterionRow> criterion_rows(const EvaluationChain& chain, const DesignSpace& space,
                                         const Design& design, const std::vector<CriterionValues>& values) {
  const ConstraintOptions& constraints = chain.problem().constraints;
  RowsOfDesign rows(chain.problem(), values);
  rows.add_objective();
  rows.add_criteria();
  if (!space.bodies().empty()) {
    rows.add_design("volume_fraction", "", space.volume_fraction(design), constraints.volume_fraction);
    rows.add_design("mass", "kg", space.mass(design), constraints.mass);
    for (const std::size_t body : space.bodies_with_bounded_members())
      rows.add_design(name_of_member_bound(chain.problem().bodies[body]), "",
                      space.excess_of_members(design, body), fem::LargestMembers::most_excess);
    for (const auto& [body, name, bound] : distortion_bounds(chain.problem()))
      rows.add_design(name, "", space.distortion(design, body), bound);
  }
  return rows.take();
}

ReportTable table_of(const std::vector<CriterionRow>& rows) {
  ReportTable table{{{"", "{}", "name", "", 0, true},
                     {"value", "{:.8g}", "value", "", 14},
                     {"bound", "{}", "", "", 0, true},
                     {"true peak", "{:.8g}", "peak", "", 14},
                     {"unit", "{}", "unit", "", 0, true},
                     {"", "{}", "", "", 0, true},
                     {.key = "lower"},
                     {.key = "upper"},
                     {.key = "equals"},
                     {.key = "met"}},
                    {}};
  const auto if_any = [](const auto& number) { return number ? nlohmann::json(*number) : nlohmann::json(); };
  for (const CriterionRow& row : rows) {
    table.rows.push_back({row.name, row.value, row.bounds.text(), if_any(row.peak), row.unit, row.verdict(),
                          if_any(row.bounds.lower), if_any(row.bounds.upper), if_any(row.bounds.equals),
                          row.bounds.any() ? nlohmann::json(row.is_met) : nlohmann::json()});
  }
  return table;
}

void report_criteria(const EvaluationChain& chain, const DesignSpace& space, const Design& design,
                     const std::vector<CriterionValues>& values, Report& report) {
  const Problem& problem = chain.problem();
  const std::vector<CriterionRow> rows = criterion_rows(chain, space, design, values);
  for (const CriterionRow& row : rows) {
    if (!row.warning.empty()) log_warning(row.warning);
  }
  const ReportTable table = table_of(rows);
  if (!rows.empty()) report.show(table);
  report["constraints"] = table.numbers();
  const std::vector<CriterionConstraint>& functions = problem.constraints.criteria;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (!std::isnan(values[i + 1].value)) report["criteria"][functions[i].label()] = values[i + 1].value;
  }
  if (const auto peaks = peaks_of(problem, values); !peaks.empty()) report["peaks"] = peaks;
}

}  // namespace kurbel
