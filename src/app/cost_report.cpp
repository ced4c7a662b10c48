#include "app/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/memory_of_runs.hpp"
#include "problem/stage_sequence.hpp"

namespace kurbel {

namespace {

/// Evaluations of an optimization. Most of the problems that come with the program take half to twice the usual number,
/// and none more than three evaluations for each iteration up to its limit.
struct ExpectedEvaluations {
  double usual = 0.0, most = 0.0;
};

/// Evaluations of a stage, or of a step of its projection, as the problems in inputs/ and tests/user_problems take them.
double usual_evaluations(const StageStep& step, const Problem& problem) {
  constexpr double of_projection_step = 19.0, of_densities = 140.0, of_numbers = 60.0;
  constexpr double of_ipopt = 400.0, of_bfgs = 240.0;
  if (step.count > 1) return of_projection_step;
  if (step.optimizer.method == "ipopt") return of_ipopt;
  if (step.optimizer.method == "bfgs" || step.optimizer.method == "lbfgs") return of_bfgs;
  return problem.design.bodies.empty() ? of_numbers : of_densities;
}

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

/// "130"
std::string in_two_digits(double number) {
  if (number < 10.0) return fmt::format("{:.2g}", number);
  const double unit = std::pow(10.0, std::floor(std::log10(number)) - 1.0);
  return fmt::format("{:.0f}", std::round(number / unit) * unit);
}

/// "12 s", "3 min", "2.5 h"
std::string in_time_units(double seconds) {
  constexpr double minute = 60.0, hour = 3600.0, millisecond = 1e-3;
  if (seconds >= 2.0 * hour) return in_two_digits(seconds / hour) + " h";
  if (seconds >= 2.0 * minute) return in_two_digits(seconds / minute) + " min";
  if (seconds >= 0.1) return in_two_digits(seconds) + " s";
  return seconds < millisecond ? "below 1 ms" : in_two_digits(seconds / millisecond) + " ms";
}

/// @param of_all_cases  added over the cases
double seconds_of_optimization(const RunTimes& of_all_cases, double n_evaluations) {
  return of_all_cases.start + n_evaluations * of_all_cases.one_evaluation() + of_all_cases.files;
}

/// "530 MB", "5.3 GB"
std::string in_memory_units(double bytes) {
  constexpr double megabyte = 1e6, gigabyte = 1e9;
  return bytes < gigabyte ? in_two_digits(bytes / megabyte) + " MB" : in_two_digits(bytes / gigabyte) + " GB";
}

void report_memory(const Problem& problem, const MotionTrial& trial, Report& report) {
  const MemoryEstimate memory = memory_of_run(problem, trial.n_state);
  report["estimate"]["least_memory_bytes"] = memory.least;
  report["estimate"]["memory_bytes"] = memory.usual;
  report.say("estimated memory of a run: {}; its meshes, full matrices and motion take at least {}",
             in_memory_units(memory.usual), in_memory_units(memory.least));
}

/// Cases share the meshes.
RunTimes of_all_cases(const std::vector<MotionTrial>& trials) {
  RunTimes all = trials.front().times;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const RunTimes& own = trials[i].times;
    all.evaluation.simulation += own.evaluation.simulation, all.evaluation.adjoint += own.evaluation.adjoint;
    all.evaluation.pullback += own.evaluation.pullback;
    all.files += own.files;
    all.has_gradient = all.has_gradient && own.has_gradient;
  }
  return all;
}

void report_simulation(const RunTimes& times, Report& report) {
  report["simulate_seconds"] = times.simulation();
  report.say("estimated time of `kurbel simulate`: {} (meshes {}, motion {}, files {})",
             in_time_units(times.simulation()), in_time_units(times.evaluation.reduction + times.start),
             in_time_units(times.evaluation.simulation), in_time_units(times.files));
}

}  // namespace

void report_cost(const Problem& problem, const MotionTrial& trial, Report& report) {
  if (problem.integrator.step == 0.0) {
    report.line("no [integrator]: nothing moves");
  } else {
    const int n = problem.integrator.n_steps();
    report.say("{} of {:g} s from {:g} s to {:g} s", Counted{"steps", n, "step"}, problem.integrator.step,
               problem.integrator.t0, problem.integrator.t1);
    report["estimate"]["timed_steps"] = trial.n_steps;
    if (trial.n_steps > 0 && trial.n_steps < n && !trial.status.failed())
      report.say("the following estimates of the motion are based on {} steps", trial.n_steps);
  }
  report_memory(problem, trial, report);
}

void report_times(const Problem& problem, const std::vector<MotionTrial>& trials, double loading,
                  Report& report) {
  const bool is_known = std::ranges::all_of(trials, [](const MotionTrial& trial) {
    return trial.fault.empty() && trial.not_built.empty() && !trial.status.failed() && trial.n_steps > 0;
  });
  if (!is_known) return;
  RunTimes times = of_all_cases(trials);
  times.start += loading;
  Report estimate = report.part("estimate");
  if (trials.front().coarse_elements.empty()) estimate["reduction_seconds"] = times.evaluation.reduction;
  report_simulation(times, estimate);
  if (times.has_gradient) report_optimization(problem, times, estimate);
}

void report_optimization(const Problem& problem, const RunTimes& times, Report& report) {
  const ExpectedEvaluations expected = expected_evaluations(problem);
  const double usual = seconds_of_optimization(times, expected.usual),
               most = seconds_of_optimization(times, expected.most);
  report.add({{"evaluation_seconds", times.one_evaluation()},
              {"evaluations", expected.usual},
              {"optimize_seconds", usual},
              {"most_optimize_seconds", most}});
  report.say(
      "estimated time of `kurbel optimize`: {}, for about {} evaluations of {}. Half or twice as many are "
      "usual, too; the limit of iterations ends the run after {}",
      in_time_units(usual), in_two_digits(expected.usual), in_time_units(times.one_evaluation()),
      in_time_units(most));
}

}  // namespace kurbel
