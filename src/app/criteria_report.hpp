/// @file
/// Criteria for the log and for the numbers of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "evaluation/criterion_values.hpp"

namespace kurbel {

/// Logs the criteria of [constraints] with their bounds (of instants the worst one) and, beside what is
/// aggregated or looked at at some instants alone, the true peak; warns where the value is within the bounds
/// and the peak is not. Adds them to the numbers: values as `criteria`, by label, peaks as `peaks`, by name,
/// with that of the objective.
/// @param values  psi and the criteria
void report_criteria(const Problem& problem, const std::vector<CriterionValues>& values,
                     nlohmann::json& numbers);

}  // namespace kurbel
