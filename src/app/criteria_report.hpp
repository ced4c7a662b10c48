/// @file
/// Criteria for the log and for the numbers of a run.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {

/// Logs a table of objective and constraints: value, bound, true peak of what is aggregated or looked at at
/// some instants alone, unit, and whether the bound is met to within the feasibility of the optimizer, by the
/// value or, with adaptive scaling, by the peak; warns where the value meets it and the peak does not. Of a
/// constraint at several instants the worst one. What does not count in a stage is NaN and left out. Adds the
/// rows to the numbers as `constraints`, values as `criteria`, by label, peaks as `peaks`, by name, with that of
/// the objective.
/// @param values  psi and all functions of the problem
void report_criteria(const EvaluationChain& chain, const DesignSpace& space, const Design& design,
                     const std::vector<CriterionValues>& values, nlohmann::json& numbers);

}  // namespace kurbel
