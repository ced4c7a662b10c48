#include "evaluation/adaptive_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/timer.hpp"
#include "formulation/criterion_values.hpp"
#include "optimizers/kkt.hpp"
#include "optimizers/stopping.hpp"

namespace kurbel {

namespace {

// In units of g, where a bound is about 1.
constexpr double margin = 5e-4;
constexpr double first_drift = 1e-3;  // before the corrections are found anew at a design of MMA ...
constexpr double drift_growth = 1.1;  // ... from one time to the next, so that they come to rest
constexpr double largest_drift = 0.01;
constexpr double tolerable_drift = 0.01;  // before the corrections are found anew in the middle of a search
constexpr double far_within = -0.1;       // a g that is no concern
constexpr double least_iterations = 5.0;  // of the first search, unless it ends
constexpr double growth = 1.5;            // of that from one search to the next: a new start costs iterations
constexpr int most_idle_searches = 3;     // one after the other that find no step

bool same(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && a == b;
}

double g_of_extreme(const AdaptiveRow& row, const std::vector<CriterionValues>& values) {
  return row.scale * (values[row.function].high - row.bound);
}

}  // namespace

std::vector<AdaptiveRow> adaptive_rows(const EvaluationChain& chain, const ConstraintRows& rows) {
  std::vector<AdaptiveRow> adaptive;
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    const ConstraintRow& row = rows[i];
    if (row.of != ConstraintRow::Of::motion) continue;
    const CriterionConstraint& criterion = chain.functions()[row.function];
    if (!criterion.adaptive) continue;
    // Diagnostics of robust designs begin with each function at its worst; the three designs follow.
    const std::size_t block = rows.are_robust() ? 1 + static_cast<std::size_t>(row.design) : 0;
    const std::size_t n_functions = 1 + chain.requested().functions.size();
    const std::string of_design = row.name.substr(criterion.label().size());
    adaptive.push_back({criterion.time_history_name() + of_design, i,
                        block * n_functions + static_cast<std::size_t>(row.requested) + 1, row.factor,
                        row.bound, is_sum_of_norms(criterion.terms)});
  }
  return adaptive;
}

void set_extremes(const std::vector<AdaptiveRow>& rows, const std::vector<CriterionValues>& values,
                  VectorXd& constraints) {
  for (const AdaptiveRow& row : rows) constraints[row.row] = g_of_extreme(row, values);
}

VectorXd judged_values(const EvaluationChain& chain, const ConstraintRows& rows, const DesignSpace& space,
                       const ChainResult& result) {
  VectorXd values = rows.values(space, result);
  for (const AdaptiveRow& row : adaptive_rows(chain, rows)) {
    // The result is of one design, so that all rows are judged by it.
    const auto function = static_cast<std::size_t>(rows[row.row].requested) + 1;
    values[row.row] = row.scale * (result.values[function].high - row.bound);
  }
  return values;
}

AdaptiveNlp::AdaptiveNlp(Nlp& nlp, std::vector<AdaptiveRow> rows, const OptimizerOptions& options)
    : ForwardingNlp(nlp),
      rows_(std::move(rows)),
      corrections_(rows_.size()),
      tolerable_drift_(first_drift),
      best_(nlp.n_equalities(), options.feasibility) {}

Status AdaptiveNlp::evaluate(const VectorXd& x, Evaluation& out) {
  if (same(x, accepted_.x) && accepted_.evaluation.gradient.size() > 0) {
    last_ = accepted_;
  } else {
    ++n_evaluations_;
    last_.x.resize(0);
    if (Status s = nlp_.evaluate(x, last_.evaluation); s.failed()) return s;
    last_.x = x;
  }
  if (!is_fixed_) {
    accepted_ = last_;
    renew();
    is_fixed_ = true;
  }
  out = last_.evaluation;
  correct(out);
  best_.consider(x, with_extremes(out));
  return {};
}

void AdaptiveNlp::moved_to(const VectorXd& x, Evaluation& evaluation) {
  accept(x, evaluation);
  if (accepted_.evaluation.gradient.size() == 0) {
    accepted_.evaluation = evaluation;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      accepted_.evaluation.constraint_gradients.row(rows_[i].row) /= corrections_[i].factor;
  }
  if (drift_ <= tolerable_drift_) return;
  renew();
  tolerable_drift_ = std::min(drift_growth * tolerable_drift_, largest_drift);
  evaluation = accepted_.evaluation;
  correct(evaluation);
}

void AdaptiveNlp::correct(Evaluation& evaluation) const {
  const std::vector<CriterionValues> values = values_of_diagnostics(evaluation.diagnostics);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const AdaptiveRow& row = rows_[i];
    const double value = corrections_[i].factor * values[row.function].value + corrections_[i].shift;
    evaluation.constraints[row.row] = row.scale * (value - row.bound) + margin;
    evaluation.constraint_gradients.row(row.row) *= corrections_[i].factor;
  }
}

std::optional<Evaluation> AdaptiveNlp::accepted_with_extremes() const {
  if (accepted_.evaluation.gradient.size() == 0) return {};
  Evaluation out = accepted_.evaluation;
  correct(out);
  return with_extremes(out);
}

Evaluation AdaptiveNlp::with_extremes(const Evaluation& evaluation) const {
  Evaluation out = evaluation;
  set_extremes(rows_, values_of_diagnostics(evaluation.diagnostics), out.constraints);
  return out;
}

