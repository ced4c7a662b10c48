#include "study/stage_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/best_design.hpp"
#include "optimizers/stopping.hpp"

namespace kurbel {
bool StageLoop::goes_on(StopReason reason) {
  return reason == StopReason::design_change || reason == StopReason::kkt_residual ||
         reason == StopReason::progress || reason == StopReason::iterations || reason == StopReason::solver;
}

bool StageLoop::is_projected(const Stage& stage, const StageStep& step) {
  return step.steepness > 0.0 && stage.vary != Vary::controls;
}

bool StageLoop::cannot_begin(const OptimizerResult& result) {
  return result.reason == StopReason::failure && result.evaluation.gradient.size() == 0;
}

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
  sound_.reset();
  between_ = step.optimizer;
  of_stage_ = {};
  start_.reset();
  // The start of a later stage is an iteration of its own: its objective and constraints are others.
  first_row_ = last_iteration_ + 1;
}

void StageLoop::set_steepness(double beta) {
  if (beta != steepness_) sound_.reset();
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
    bound_late_grey_level(stage, next);
    OptimizerResult result = minimize_with_enough(stage, next);
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

/// Minimizes with the beta of the step. A steeper projection takes grey material away. Where members consist of it, the first
/// design violates constraints by far, or is in pieces, and steps from there restore little. The densities are then raised
/// before, by as little as helps: the same as a lower threshold of the projection.
OptimizerResult StageLoop::minimize_with_enough(const Stage& stage, const StageStep& step) {
  constexpr double far = 1.0;  // violation
  if (step.is_first() || !is_projected(stage, step) || own_violation(result_.evaluation) > far)
    return minimize(stage, step);
  const auto is_settled = [this](const OptimizerResult& result) {
    const bool has_begun = !is_given_up_ && !cannot_begin(result);
    return has_begun || recorded_.stop_requested() || result.reason == StopReason::wall_time;
  };
  OptimizerResult first = minimize(stage, step, far);
  if (is_settled(first)) return first;
  const VectorXd before = x_;
  const Eigen::Index n = space_.n_densities();
  for (const double raise : {0.02, 0.05, 0.1, 0.2, 0.4}) {
    events_.info(fmt::format(
        "{}densities are raised by {:g}, because the steeper projection takes too much material away",
        prefix(stage), raise));
    x_.head(n) = (before.head(n).array() + raise).matrix().cwiseMin(space_.upper().head(n));
    OptimizerResult result = minimize(stage, step, far);
    if (is_settled(result)) return result;
  }
  x_ = before;
  return cannot_begin(first) ? first : minimize(stage, step);
}

/// The violation of the constraints of the problem, without the bound on the grey level that the continuation adds behind them.
double StageLoop::own_violation(const Evaluation& evaluation) const {
  const Eigen::Index n_own = nlp_.n_constraints() - (grey_bound_ ? 1 : 0);
  return infeasibility(evaluation.constraints.head(std::min(n_own, evaluation.constraints.size())),
                       nlp_.n_equalities());
}

OptimizerResult StageLoop::minimize(const Stage& stage, const StageStep& step, double most_violation) {
  const VectorXd x = nlp_.reduced(x_);
  cut_failed_ = false, next_trial_ = 0;
  is_given_up_ = false;
  set_steepness(step.steepness);
  const bool is_told = most_violation >= 0.0;
  if (is_told && step.steepness > 0.0) {
    events_.info(fmt::format("projection with beta = {:g}: step {} of {}, at most {} iterations",
                             step.steepness, step.number, step.count, step.optimizer.max_iterations));
  }
  OptimizerOptions options = step.optimizer;
  if (const int left = stage.optimizer.max_iterations - of_stage_.iterations; left <= options.max_iterations)
    options.max_iterations = left, options.name_of_iterations = stage.optimizer.name_of_iterations;
  if (options.wall_time > 0.0) options.wall_time = std::max(1e-3, options.wall_time - timer_.seconds());
  const IterationCallback report_iteration = [&](const IterationReport& report) {
    is_given_up_ = report.iteration == 0 && own_violation(*report.evaluation) > most_violation;
    if (is_given_up_) return false;
    if (!start_)
      start_ = Start{report.evaluation->objective, infeasibility(*report.evaluation, nlp_.n_equalities())};
    const int iteration = first_row_ + of_stage_.iterations + report.iteration;
    if (iteration > last_iteration_) {
      last_iteration_ = iteration;
      events_.iterated({iteration, all_.evaluations + report.evaluations, report});
    }
    return !fails_when_cut(report);
  };
  OptimizerResult result = minimize(options, x, report_iteration);
  if (cut_failed_ && result.reason == StopReason::interrupted) {
    result.reason = StopReason::iterations;  // it is cut short, and may go on
    result.ending = result.message = "the cut of its design does not hold";
  }
  if (is_given_up_) {
    result.message =
        fmt::format("given up because constraints are violated by {:.2g},", own_violation(result.evaluation));
  }
  all_.add(result), of_stage_.add(result);
  begun_ = begun_ || result.evaluation.gradient.size() > 0;
  if (!begun_) return result;
  events_.step_ended();
  if (!is_told) return result;
  events_.info(fmt::format("{}{}{} after {} iterations and {} evaluations{}", prefix(stage),
                           step.steepness > 0.0 ? fmt::format("beta = {:g}: ", step.steepness) : "",
                           result.message, result.iterations, result.evaluations,
                           step.count > 1 ? " of this step" : ""));
  return result;
}

/// Minimizes by the strategy of the problem.
OptimizerResult StageLoop::minimize(const OptimizerOptions& options, const VectorXd& x,
                                    const IterationCallback& report_iteration) {
  const auto tell = [this](const std::string& text) { events_.info(text); };
  if (chain_.problem().strategy != Strategy::exact)
    return static_loads_.minimize(options, x, report_iteration, tell);
  AdaptiveNlp adaptive(recorded_, adaptive_rows(chain_, nlp_.rows()), options);
  return adaptive.corrects() ? minimize_adaptively(options, adaptive, x, report_iteration, tell)
                             : make_optimizer(options)->minimize(recorded_, x, report_iteration);
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
  const Verdict verdict = verdict_on(of_all_steps, is_last_step, events_.way_on());
  if (verdict.outcome == Outcome::converged)
    events_.info(prefix(stage) + verdict.text);
  else
    events_.warning(prefix(stage) + verdict.text);
  advise_least_width(stage, verdict, is_last_step);
  warn_if_worse(stage, result, violation);
  results_.push_back({stage.name, result.evaluation.objective, violation, result.feasible, verdict,
                      result.kkt_residual, result.message, of_stage_.iterations, of_stage_.evaluations});
}

/// Names what lets a search for little material converge. Members may be as thin as elements where no bound on volume or mass is
/// active; then whether a cut is in one piece depends on single grey elements.
void StageLoop::advise_least_width(const Stage& stage, const Verdict& verdict, bool is_last_step) {
  const bool ended_early = verdict.outcome == Outcome::limit || verdict.outcome == Outcome::stalled;
  const bool has_width = steepness_ == 0.0 || chain_.problem().projection.robust > 0.0;
  if (!is_last_step || !ended_early || has_width || stage.vary == Vary::controls || is_short_of_material())
    return;
  events_.info(prefix(stage) +
               "a least width of members often lets such a search converge: projection.robust = 0.05");
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
