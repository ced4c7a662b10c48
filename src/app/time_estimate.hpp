/// @file
/// Time that `kurbel simulate` and `kurbel optimize` are going to take, from parts that were timed.
#pragma once

#include "app/run_times.hpp"

namespace kurbel {

/// Evaluations of an optimization. Most of the problems that come with the program take half to twice the usual number,
/// and none more than three evaluations for each iteration up to its limit.
struct ExpectedEvaluations {
  double usual = 0.0, most = 0.0;
};
ExpectedEvaluations expected_evaluations(const Problem& problem);

/// "130"
std::string in_two_digits(double number);

/// "12 s", "3 min", "2.5 h"
std::string in_time_units(double seconds);

/// @param of_all_cases  added over the cases
double seconds_of_optimization(const RunTimes& of_all_cases, double n_evaluations);

}  // namespace kurbel
