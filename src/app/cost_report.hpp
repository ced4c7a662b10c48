/// @file
/// Steps, time and memory of a run, for `kurbel check`.
#pragma once

#include "app/motion_trial.hpp"
#include "app/report.hpp"

namespace kurbel {

/// Reports steps and memory of a motion, that of a case or the only one.
void report_cost(const Problem& problem, const MotionTrial& trial, Report& report);

/// Reports the times that `kurbel simulate` and `kurbel optimize` are going to take.
/// @param trials   one per case, or the only one
/// @param loading  seconds to load the program and to read the input
void report_times(const Problem& problem, const std::vector<MotionTrial>& trials, double loading,
                  Report& report);

/// Reports the time that `kurbel optimize` is going to take.
/// @param times  of one evaluation with its gradients
void report_optimization(const Problem& problem, const RunTimes& times, Report& estimate);

}  // namespace kurbel
