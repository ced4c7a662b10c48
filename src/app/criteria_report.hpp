/// @file
/// Criteria for the log and for the numbers of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Logs the criteria of [constraints] with their bounds and, beside what is aggregated or looked at at some
/// instants alone, the true peak; warns where the value is within the bounds and the peak is not. Adds them
/// to the numbers: values as `criteria`, by label, peaks as `peaks`, by name, with that of the objective.
/// Of a constraint with several values the worst one. What does not count in a stage is NaN and left out.
/// @param values  psi and all functions of the problem
void report_criteria(const EvaluationChain& chain, const std::vector<CriterionValues>& values,
                     nlohmann::json& numbers);

}  // namespace kurbel
