#include "app/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/time_estimate.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

void report_memory(const Problem& problem, const MotionTrial& trial, Report& report) {
  double bytes = least_memory_of_dense_systems(problem);
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::flexible) bytes += least_memory(body.flexible.mesh);
  }
  if (problem.integrator.step > 0.0)
    bytes += sizeof(double) * static_cast<double>(trial.n_state) * (problem.integrator.n_steps() + 1.0);
  report["estimate"]["least_memory_bytes"] = bytes;
  report.say("estimated memory of meshes, full matrices and motion: at least {:.3g} MB", bytes / 1e6);
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

void report_optimization(const Problem& problem, const RunTimes& times, Report& report) {
  const ExpectedEvaluations expected = expected_evaluations(problem);
  const double usual = seconds_of_optimization(times, expected.usual),
               most = seconds_of_optimization(times, expected.most);
  report.add({{"evaluation_seconds", times.one_evaluation()},
              {"evaluations", expected.usual},
              {"optimize_seconds", usual},
              {"most_optimize_seconds", most}});
  report.say(
      "estimated time of `kurbel optimize`: {}, for some {} evaluations of {}; half or twice as many are "
      "usual, too, and its limit of iterations ends it after {}",
      in_time_units(usual), in_two_digits(expected.usual), in_time_units(times.one_evaluation()),
      in_time_units(most));
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
      report.say("all that follows of the motion is that of {} steps", trial.n_steps);
  }
  report_memory(problem, trial, report);
}

void report_times(const Problem& problem, const std::vector<MotionTrial>& trials, Report& report) {
  const bool is_known = std::ranges::all_of(trials, [](const MotionTrial& trial) {
    return trial.fault.empty() && trial.not_built.empty() && !trial.status.failed() && trial.n_steps > 0;
  });
  if (!is_known) return;
  const RunTimes times = of_all_cases(trials);
  Report estimate = report.part("estimate");
  if (trials.front().coarse_elements.empty()) estimate["reduction_seconds"] = times.evaluation.reduction;
  report_simulation(times, estimate);
  if (times.has_gradient) report_optimization(problem, times, estimate);
}

}  // namespace kurbel