void AdaptiveNlp::accept(const VectorXd& x, const Evaluation& evaluation) {
  accepted_ = {x, {}};
  if (same(x, last_.x)) accepted_.evaluation = last_.evaluation;
  accepted_.evaluation.diagnostics = evaluation.diagnostics;
  const std::vector<CriterionValues> values = values_of_diagnostics(evaluation.diagnostics);
  drift_ = 0.0;
  for (const AdaptiveRow& row : rows_) {
    const double g = evaluation.constraints[row.row] - margin, of_extreme = g_of_extreme(row, values);
    if (std::max(g, of_extreme) > far_within) drift_ = std::max(drift_, std::abs(g - of_extreme));
  }
}

VectorXd AdaptiveNlp::widths(double of_rows) const {
  VectorXd widths = VectorXd::Constant(n_constraints(), kkt_width);
  for (const AdaptiveRow& row : rows_) widths[row.row] = of_rows;
  return widths;
}

void AdaptiveNlp::renew() {
  const std::vector<CriterionValues> all = values_of_diagnostics(accepted_.evaluation.diagnostics);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const CriterionValues& values = all[rows_[i].function];
    Correction& of_row = corrections_[i];
    double& correction = rows_[i].by_factor ? of_row.factor : of_row.shift;
    double wanted = values.high - values.value;
    if (rows_[i].by_factor) wanted = values.value > 0.0 ? values.high / values.value : of_row.factor;
    const double change = wanted - correction;
    // What swings to and fro is damped.
    correction += change * of_row.last_change < 0.0 ? 0.5 * change : change;
    of_row.last_change = is_fixed_ ? change : 0.0;
  }
}

std::string AdaptiveNlp::corrections() const {
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Correction& of_row = corrections_[i];
    text += fmt::format("{}{} {}{:.6g}", text.empty() ? "" : ", ", rows_[i].name,
                        rows_[i].by_factor ? "times " : "plus ",
                        rows_[i].by_factor ? of_row.factor : of_row.shift);
  }
  return text;
}

namespace {

bool is_own_end(StopReason reason) {
  return reason == StopReason::design_change || reason == StopReason::kkt_residual ||
         reason == StopReason::progress || reason == StopReason::solver;
}

/// The rest of the limits for one more search.
OptimizerOptions rest_of(const OptimizerOptions& options, int iterations, double seconds) {
  OptimizerOptions rest = options;
  rest.max_iterations -= iterations;
  if (options.wall_time > 0.0) rest.wall_time = std::max(1e-3, options.wall_time - seconds);
  rest.near_optimum = options.near_optimum || iterations > 0;
  return rest;
}

/// The design that the last search has ended at, if it is as good as the best one to within the margin; else that one.
/// Former corrections let objectives be as much lower, without being nearer to an optimum. A true peak that lies below its bound
/// by no more than what corrections may drift was at the bound of the search, so its row may have a multiplier.
void take_best(const AdaptiveNlp& nlp, double feasibility, OptimizerResult& result) {
  result.evaluations = nlp.n_evaluations();
  if (nlp.best().empty()) return;
  result.x = nlp.best().x();
  result.evaluation = nlp.best().evaluation();
  result.feasible = nlp.best().feasible();
  const double best = result.evaluation.objective;
  const std::optional<Evaluation> last = nlp.accepted_with_extremes();
  if (result.feasible && last && infeasibility(*last, nlp.n_equalities()) <= feasibility &&
      last->objective <= best + 2.0 * margin * std::abs(best)) {
    result.x = nlp.accepted();
    result.evaluation = *last;
  }
  result.kkt_residual = kkt_residual(result.x, result.evaluation, nlp.lower(), nlp.upper(),
                                     nlp.n_equalities(), result.gradient_scale, nlp.widths(largest_drift))
                            .total();
  result.message = ending_with_violation(result.ending, nlp.best());
}

}  // namespace

OptimizerResult minimize_adaptively(const OptimizerOptions& options, AdaptiveNlp& nlp, const VectorXd& start,
                                    const IterationCallback& callback,
                                    const std::function<void(const std::string&)>& tell) {
  const Timer timer;
  VectorXd x = start;
  OptimizerResult result;
  double least = least_iterations;
  int idle_searches = 0;
  for (int iterations = 0;;) {
    bool has_drifted = false;
    const IterationCallback accept = [&](const IterationReport& of_search) {
      if (remembers_values(options.method)) nlp.accept(*of_search.x, *of_search.evaluation);
      const bool is_restart = of_search.iteration == 0 && iterations > 0;
      if (callback && !is_restart) {
        const Evaluation evaluation = nlp.with_extremes(*of_search.evaluation);
        IterationReport report = of_search;
        report.iteration += iterations, report.evaluations = nlp.n_evaluations();
        report.evaluation = &evaluation;
        if (!callback(report)) return false;
      }
      has_drifted =
          remembers_values(options.method) && of_search.iteration >= least && nlp.drift() > tolerable_drift;
      return !has_drifted;
    };
    result = make_optimizer(rest_of(options, iterations, timer.seconds()))->minimize(nlp, x, accept);
    idle_searches = result.iterations > 0 ? 0 : idle_searches + 1;
    iterations += result.iterations;
    result.iterations = iterations;
    const bool goes_on = (has_drifted && result.reason == StopReason::interrupted) ||
                         (is_own_end(result.reason) && nlp.drift() > margin);
    if (result.reason == StopReason::wall_time) result.ending = wall_time_is_reached(options);
    if (iterations >= options.max_iterations && (goes_on || result.reason == StopReason::iterations)) {
      result.reason = StopReason::iterations;
      result.ending = iterations_are_reached(options);
      break;
    }
    if (!goes_on || idle_searches > most_idle_searches) break;
    x = nlp.accepted();
    nlp.renew();
    least *= growth;
    if (tell)
      tell(fmt::format("aggregates are scaled anew after {} iterations: {}", iterations, nlp.corrections()));
  }
  take_best(nlp, options.feasibility, result);
  return result;
}

}  // namespace kurbel
