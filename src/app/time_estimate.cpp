#include "app/time_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/stage_sequence.hpp"

namespace kurbel {

namespace {

/// Evaluations of a stage, or of a step of its projection, as the problems in inputs/ and tests/user_problems take them.
double usual_evaluations(const StageStep& step, const Problem& problem) {
  constexpr double of_projection_step = 19.0, of_densities = 140.0, of_numbers = 60.0;
  constexpr double of_ipopt = 400.0, of_bfgs = 240.0;
  if (step.count > 1) return of_projection_step;
  if (step.optimizer.method == "ipopt") return of_ipopt;
  if (step.optimizer.method == "bfgs" || step.optimizer.method == "lbfgs") return of_bfgs;
  return problem.design.bodies.empty() ? of_numbers : of_densities;
}

}  // namespace

ExpectedEvaluations expected_evaluations(const Problem& problem) {
  constexpr double per_iteration = 1.3, most_per_iteration = 3.0;
  ExpectedEvaluations expected;
  const std::vector<Stage> stages = problem.stages();
  std::vector<double> usual(stages.size());
  for (const StageStep& step : sequence_of(problem)) usual[step.stage] += usual_evaluations(step, problem);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double limit = stages[i].optimizer.max_iterations;
    expected.usual += 1.0 + std::min(usual[i], per_iteration * limit);
    expected.most += 1.0 + most_per_iteration * limit;
  }
  return expected;
}

std::string in_two_digits(double number) {
  if (number < 10.0) return fmt::format("{:.2g}", number);
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 1.0);
  return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

std::string in_time_units(double seconds) {
  constexpr double minute = 60.0, hour = 3600.0, millisecond = 1e-3;
  if (seconds >= 2.0 * hour) return in_two_digits(seconds / hour) + " h";
  if (seconds >= 2.0 * minute) return in_two_digits(seconds / minute) + " min";
  if (seconds >= 0.1) return in_two_digits(seconds) + " s";
  return seconds < millisecond ? "below 1 ms" : in_two_digits(seconds / millisecond) + " ms";
}

double seconds_of_optimization(const RunTimes& of_all_cases, double n_evaluations) {
  return of_all_cases.start + n_evaluations * of_all_cases.one_evaluation() + of_all_cases.files;
}

}  // namespace kurbel
