/// Bounds and repetitions by which a continuation ends with a design that is black and white, and whose cut to solid and void
/// holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "optimizers/stopping.hpp"
#include "study/cut_trial.hpp"
#include "study/islands.hpp"
#include "study/stage_loop.hpp"
#include "study/thicker_members.hpp"

namespace kurbel {
namespace {

constexpr int between_trials = 10;          // of cuts, in iterations
constexpr int most_without_sound = 40;      // iterations until a design whose cut holds
constexpr double move_beside_sound = 0.02;  // first step from a design whose cut holds, in ranges
constexpr int most_without_islands = 80;    // iterations of an attempt
constexpr double evaluates_alone = -1.0;    // a violation that every design has
constexpr double carries = 1.0;  // islands carried if constraints are violated by more without them

}  // namespace

/// Returns true for methods that may begin anew at any design and that take one more constraint.
bool StageLoop::can_bound_grey_level(const Stage& stage) const {
  return !remembers_values(stage.optimizer.method) &&
         !why_unsuitable(stage.optimizer.method, nlp_.n_constraints() + 1, nlp_.n_equalities());
}

/// Bounds the grey level of a step that is late. While the densities follow a projection, their grey level halves where its
/// steepness doubles; so that it is no more than CutTrial::much_grey at the end of the continuation, it may be
///     much_grey beta_max / beta
/// now. What gains by grey material, as bounds on stresses do, keeps it otherwise until the last step, which is steep and
/// slow. A bound takes away at most a quarter of the grey level at once. Where a bound on volume or mass is active no design may be
/// as little grey on this mesh, so the grey level is not bounded there.
void StageLoop::bound_late_grey_level(const Stage& stage, const StageStep& step) {
  constexpr double late = 1.2, kept_grey = 0.75;
  if (!is_projected(stage, step) || step.is_first() || !can_bound_grey_level(stage)) return;
  if (is_short_of_material()) return bound_grey_level({});
  space_.set_beta(step.steepness);
  const double grey_level = space_.grey_level(space_.at(x_));
  const double on_time = CutTrial::much_grey * chain_.problem().projection.beta_max / step.steepness;
  const bool is_late = grey_level > late * on_time;
  if (!grey_bound_ && !is_late) return;
  bound_grey_level(std::max(on_time, kept_grey * grey_level));
  if (!is_late) return;
  events_.info(fmt::format(
      "{}the design is greyer than this projection leaves it: its grey level is {:.2g} and is to be at most "
      "{:.2g}",
      prefix(stage), grey_level, *grey_bound_));
}

/// Returns true if a bound on volume or mass holds with equality for the result of the last step, or nearly.
bool StageLoop::is_short_of_material() const {
  constexpr double nearly = 0.05;  // of the bound
  const VectorXd& values = result_.evaluation.constraints;
  for (Eigen::Index i = 0; i < std::min(nlp_.rows().size(), values.size()); ++i) {
    const ConstraintRow& row = nlp_.rows()[i];
    const bool bounds_material = (row.of == ConstraintRow::Of::volume_fraction && row.bound < 1.0) ||
                                 row.of == ConstraintRow::Of::mass;
    if (bounds_material && values[i] > -nearly) return true;
  }
  return false;
}

/// Looks for a design whose cut stands, where the last step has found none that holds. Members that are grey are in the middle
/// of a steep projection; a little more of the densities beside them makes them solid. make_cut_hold() goes on from such a
/// design.
void StageLoop::find_sound_design(const Stage& stage, const StageStep& step) {
  constexpr double most_grey = 2.0 * CutTrial::much_grey;  // its bound takes away what is too much
  const double feasibility = chain_.problem().optimizer.feasibility;
  const bool may_look = goes_on(result_.reason) && !recorded_.stop_requested() && result_.feasible &&
                        !sound_ && chain_.problem().filter.radius > 0.0 && !is_short_of_material() &&
                        can_bound_grey_level(stage);
  if (!may_look || candidate(result_).cut.stands(feasibility)) return;
  const VectorXd before = x_;
  const std::optional<double> bound = grey_bound_;
  bound_grey_level({});
  for (const double raise : {0.002, 0.005, 0.01, 0.02, 0.03, 0.05}) {
    x_ = with_thicker_members(chain_.bodies(), space_, before, raise);
    OptimizerResult raised = minimize(stage, step, evaluates_alone);
    if (recorded_.stop_requested() || raised.reason == StopReason::wall_time) break;
    if (cannot_begin(raised)) continue;
    raised.reason = StopReason::iterations;  // it may go on
    raised.ending = raised.message = "the cuts of designs with a lower objective do not hold";
    raised.feasible = own_violation(raised.evaluation) <= feasibility;
    Candidate tried = candidate(raised);
    const bool is_sound = tried.cut.stands(feasibility) && tried.cut.grey_level <= most_grey;
    if (!raised.feasible || !is_sound) continue;
    events_.info(fmt::format(
        "{}the cut of the design does not stand, but that of one whose densities beside members are raised "
        "by {:g} does",
        prefix(stage), raise));
    sound_ = std::move(tried);
    break;
  }
  x_ = before;
  bound_grey_level(bound);
}

/// Makes the cut of a design what the design promises, and goes on with the last step until it ends by itself. Where it
/// stalls beside a bound on the grey level it is given two more rounds.
void StageLoop::finish_last_step(const Stage& stage, const StageStep& step) {
  constexpr int most_rounds_after_stalling = 2;
  if (!is_projected(stage, step)) return;
  StageStep again = step;
  again.optimizer.near_optimum = true;
  if (is_too_grey_alone() && of_stage_.iterations < stage.optimizer.max_iterations) {
    bound_grey_level({});
    OptimizerResult result = minimize(stage, again);
    if (cannot_begin(result)) return;
    result_ = std::move(result);
    x_ = nlp_.full(result_.x);
  }
  for (int n_stalled = 0;;) {
    if (!sound_) remove_islands(stage, again);
    find_sound_design(stage, again);
    const bool may_gain = make_cut_hold(stage, again);
    if (!may_gain || !goes_on(result_.reason)) return;
    const bool is_cut_short = result_.reason == StopReason::iterations;
    const bool has_stalled = grey_bound_ && result_.kkt_residual > converged_kkt_residual;
    if (!is_cut_short && (!has_stalled || ++n_stalled > most_rounds_after_stalling)) return;
    if (of_stage_.iterations >= stage.optimizer.max_iterations) break;
    OptimizerResult result = minimize(stage, again);
    if (cannot_begin(result)) return;
    if (result_.feasible && !result.feasible) return;
    result_ = std::move(result);
    x_ = nlp_.full(result_.x);
  }
  result_.reason = StopReason::iterations;
  result_.ending = iterations_are_reached(stage.optimizer);
}

/// True if a design violates the bound on its grey level and no other: that bound is none of the problem.
bool StageLoop::is_too_grey_alone() const {
  return grey_bound_ && !result_.feasible &&
         own_violation(result_.evaluation) <= chain_.problem().optimizer.feasibility;
}

/// Removes the islands of a result and repeats the last step of the continuation from there, while iterations are left.
/// Islands are emptied. If constraints are violated by far then, they carried through grey material, and stay for
/// make_cut_hold(). If the design cannot be simulated, or if its objective rises much, they are joined to the rest as well,
/// and the better of both results is kept. If the objective more than doubles all the same, they stay, and the report of the
/// cut says that it is in pieces.
void StageLoop::remove_islands(const Stage& stage, const StageStep& step) {
  constexpr int most_repetitions = 3;
  constexpr double much = 0.05, too_much = 1.0;  // of the objective
  for (int k = 0; k < most_repetitions && goes_on(result_.reason); ++k) {
    const std::pair before(x_, result_);
    const double objective = result_.evaluation.objective;
    const bool was_feasible = result_.feasible;
    const bool is_emptied = repeat_without_islands(stage, step, IslandTreatment::empty);
    if (is_emptied && !goes_on(result_.reason)) return;
    if (!is_emptied && is_given_up_ && can_bound_grey_level(stage)) return;
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
  StageStep attempt = step;
  if (most_without_islands < attempt.optimizer.max_iterations) {
    attempt.optimizer.max_iterations = most_without_islands;
    attempt.optimizer.name_of_iterations =
        fmt::format("of {} iterations for a design without these pieces", most_without_islands);
  }
  OptimizerResult result =
      minimize(stage, attempt, result_.feasible ? carries : std::numeric_limits<double>::infinity());
  if (cannot_begin(result) || (result_.feasible && !result.feasible)) {
    x_ = with_islands;
    return false;
  }
  result_ = std::move(result);
  x_ = nlp_.full(result_.x);
  return true;
}

/// Repeats the last step of the continuation with a bound on the grey level while the cut of its design does not hold
/// (CutTrial::holds()): a few grey elements in thin members are enough for that. A design whose cut is in pieces, or
/// no better for the bound, is given up for the last one whose cut held, if there is one; otherwise the step goes on from
/// where it is. Each time the bound halves what the grey level is above that of the cut; only the first steps from a design
/// whose cut stands keep that design's grey level, up to what is much, and they are short. The design with the best cut is kept.
/// @return false if the cut of this design holds, and no cut of a design with a lower objective did
bool StageLoop::make_cut_hold(const Stage& stage, const StageStep& step) {
  constexpr int most_repetitions = 6;
  constexpr double kept_grey = 0.5, little_grey = 1e-4;
  const double feasibility = chain_.problem().optimizer.feasibility;
  if (!result_.feasible || !can_bound_grey_level(stage)) return true;
  Candidate last = candidate(result_);
  const bool goes_on_from_sound =
      sound_ && !last.cut.holds(feasibility) &&
      (sound_->cut.holds(feasibility) || !last.cut.is_better_than(sound_->cut, feasibility));
  Candidate best = goes_on_from_sound ? *sound_ : last;
  int without_gain = 0;
  const auto is_patient = [&] { return without_gain < (best.cut.holds(feasibility) ? 3 : 2); };
  bool has_gained = last.cut.holds(feasibility);
  for (int k = 0; k < most_repetitions && is_patient() && goes_on(last.result.reason); ++k) {
    if (last.cut.holds(feasibility) || of_stage_.iterations >= stage.optimizer.max_iterations) break;
    const bool is_black_and_white = last.cut.grey_level - last.cut.grey_of_cut < little_grey;
    const bool goes_back = best.cut.stands(feasibility) && (last.cut.loose > 0.0 || is_black_and_white ||
                                                            last.cut.violation > carries || without_gain > 0);
    const Candidate& from = goes_back ? best : last;
    const double excess = from.cut.grey_level - from.cut.grey_of_cut;
    if (excess < little_grey) break;
    x_ = from.x;
    const double bound = from.cut.grey_of_cut + std::pow(kept_grey, goes_back ? without_gain : 1) * excess;
    bound_grey_level(goes_back ? std::min(bound, CutTrial::much_grey) : bound);
    events_.info(fmt::format(
        "{}the cut of the design does not hold: {}. The optimizer goes on {} a grey level of at most {:.3g}",
        prefix(stage), last.cut.text(feasibility),
        goes_back ? "from a design whose cut stands, with" : "with", *grey_bound_));
    StageStep again = step;
    if (goes_back) again.optimizer.first_move = move_beside_sound;
    OptimizerResult result = minimize(stage, again);
    if (cannot_begin(result) || !result.feasible) {
      last.result = std::move(result);
      break;
    }
    last = candidate(result);
    if (last.cut.loose > 0.0 && !sound_) {
      x_ = last.x, result_ = last.result;
      remove_islands(stage, step);
      last = candidate(result_);
    }
    const bool is_better = last.cut.is_better_than(best.cut, feasibility);
    if (is_better) best = last;
    const bool is_sound_better = sound_ && sound_->cut.is_better_than(best.cut, feasibility);
    if (is_sound_better) best = *sound_;
    without_gain = is_better || is_sound_better ? 0 : without_gain + 1;
    has_gained = has_gained || without_gain == 0;
  }
  const OptimizerResult& ended = last.result;
  const bool holds = best.cut.holds(feasibility), may_gain = has_gained && is_patient();
  tries_cuts_ = may_gain && holds;
  x_ = best.x, result_ = std::move(best.result);
  bound_grey_level(best.grey_bound);
  if (!goes_on(ended.reason)) {
    result_.reason = ended.reason, result_.ending = ended.ending;
  } else if (holds && !may_gain) {
    result_.reason = StopReason::progress;
    result_.ending = "the cuts of designs with a lower objective do not hold";
  }
  return may_gain || !holds;
}

StageLoop::Candidate StageLoop::candidate(const OptimizerResult& result) {
  const VectorXd x = nlp_.full(result.x);
  CutTrial cut = try_cut(chain_, space_, nlp_.rows(), x, result.evaluation.objective);
  cut.is_of_optimum = result.kkt_residual <= converged_kkt_residual;
  return {cut, x, result, grey_bound_};
}

void StageLoop::bound_grey_level(std::optional<double> bound) {
  grey_bound_ = bound;
  nlp_.bound_grey_level(bound);
}

/// Tries the cut of the first feasible design of the last step and then every few iterations, keeps the best design whose cut
/// holds, and goes no further where no cut has held for long.
bool StageLoop::fails_when_cut(const IterationReport& report) {
  const double feasibility = chain_.problem().optimizer.feasibility;
  if (chain_.problem().strategy != Strategy::exact) return false;  // its iterations are many static ones
  if (!tries_cuts_ || report.iteration < next_trial_) return false;
  if (infeasibility(*report.evaluation, nlp_.n_equalities()) > feasibility) return false;
  const bool is_first = next_trial_ == 0;
  next_trial_ = report.iteration + between_trials;
  OptimizerResult result;
  result.x = *report.x, result.evaluation = *report.evaluation;
  result.reason = StopReason::iterations, result.feasible = true, result.kkt_residual = report.kkt_residual;
  Candidate tried = candidate(result);
  const bool holds = tried.cut.holds(feasibility);
  if (holds || is_first) gives_up_at_ = report.iteration + most_without_sound;
  cut_failed_ = !holds && report.iteration >= gives_up_at_;
  if (holds && !(sound_ && sound_->cut.is_better_than(tried.cut, feasibility))) sound_ = std::move(tried);
  return cut_failed_;
}

}  // namespace kurbel
