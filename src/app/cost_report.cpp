#include "app/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/memory_of_runs.hpp"

namespace kurbel {

namespace {

/// Evaluations of an optimization up to its limits of iterations. No problem that comes with the program takes more than three
/// for an iteration.
double most_evaluations(const Problem& problem) {
  constexpr double most_per_iteration = 3.0;
  double most = 0.0;
  for (const Stage& stage : problem.stages())
    most += 1.0 + most_per_iteration * stage.optimizer.max_iterations;
  return most;
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
  const double n_designs = problem.projection.robust > 0.0 ? 3.0 : 1.0;
  const double evaluation = n_designs * times.one_evaluation(), once = times.start + times.files;
  const double n_most = most_evaluations(problem), most = once + n_most * evaluation;
  report.add({{"evaluation_seconds", evaluation},
              {"once_seconds", once},
              {"most_evaluations", n_most},
              {"most_optimize_seconds", most}});
  report.say(
      "estimated time of `kurbel optimize`: {} for each evaluation with its gradients, and {} once, for "
      "start and files. The number of evaluations is not known before; at the limits of iterations, with "
      "three evaluations each, the run takes {}",
      in_time_units(evaluation), in_time_units(once), in_time_units(most));
}

}  // namespace kurbel
