#include "app/run_times.hpp"

#include <algorithm>

#include "app/histories.hpp"
#include "app/results.hpp"
#include "app/scratch_folder.hpp"
#include "base/timer.hpp"
#include "evaluation/design_space.hpp"

namespace kurbel {

namespace {

constexpr double long_enough = 2.0;  // s

void scale_instants(std::vector<CriterionTerm>& terms, double factor) {
  for (CriterionTerm& term : terms) {
    for (int& step : term.steps) step = static_cast<int>(factor * step);
  }
}

/// Differences take two simulations per number, and are not made here.
Status time_gradients(const Problem& problem, EvaluationChain& chain, ChainResult& result, RunTimes& times) {
  const bool varies = !problem.design.bodies.empty() || !problem.design.variables.empty();
  if (!varies || problem.objective.empty()) return {};
  times.has_gradient = true;
  if (problem.sensitivity.method == SensitivityOptions::Method::finite_differences) {
    result.times.adjoint = 2.0 * static_cast<double>(result.design.system.size()) * result.times.simulation;
    return {};
  }
  std::vector<Design> bars;
  return chain.gradients(result, bars);
}

double seconds_of_drawing(Problem& problem, EvaluationChain& chain, const ChainResult& result, int frames,
                          const std::filesystem::path& folder) {
  problem.output.motion_frames = frames;
  const Timer timer;
  write_motion(folder / "motion.pvd", chain, result);
  return timer.seconds();
}

/// A few frames, times their number.
double seconds_of_frames(Problem& problem, EvaluationChain& chain, const ChainResult& result,
                         const std::filesystem::path& folder) {
  constexpr int few = 2, more = 8;
  const int all = std::min(problem.output.motion_frames, static_cast<int>(result.trajectory.n_stored));
  if (!problem.output.motion || all < few) return 0.0;
  const double of_few = seconds_of_drawing(problem, chain, result, few, folder);
  if (all <= more) return of_few * all / few;
  const double of_more = seconds_of_drawing(problem, chain, result, more, folder);
  return of_few + std::max(0.0, of_more - of_few) * (all - few) / (more - few);
}

Status time_files(Problem& problem, EvaluationChain& chain, ChainResult& result, RunTimes& times) {
  const ScratchFolder folder;
  if (folder.path().empty()) return {};
  const int frames = problem.output.motion_frames;
  const Timer timer;
  MotionTables tables;
  if (Status s = find_tables(result, tables); s.failed()) return s;
  write_histories(RunDirectory(folder.path(), {"simulate"}), chain, result, tables);
  times.files = timer.seconds() / times.share;
  times.files += seconds_of_frames(problem, chain, result, folder.path());
  problem.output.motion_frames = frames;
  return {};
}

}  // namespace

Problem with_steps(Problem problem, int n_steps) {
  IntegratorOptions& steps = problem.integrator;
  const double factor = static_cast<double>(n_steps) / steps.n_steps();
  steps.t1 = steps.t0 + n_steps * steps.step;
  scale_instants(problem.objective, factor);
  for (Stage& stage : problem.first_stages) scale_instants(stage.objective, factor);
  for (CriterionConstraint& constraint : problem.constraints.criteria)
    scale_instants(constraint.terms, factor);
  for (Output& output : problem.outputs) {
    for (int& step : output.observable.steps) step = static_cast<int>(factor * step);
  }
  return problem;
}

Status time_run(Problem& problem, EvaluationChain& chain, ChainResult& result, RunTimes& times) {
  if (Status s = chain.simulate(result); s.failed()) return s;
  if (result.times.simulation < long_enough) {
    // A second time, for what the first one made once; the first one counts for itself if it was long.
    if (Status s = chain.simulate(result); s.failed()) return s;
  }
  if (Status s = time_gradients(problem, chain, result, times); s.failed()) return s;
  times.evaluation = result.times;
  times.evaluation.simulation /= times.share, times.evaluation.adjoint /= times.share;
  return time_files(problem, chain, result, times);
}

}  // namespace kurbel
