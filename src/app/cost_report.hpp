/// @file
/// Steps, time and memory of a run, for `kurbel check`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/motion_trial.hpp"

namespace kurbel {

/// Prints steps and memory of a motion, that of a case or the only one, and adds them to the numbers.
void report_cost(const Problem& problem, const MotionTrial& trial, nlohmann::json& numbers);

/// Prints the times that `kurbel simulate` and `kurbel optimize` are going to take.
/// @param trials  one per case, or the only one
void report_times(const Problem& problem, const std::vector<MotionTrial>& trials, nlohmann::json& numbers);

}  // namespace kurbel
