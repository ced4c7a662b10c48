/// [constraints.criteria]: what of a criterion is bounded, row by row and instant by instant.
#include <algorithm>
#include <array>

#include "problem/criteria_reader.hpp"
#include "problem/criterion_units.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

/// The number that a key has, or that for one of n rows.
std::optional<double> read_row(const TomlTable& table, const std::string& key, std::size_t row,
                               std::size_t n) {
  if (!table.has(key)) return {};
  return n > 0 && table.is_list(key) ? table.numbers(key, n, n)[row] : table.number(key);
}

bool has_bounds_by_row(const TomlTable& table) {
  return std::ranges::any_of(std::array{"lower", "upper", "equals"},
                             [&](const char* key) { return table.is_list(key); });
}

/// A constraint on each row of the vector that its only term observes.
std::vector<CriterionConstraint> by_rows(const CriterionConstraint& constraint) {
  const CriterionTerm& term = constraint.terms.front();
  const std::vector<int> axes = axes_of(term);
  if (axes.empty() || term.component) return {constraint};
  std::vector<CriterionConstraint> rows;
  for (const int axis : axes) {
    rows.push_back(constraint);
    rows.back().terms.front().component = axis;
    if (axes.size() > 1) rows.back().row = axis_name(axis);
  }
  return rows;
}

/// Reads the bounds of one of n rows, or with n = 0 of a criterion without any.
void read_bounds(const TomlTable& table, std::size_t row, std::size_t n, CriterionConstraint& constraint) {
  constraint.lower = read_row(table, "lower", row, n);
  constraint.upper = read_row(table, "upper", row, n);
  constraint.equals = read_row(table, "equals", row, n);
  if (!constraint.lower && !constraint.upper && !constraint.equals) {
    for (const char* bound : {"lower", "upper", "equals"}) table.refuse_misspelling(bound);
    table.fail("", "has no bound; give lower, upper or both, or equals");
  }
  constraint.scale = read_row(table, "scale", row, n).value_or(constraint.scale);
  if (constraint.lower && constraint.upper && *constraint.lower >= *constraint.upper)
    table.refuse("upper", "must be larger than lower");
}

/// Adaptive where there is an aggregate that is bounded.
void read_scaling(const TomlTable& table, CriterionConstraint& constraint) {
  const bool has_aggregate = std::any_of(constraint.terms.begin(), constraint.terms.end(), is_aggregate);
  constraint.adaptive = has_aggregate && !constraint.equals;
  if (!table.has("scaling")) return;
  const bool adaptive = table.choice<bool>("scaling", {{"adaptive", true}, {"none", false}});
  if (adaptive && !has_aggregate)
    table.refuse("scaling",
                 "needs a maximum: time or amplitude = \"p-norm\" or \"ks\", aggregate = \"ks\", or type = "
                 "\"von-mises\"");
  if (adaptive && constraint.equals) table.refuse("scaling", "needs lower or upper, not equals");
  constraint.adaptive = adaptive;
}

/// For which cases a constraint holds: each one, the sum of all, or some by name.
void read_cases_of(const TomlTable& table, CriterionConstraint& constraint) {
  if (!table.has("cases")) return;
  if (table.is_list("cases")) {
    constraint.case_names = table.texts("cases");
  } else {
    constraint.sum_over_cases = table.choice<bool>("cases", {{"each", false}, {"sum", true}});
  }
}

/// One constraint for each of its instants.
std::vector<CriterionConstraint> by_instants(const TomlTable& table, const CriterionConstraint& constraint,
                                             const IntegratorOptions& integrator) {
  if (table.has("scaling"))
    table.refuse("scaling", "does not go with time = \"instants\", which bounds values as they are");
  std::vector<CriterionConstraint> all;
  for (const int step : constraint.terms.front().steps) {
    all.push_back(constraint);
    all.back().terms.front().steps = {step};
    all.back().instant = integrator.t0 + step * integrator.step;
  }
  return all;
}

/// Refuses bounds on what is never negative: it needs no lower bound, and meets no bound below zero.
void refuse_meaningless_bounds(const TomlTable& table, const CriterionConstraint& constraint) {
  const CriterionTerm& term = constraint.terms.front();
  if (!is_never_negative(term)) return;
  const auto refuse = [&](const char* key, const std::optional<double>& bound) {
    if (!bound || *bound >= 0.0) return;
    if (term.of_response) table.refuse(key, "is below zero, where an amplitude never is");
    table.refuse(key, "is below zero, where {} never is. {}",
                 term.time == TimeFunctional::p_norm ? "a p-norm" : "a magnitude or a half square",
                 term.time == TimeFunctional::p_norm
                     ? "Take time = \"ks\" with a negative exponent, the smooth minimum."
                     : "Name a component, which has a sign.");
  };
  refuse("lower", constraint.lower), refuse("upper", constraint.upper), refuse("equals", constraint.equals);
}

}  // namespace

std::vector<CriterionConstraint> CriteriaReader::constraint(const TomlTable& table) const {
  CriterionConstraint constraint{.name = read_name(table)};
  const bool is_sum = table.has("terms");
  if (is_sum) {
    constraint.terms = weighted(table.one_or_more("terms"));
    if (constraint.terms.empty()) table.refuse("terms", "is empty; give at least one term");
  } else {
    constraint.terms = {unweighted(table)};
  }
  read_cases_of(table, constraint);
  std::vector<CriterionConstraint> rows = {constraint};
  const TomlTable bounds = table.in_unit(unit_of(problem_, constraint.terms));
  const bool has_rows = !is_sum && has_bounds_by_row(bounds);
  if (has_rows) rows = by_rows(constraint);
  std::vector<CriterionConstraint> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    read_bounds(bounds, i, has_rows ? rows.size() : 0, rows[i]);
    if (!is_sum) refuse_meaningless_bounds(table, rows[i]);
    if (!is_sum && constraint.terms.front().time == TimeFunctional::instants) {
      const auto instants = by_instants(table, rows[i], problem_.integrator);
      all.insert(all.end(), instants.begin(), instants.end());
    } else {
      read_scaling(table, rows[i]);
      all.push_back(rows[i]);
    }
  }
  return all;
}

}  // namespace kurbel
