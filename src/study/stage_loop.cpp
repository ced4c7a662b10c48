#include "study/stage_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/best_design.hpp"
#include "optimizers/stopping.hpp"
#include "study/cut_trial.hpp"
#include "study/islands.hpp"

namespace kurbel {
namespace {

constexpr int between_trials = 40;  // of cuts, in iterations

bool goes_on(StopReason reason) {
  return reason == StopReason::design_change || reason == StopReason::kkt_residual ||
         reason == StopReason::progress || reason == StopReason::iterations || reason == StopReason::solver;
}

/// True if densities vary that are projected.
bool is_projected(const Stage& stage, const StageStep& step) {
  return step.steepness > 0.0 && stage.vary != Vary::controls;
}

/// True if not even the first design could be evaluated.
bool cannot_begin(const OptimizerResult& result) {
  return result.reason == StopReason::failure && result.evaluation.gradient.size() == 0;
}

}  // namespace

void StageLoop::Counts::add(const OptimizerResult& result) {
  iterations += result.iterations, evaluations += result.evaluations;
}

std::string StageLoop::Counts::text() const {
  return fmt::format("{} iterations and {} evaluations", iterations, evaluations);
}

OptimizerResult StageLoop::run() {
  const std::vector<Stage> stages = chain_.problem().stages();
  x_ = space_.start();
  std::optional<std::size_t> exhausted;  // the stage whose continuation has ended
  for (const StageStep& step : sequence_of(chain_.problem())) {
    if (exhausted == step.stage) continue;
    const Stage& stage = stages[step.stage];
    if (step.is_first()) begin(stage, step, stages.size());
    tries_cuts_ = step.is_last() && is_projected(stage, step) && can_bound_grey_level(stage);
    const bool is_reached = run_step(stage, step);
    if (!begun_) break;
    if (is_reached && step.is_last()) finish_last_step(stage, step);
    if (of_stage_.iterations >= stage.optimizer.max_iterations) {
      exhausted = step.stage;
      if (!step.is_last()) {
        events_.warning(fmt::format(
            "the limit {} ends the continuation at beta = {:g}, before {:g}. Raise this limit.",
            stage.optimizer.name_of_iterations, step.steepness, chain_.problem().projection.beta_max));
      }
    }
    if (!is_reached) exhausted = step.stage;
    const bool goes_further = goes_on(result_.reason);
    if (step.is_last() || exhausted == step.stage || !goes_further) {
      if (step.count > 1) events_.info(fmt::format("{} in all steps of the projection", of_stage_.text()));
      report(stage, result_, is_reached && step.is_last());
    }
    if (!goes_further) break;
  }
  if (stages.size() > 1 && results_.size() == stages.size())
    events_.info(fmt::format("{} in all stages", all_.text()));
  if (begun_) {
    result_.x = x_;
    if (result_.evaluation.gradient.size() == nlp_.n_variables())
      result_.evaluation = nlp_.expanded(result_.evaluation);
  }
  result_.iterations = all_.iterations, result_.evaluations = all_.evaluations;
  return result_;
}

/// The name of a stage, which precedes its messages where there are several stages.
std::string StageLoop::prefix(const Stage& stage) const {
  if (chain_.problem().first_stages.empty()) return "";
  return stage.name.empty() ? "the problem itself: " : fmt::format("stage {}: ", stage.name);
}

void StageLoop::begin(const Stage& stage, const StageStep& step, std::size_t count) {
  if (count > 1) {
    events_.info(fmt::format("{}{} of {}, at most {} iterations", prefix(stage), step.stage + 1, count,
                             stage.optimizer.max_iterations));
  }
  nlp_.begin(step.stage, x_);
  grey_bound_.reset();
  between_ = step.optimizer;
  of_stage_ = {};
  start_.reset();
  // The start of a later stage is an iteration of its own: its objective and constraints are others.
  first_row_ = last_iteration_ + 1;
}

void StageLoop::set_steepness(double beta) {
  steepness_ = beta;
  if (beta > 0.0) space_.set_beta(beta);
  events_.steepness_changed(beta);
}

/// Minimizes with the beta of the step. If its first design cannot be simulated, a step with the geometric mean of this
/// beta and the last one is taken before.
/// @return false if the beta is not reached; x_ and result_ are then those of the last beta that is
bool StageLoop::run_step(const Stage& stage, const StageStep& step) {
  constexpr int most_attempts = 5;
  std::vector<double> wanted = {step.steepness};
  double reached = steepness_;
  for (int attempt = 1; !wanted.empty(); ++attempt) {
    StageStep next = step;
    next.steepness = wanted.back();
    if (wanted.size() > 1) next.optimizer = between_;
    OptimizerResult result = minimize(stage, next);
    all_.add(result), of_stage_.add(result);
    if (!cannot_begin(result) || step.is_first()) {
      result_ = std::move(result);
      if (!begun_) return true;
      x_ = nlp_.full(result_.x);
      reached = next.steepness;
      if (!goes_on(result_.reason)) return true;
      wanted.pop_back();
    } else if (attempt < most_attempts) {
      wanted.push_back(std::sqrt(reached * next.steepness));
    } else {
      set_steepness(reached);
      result_.reason = StopReason::solver;
      result_.message = result_.ending =
          fmt::format("its design cannot be simulated with beta above {:.4g} ({})", reached, result.message);
      events_.warning(
          fmt::format("{}the continuation ends at beta = {:.4g}, before {:g}: {}. Raise filter.radius, or "
                      "lower projection.beta_max.",
                      prefix(stage), reached, chain_.problem().projection.beta_max, result_.ending));
      return false;
    }
  }
  return true;
}

/// Returns true for methods that may begin anew at any design and that take one more constraint.
bool StageLoop::can_bound_grey_level(const Stage& stage) const {
  return !remembers_values(stage.optimizer.method) &&
         !why_unsuitable(stage.optimizer.method, nlp_.n_constraints() + 1, nlp_.n_equalities());
}

/// Makes the cut of a design what the design promises, and goes on with the last step until it ends by itself. Where it
/// stalls beside a bound on the grey level it is given two more rounds.
void StageLoop::finish_last_step(const Stage& stage, const StageStep& step) {
  constexpr int most_rounds_after_stalling = 2;
  if (!is_projected(stage, step)) return;
  StageStep again = step;
  again.optimizer.near_optimum = true;
  for (int n_stalled = 0;;) {
    remove_islands(stage, again);
    make_cut_hold(stage, again);
    if (!goes_on(result_.reason)) return;
    const bool is_cut_short = result_.reason == StopReason::iterations;
    const bool has_stalled = grey_bound_ && result_.kkt_residual > converged_kkt_residual;
    if (!is_cut_short && (!has_stalled || ++n_stalled > most_rounds_after_stalling)) return;
    if (of_stage_.iterations >= stage.optimizer.max_iterations) break;
    OptimizerResult result = minimize(stage, again);
    all_.add(result), of_stage_.add(result);
    if (cannot_begin(result)) return;
    if (result_.feasible && !result.feasible) return;
    result_ = std::move(result);
    x_ = nlp_.full(result_.x);
  }
  result_.reason = StopReason::iterations;
  result_.ending = iterations_are_reached(stage.optimizer);
}

/// Removes the islands of a result and repeats the last step of the continuation from there, while iterations are left.
/// Islands are emptied. If the design cannot be simulated then, because a member went through them, or if its objective
/// rises much, they are joined to the rest as well, and the better of both results is kept. If the objective more than
/// doubles all the same, they carry: they stay, and the report of the cut says that it is in pieces.
void StageLoop::remove_islands(const Stage& stage, const StageStep& step) {
  constexpr int most_repetitions = 3;
  constexpr double much = 0.05, too_much = 1.0;  // of the objective
  for (int k = 0; k < most_repetitions && goes_on(result_.reason); ++k) {
    const std::pair before(x_, result_);
    const double objective = result_.evaluation.objective;
    const bool was_feasible = result_.feasible;
    const bool is_emptied = repeat_without_islands(stage, step, IslandTreatment::empty);
    if (is_emptied && !goes_on(result_.reason)) return;
    if (is_emptied && result_.feasible && !was_feasible) continue;
    if (is_emptied && result_.evaluation.objective <= objective + much * std::abs(objective)) continue;
    const std::pair emptied(x_, result_);
    std::tie(x_, result_) = before;
    const bool is_joined = repeat_without_islands(stage, step, IslandTreatment::join);
    if (is_joined && !goes_on(result_.reason)) return;
    if (is_emptied && (!is_joined || emptied.second.evaluation.objective < result_.evaluation.objective))
      std::tie(x_, result_) = emptied;
    if (!is_emptied && !is_joined) return;
    const bool gains_feasibility = result_.feasible && !was_feasible;
    if (!gains_feasibility && result_.evaluation.objective > objective + too_much * std::abs(objective)) {
      std::tie(x_, result_) = before;
      events_.info(prefix(stage) + "the objective more than doubles without these pieces, so they stay");
      return;
    }
  }
}

/// @return false if there is nothing to do or no iteration left, if the first design cannot be simulated, or if a feasible
/// result would be given up for one that is not
bool StageLoop::repeat_without_islands(const Stage& stage, const StageStep& step, IslandTreatment treatment) {
  if (of_stage_.iterations >= stage.optimizer.max_iterations) return false;
  const std::optional<WithoutIslands> without = without_islands(chain_.bodies(), space_, x_, treatment);
  if (!without) return false;
  const bool is_one = without->n_islands == 1;
  events_.info(fmt::format(
      "{}the cut of the design has {} that nothing holds, {:.2g} % of its solid: the optimizer goes "
      "on with {} {}",
      prefix(stage), is_one ? "a piece" : fmt::format("{} pieces", without->n_islands),
      100.0 * without->volume_share, is_one ? "this" : "these",
      treatment == IslandTreatment::empty ? "emptied" : "joined to the rest"));
  const VectorXd with_islands = std::exchange(x_, without->x);
  OptimizerResult result = minimize(stage, step);
  all_.add(result), of_stage_.add(result);
  if (cannot_begin(result) || (result_.feasible && !result.feasible)) {
    x_ = with_islands;
    return false;
  }
  result_ = std::move(result);
  x_ = nlp_.full(result_.x);
  return true;
}

/// Repeats the last step of the continuation with a bound on the grey level while the cut of its design does not hold
/// (CutTrial::holds()): a few grey elements in thin members are enough for that. Each time the bound halves what the grey
/// level of the design is above that of its cut. The design with the best cut is kept.
void StageLoop::make_cut_hold(const Stage& stage, const StageStep& step) {
  constexpr int most_repetitions = 6, patience = 2;
  constexpr double kept_grey = 0.5, little_grey = 1e-4;
  const double feasibility = chain_.problem().optimizer.feasibility;
  if (!result_.feasible || !can_bound_grey_level(stage)) return;
  struct Candidate {
    CutTrial cut;
    VectorXd x;
    OptimizerResult result;
    std::optional<double> grey_bound;
  };
  Candidate best{try_cut(chain_, space_, nlp_.rows(), x_, result_.evaluation.objective), x_, result_,
                 grey_bound_},
      last = best;
  int without_gain = 0;
  for (int k = 0; k < most_repetitions && without_gain < patience && goes_on(last.result.reason); ++k) {
    const double excess = last.cut.grey_level - last.cut.grey_of_cut;
    if (last.cut.holds(feasibility) || excess < little_grey) break;
    if (of_stage_.iterations >= stage.optimizer.max_iterations) break;
    bound_grey_level(last.cut.grey_of_cut + kept_grey * excess);
    events_.info(
        fmt::format("{}the cut of the design does not hold: {}. The optimizer goes on with a grey level of "
                    "at most {:.3g} "
                    "in place of {:.3g}",
                    prefix(stage), last.cut.text(feasibility), *grey_bound_, last.cut.grey_level));
    last.result = minimize(stage, step);
    all_.add(last.result), of_stage_.add(last.result);
    if (cannot_begin(last.result) || !last.result.feasible) break;
    last.x = nlp_.full(last.result.x), last.grey_bound = grey_bound_;
    last.cut = try_cut(chain_, space_, nlp_.rows(), last.x, last.result.evaluation.objective);
    x_ = last.x;
    const bool is_better = last.cut.is_better_than(best.cut, feasibility);
    without_gain = is_better ? 0 : without_gain + 1;
    if (is_better) best = last;
  }
  const StopReason reason = last.result.reason;
  tries_cuts_ = without_gain < patience && best.cut.holds(feasibility);
  x_ = best.x, result_ = std::move(best.result);
  bound_grey_level(best.grey_bound);
  if (!goes_on(reason)) result_.reason = reason, result_.ending = last.result.ending;
}

void StageLoop::bound_grey_level(std::optional<double> bound) {
  grey_bound_ = bound;
  nlp_.bound_grey_level(bound);
}

/// Tries the cut of a design every few iterations of the last step, so that a design whose cut does not hold goes no
/// further that way.
bool StageLoop::fails_when_cut(const IterationReport& report) {
  const double feasibility = chain_.problem().optimizer.feasibility;
  if (!tries_cuts_ || report.iteration < next_trial_) return false;
  if (infeasibility(*report.evaluation, nlp_.n_equalities()) > feasibility) return false;
  const CutTrial trial =
      try_cut(chain_, space_, nlp_.rows(), nlp_.full(*report.x), report.evaluation->objective);
  next_trial_ = report.iteration + between_trials;
  cut_failed_ = !trial.holds(feasibility);
  return cut_failed_;
}

OptimizerResult StageLoop::minimize(const Stage& stage, const StageStep& step) {
  const VectorXd x = nlp_.reduced(x_);
  cut_failed_ = false, next_trial_ = between_trials;
  set_steepness(step.steepness);
  if (step.steepness > 0.0) {
    events_.info(fmt::format("projection with beta = {:g}: step {} of {}, at most {} iterations",
                             step.steepness, step.number, step.count, step.optimizer.max_iterations));
  }
  OptimizerOptions options = step.optimizer;
  if (const int left = stage.optimizer.max_iterations - of_stage_.iterations; left <= options.max_iterations)
    options.max_iterations = left, options.name_of_iterations = stage.optimizer.name_of_iterations;
  if (options.wall_time > 0.0) options.wall_time = std::max(1e-3, options.wall_time - timer_.seconds());
  const IterationCallback report_iteration = [&](const IterationReport& report) {
    if (!start_)
      start_ = Start{report.evaluation->objective, infeasibility(*report.evaluation, nlp_.n_equalities())};
    const int iteration = first_row_ + of_stage_.iterations + report.iteration;
    if (iteration > last_iteration_) {
      last_iteration_ = iteration;
      events_.iterated({iteration, all_.evaluations + report.evaluations, report});
    }
    return !fails_when_cut(report);
  };
  AdaptiveNlp adaptive(recorded_, adaptive_rows(chain_, nlp_.rows()), options);
  const auto tell = [this](const std::string& text) { events_.info(text); };
  OptimizerResult result = adaptive.corrects()
                               ? minimize_adaptively(options, adaptive, x, report_iteration, tell)
                               : make_optimizer(options)->minimize(recorded_, x, report_iteration);
  if (cut_failed_ && result.reason == StopReason::interrupted) {
    result.reason = StopReason::iterations;  // it is cut short, and may go on
    result.ending = result.message = "the cut of its design does not hold";
  }
  begun_ = begun_ || result.evaluation.gradient.size() > 0;
  if (!begun_) return result;
  events_.step_ended();
  events_.info(fmt::format("{}{}{} after {} iterations and {} evaluations{}", prefix(stage),
                           step.steepness > 0.0 ? fmt::format("beta = {:g}: ", step.steepness) : "",
                           result.message, result.iterations, result.evaluations,
                           step.count > 1 ? " of this step" : ""));
  return result;
}

void StageLoop::report(const Stage& stage, const OptimizerResult& result, bool is_last_step) {
  const double violation = infeasibility(result.evaluation, nlp_.n_equalities());
  if (!result.feasible && result.evaluation.constraints.size() > 0) {
    events_.warning(fmt::format(
        "{}no design that satisfies the constraints was found; this is the least infeasible one: {}",
        prefix(stage), nlp_.rows().worst(result.evaluation.constraints)));
  }
  OptimizerResult of_all_steps = result;
  of_all_steps.iterations = of_stage_.iterations;
  const Verdict verdict = verdict_on(of_all_steps, is_last_step);
  if (verdict.outcome == Outcome::converged)
    events_.info(prefix(stage) + verdict.text);
  else
    events_.warning(prefix(stage) + verdict.text);
  warn_if_worse(stage, result, violation);
  results_.push_back({stage.name, result.evaluation.objective, violation, result.feasible, verdict,
                      result.kkt_residual, result.message, of_stage_.iterations, of_stage_.evaluations});
}

/// Tells if a stage ends at a design that is worse than the one it began with.
void StageLoop::warn_if_worse(const Stage& stage, const OptimizerResult& result, double violation) const {
  if (!start_) return;
  const bool was_feasible = start_->violation <= chain_.problem().optimizer.feasibility;
  if (was_feasible && (!result.feasible || result.evaluation.objective > start_->objective)) {
    events_.warning(fmt::format("{}the result is worse than the start: psi is {:.6g} in place of {:.6g}",
                                prefix(stage), result.evaluation.objective, start_->objective));
  } else if (!was_feasible && !result.feasible && violation > start_->violation) {
    events_.warning(fmt::format(
        "{}the result is worse than the start: it violates constraints by {:.3g} in place of {:.3g}",
        prefix(stage), violation, start_->violation));
  }
}

}  // namespace kurbel
