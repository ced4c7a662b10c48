#include "study/static_loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/timer.hpp"
#include "optimizers/stopping.hpp"

namespace kurbel {

namespace {

constexpr double small_change = 0.01;    // of the loads
constexpr double least_progress = 1e-3;  // of the objective, relative, in cycle_length loops
constexpr int cycle_length = 3;          // outer loops
constexpr int most_retreats = 5;         // from a design that cannot be simulated
constexpr int no_limit = 1000000;        // of outer loops, whose iterations are limited with the static ones

/// Options of the sequence of outer loops: the objective cycles where it falls no more.
OptimizerOptions of_outer_loops(OptimizerOptions options) {
  options.max_iterations = no_limit;
  options.progress = std::max(options.progress, least_progress);
  options.progress_iterations = cycle_length;
  options.patience = 1;
  return options;
}

double change_of(const LoadsOfBodies& now, const LoadsOfBodies& before) {
  double largest = 0.0;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i]) largest = std::max(largest, change_of_loads(*now[i], *before[i]));
  return largest;
}

}  // namespace

/// Takes the motion that the last evaluation has left, or, where a record has answered that, simulates it.
Status StaticLoads::find_loads(const VectorXd& x) {
  const Design design = space_.at(program_.full(x));
  const ChainResult& last = program_.last();
  if (last.motion && std::ranges::equal(last.design.bodies, design.bodies, fem::is_same))
    return find_equivalent_loads(chain_, last, loads_);
  ChainResult at;
  if (Status s = chain_.reduce(design, at); s.failed()) return s;
  if (Status s = chain_.simulate(at); s.failed()) return s;
  return find_equivalent_loads(chain_, at, loads_);
}

OptimizerResult StaticLoads::optimize_statically(const OptimizerOptions& options, const VectorXd& x,
                                                 Counts& counts) {
  StaticLoadsNlp nlp(recorded_, chain_, space_, program_, loads_);
  OptimizerResult found = make_optimizer(options)->minimize(nlp, x, {});
  counts.iterations += found.iterations, counts.evaluations += found.evaluations;
  return found;
}

/// Evaluates what a static optimization ends with in the motion, or, where that fails, designs on the way back.
/// @return false if the run has ended
bool StaticLoads::take(const OptimizerResult& found, OptimizationRun& run) {
  if (found.reason == StopReason::interrupted) return run.stop(found.reason, found.ending), false;
  if (found.evaluation.gradient.size() == 0) return run.stop_by_failure(found.status), false;
  VectorXd next = found.x;
  const Evaluation* evaluation = run.evaluate(next);
  for (int k = 0; evaluation == nullptr && k < most_retreats && !run.stopped(); ++k) {
    next = 0.5 * (next + run.accepted());
    evaluation = run.evaluate(next);
  }
  if (evaluation == nullptr) return run.stop_by_failure(), false;
  return run.accept(next, *evaluation);
}

OptimizerResult StaticLoads::minimize(const OptimizerOptions& options, const VectorXd& start,
                                      const IterationCallback& callback,
                                      const std::function<void(const std::string&)>& tell) {
  const Timer timer;
  Counts of_statics;
  int n_loops = 0;
  OptimizerResult last;
  const IterationCallback of_loop = [&](IterationReport report) {
    n_loops = report.iteration;
    report.iteration += of_statics.iterations, report.evaluations += of_statics.evaluations;
    last.x = *report.x, last.evaluation = *report.evaluation, last.kkt_residual = report.kkt_residual;
    return !callback || callback(report);
  };
  const OptimizerOptions outer = of_outer_loops(options);
  OptimizationRun run(outer, recorded_, start, of_loop, 2);
  run.begin();
  for (LoadsOfBodies before; !run.stopped(); before = loads_) {
    if (loads_.empty() || !finds_once()) {
      if (const Status s = find_loads(run.accepted()); s.failed()) {
        run.stop_by_failure(s);
        break;
      }
    }
    const double change = before.empty() ? 1.0 : change_of(loads_, before);
    if (change < small_change) {
      run.stop(StopReason::solver,
               finds_once() ? "the static optimum under the loads of the first design is reached"
                            : fmt::format("the equivalent static loads change by {:.2g} %", 100.0 * change));
      break;
    }
    OptimizerOptions inner = options;
    inner.max_iterations -= n_loops + 1 + of_statics.iterations;
    if (inner.max_iterations <= 0) {
      run.stop(StopReason::iterations, iterations_are_reached(options));
      break;
    }
    if (inner.wall_time > 0.0) inner.wall_time = std::max(1e-3, inner.wall_time - timer.seconds());
    inner.near_optimum = inner.near_optimum || n_loops > 0;
    const Counts counts = of_statics;
    const int loops_before = n_loops;
    const OptimizerResult found = optimize_statically(inner, run.accepted(), of_statics);
    const bool goes_on = take(found, run);
    if (n_loops > loops_before)
      tell(fmt::format(
          "static loads, loop {}: psi of the motion is {:.6g}, under the loads of the design before "
          "{:.6g}, after {} static iterations",
          n_loops, last.evaluation.objective, found.evaluation.objective,
          of_statics.iterations - counts.iterations));
    if (!goes_on) break;
  }
  OptimizerResult result = run.result();
  if (finds_once() && last.evaluation.gradient.size() > 0) {
    result.x = last.x, result.evaluation = last.evaluation, result.kkt_residual = last.kkt_residual;
    result.feasible = run.is_feasible(last.evaluation);
  }
  result.iterations += of_statics.iterations, result.evaluations += of_statics.evaluations;
  return result;
}

}  // namespace kurbel
