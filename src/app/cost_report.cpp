#include "app/cost_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/time_estimate.hpp"
#include "output/console.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

using Json = nlohmann::json;

void say(const std::string& line) {
  Console::standard().print(line);
}

void report_memory(const Problem& problem, const MotionTrial& trial, Json& numbers) {
  double bytes = least_memory_of_dense_systems(problem);
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::flexible) bytes += least_memory(body.flexible.mesh);
  }
  if (problem.integrator.step > 0.0)
    bytes += sizeof(double) * static_cast<double>(trial.n_state) * (problem.integrator.n_steps() + 1.0);
  numbers["estimate"]["least_memory_bytes"] = bytes;
  say(fmt::format("estimated memory of meshes, full matrices and motion: at least {:.3g} MB", bytes / 1e6));
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

void report_simulation(const RunTimes& times, Json& numbers) {
  numbers["simulate_seconds"] = times.simulation();
  say(fmt::format("estimated time of `kurbel simulate`: {} (meshes {}, motion {}, files {})",
                  in_time_units(times.simulation()), in_time_units(times.evaluation.reduction + times.start),
                  in_time_units(times.evaluation.simulation), in_time_units(times.files)));
}

void report_optimization(const Problem& problem, const RunTimes& times, Json& numbers) {
  const ExpectedEvaluations expected = expected_evaluations(problem);
  const double usual = seconds_of_optimization(times, expected.usual),
               most = seconds_of_optimization(times, expected.most);
  numbers["evaluation_seconds"] = times.one_evaluation();
  numbers["evaluations"] = expected.usual;
  numbers["optimize_seconds"] = usual;
  numbers["most_optimize_seconds"] = most;
  say(fmt::format(
      "estimated time of `kurbel optimize`: {}, for some {} evaluations of {}; half or twice as many are "
      "usual, too, and its limit of iterations ends it after {}",
      in_time_units(usual), in_two_digits(expected.usual), in_time_units(times.one_evaluation()),
      in_time_units(most)));
}

}  // namespace

void report_cost(const Problem& problem, const MotionTrial& trial, Json& numbers) {
  if (problem.integrator.step == 0.0) {
    say("no [integrator]: nothing moves");
  } else {
    const int n = problem.integrator.n_steps();
    numbers["steps"] = n;
    say(fmt::format("{} step{} of {:g} s from {:g} s to {:g} s", n, n == 1 ? "" : "s",
                    problem.integrator.step, problem.integrator.t0, problem.integrator.t1));
    numbers["estimate"]["timed_steps"] = trial.n_steps;
    if (trial.n_steps > 0 && trial.n_steps < n && !trial.status.failed())
      say(fmt::format("all that follows of the motion is that of {} steps", trial.n_steps));
  }
  report_memory(problem, trial, numbers);
}

void report_times(const Problem& problem, const std::vector<MotionTrial>& trials, Json& numbers) {
  const bool is_known = std::ranges::all_of(trials, [](const MotionTrial& trial) {
    return trial.fault.empty() && trial.not_built.empty() && !trial.status.failed() && trial.n_steps > 0;
  });
  if (!is_known) return;
  const RunTimes times = of_all_cases(trials);
  Json& estimate = numbers["estimate"];
  if (trials.front().coarse_elements.empty()) estimate["reduction_seconds"] = times.evaluation.reduction;
  report_simulation(times, estimate);
  if (times.has_gradient) report_optimization(problem, times, estimate);
}

}  // namespace kurbel
