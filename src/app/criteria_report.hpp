/// @file
/// Criteria for the log and for the numbers of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Bounds of a constraint, as a table shows them.
struct CriterionBounds {
  std::optional<double> lower{}, upper{}, equals{};

  bool any() const { return lower || upper || equals; }
  std::string text() const;                             ///< "<= 0.5"
  std::string in_words(const std::string& unit) const;  ///< "at most 0.5 kg"
};

/// The objective or a constraint at a design, as tables show it; of a constraint at several instants the worst.
struct CriterionRow {
  std::string name, unit;
  double value = 0.0;
  CriterionBounds bounds{};
  std::optional<double> peak{};
  bool is_met =
      true;  ///< by the true peak where it is adaptive, by the value otherwise, as optimizers have it
  bool value_is_within = true, peak_is_within = true;
  bool is_adaptive = false;  ///< its bounds are those of the true peak
  std::string warning{};     ///< of a value that hides its peak; empty: none

  const char* verdict() const;
  /// "way: it is 7e-05 m, but has to be at most 6e-05 m"
  std::string violation(double of_value) const;
};

/// Objective, constraints, and volume and mass of what is designed. What does not count in a stage is NaN and left
/// out.
/// @param values  psi and all functions of the problem
std::vector<CriterionRow> criterion_rows(const EvaluationChain& chain, const DesignSpace& space,
                                         const Design& design, const std::vector<CriterionValues>& values);
/// Value, bound, true peak, unit and verdict of each.
ReportTable table_of(const std::vector<CriterionRow>& rows);

/// Reports a table of objective and constraints: value, bound, true peak of what is aggregated or looked at at
/// some instants alone, unit, and whether the bound is met to within the feasibility of the optimizer: by the
/// peak with adaptive scaling, by the value otherwise. Warns where the value meets it and the peak does not. Of a
/// constraint at several instants the worst one. Criteria that do not count in a stage are NaN and omitted. Adds the
/// rows to the numbers as `constraints`, values as `criteria`, by label, peaks as `peaks`, by name, with that of
/// the objective.
/// @param values  psi and all functions of the problem
void report_criteria(const EvaluationChain& chain, const DesignSpace& space, const Design& design,
                     const std::vector<CriterionValues>& values, Report& report);

}  // namespace kurbel
