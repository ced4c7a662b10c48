#include "optimizers/optimization_run.hpp"

#include <fmt/format.h>

#include <cmath>

#include "optimizers/kkt.hpp"
#include "optimizers/verdict.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr int max_failures_in_a_row = 30;  // backends that step back halve: a step of 1e-9 is no way out

VectorXd start_within_bounds(const Nlp& nlp, const VectorXd& start) {
  const Index n = nlp.n_variables();
  if (n == 0) throw InputError("there is nothing to optimize: the problem has no variables");
  if (nlp.lower().size() != n || nlp.upper().size() != n || start.size() != n) {
    throw InputError(fmt::format("start and bounds need {} values, one per variable; they have {}, {} and {}",
                                 n, start.size(), nlp.lower().size(), nlp.upper().size()));
  }
  for (Index i = 0; i < n; ++i) {
    if (!(nlp.lower()[i] <= nlp.upper()[i])) {
      throw InputError(fmt::format("the bounds of variable {} contradict each other: lower {:g}, upper {:g}",
                                   i, nlp.lower()[i], nlp.upper()[i]));
    }
  }
  if (!start.allFinite()) throw InputError("the start of the optimization has a value that is not finite");
  return start.cwiseMax(nlp.lower()).cwiseMin(nlp.upper());
}

Status not_finite(const Evaluation& e) {
  const char* what = !std::isfinite(e.objective)           ? "the objective"
                     : !e.gradient.allFinite()             ? "the gradient of the objective"
                     : !e.constraints.allFinite()          ? "a constraint"
                     : !e.constraint_gradients.allFinite() ? "the gradient of a constraint"
                                                           : nullptr;
  if (what == nullptr) return {};
  return Failure{fmt::format("{} is not a finite number", what), "", ""};
}

bool same(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && a == b;
}

}  // namespace

OptimizationRun::OptimizationRun(const OptimizerOptions& options, Nlp& nlp, const VectorXd& start,
                                 const IterationCallback& callback, int memory)
    : options_(options),
      nlp_(nlp),
      start_(start_within_bounds(nlp, start)),
      callback_(callback),
      rules_(options),
      best_(nlp.n_equalities(), options.feasibility),
      visits_(memory) {
  if (const auto reason = why_unsuitable(options.method, nlp.n_constraints(), nlp.n_equalities())) {
    throw InputError(*reason);
  }
}

const Evaluation* OptimizationRun::evaluate(const VectorXd& x) {
  for (const Visit& visit : visits_) {
    if (!same(visit.x, x)) continue;
    status_ = visit.status;
    return visit.status.failed() ? nullptr : &visit.evaluation;
  }
  Visit& visit = visits_[next_];
  next_ = (next_ + 1) % visits_.size();
  visit.x.resize(0);
  visit.status = nlp_.evaluate(x, visit.evaluation);
  if (!visit.status.failed()) visit.status = not_finite(visit.evaluation);
  visit.x = x;
  ++evaluations_;
  note(visit);
  return visit.status.failed() ? nullptr : &visit.evaluation;
}

void OptimizationRun::note(const Visit& visit) {
  status_ = visit.status;
  if (!visit.status.failed()) {
    best_.consider(visit.x, visit.evaluation);
    if (objective_scale_ == 0.0) {
      objective_scale_ = visit.evaluation.objective != 0.0 ? std::abs(visit.evaluation.objective) : 1.0;
    }
  }
  failures_in_a_row_ = visit.status.failed() ? failures_in_a_row_ + 1 : 0;
  if (failures_in_a_row_ >= max_failures_in_a_row) stop_by_many_failures();
  if (const auto stop = rules_.after_evaluation(nlp_.stop_requested()); stop && !stop_) stop_ = stop;
}

bool OptimizationRun::accept(const VectorXd& x, const Evaluation& evaluation, bool change_counts,
                             bool counts_at_optimum) {
  IterationReport report;
  report.iteration = accepted_count_;
  report.evaluations = evaluations_;
  report.x = &x;
  report.evaluation = &evaluation;
  report.design_change = accepted_count_ > 0 ? (x - accepted_).lpNorm<Eigen::Infinity>() : 0.0;
  // Not of the start alone, which may be stationary for the objective.
  gradient_scale_ = std::max(gradient_scale_, evaluation.gradient.lpNorm<Eigen::Infinity>());
  report.kkt_residual = kkt_at(x, evaluation);
  change_counts = change_counts || (counts_at_optimum && report.kkt_residual <= converged_kkt_residual);
  ++accepted_count_;
  accepted_ = x;
  if (callback_ && !callback_(report)) stop(StopReason::interrupted, "interrupted");
  if (const auto stop = rules_.after_iteration(report, is_feasible(evaluation), change_counts);
      stop && !stop_) {
    stop_ = stop;
  }
  return !stopped();
}

double OptimizationRun::gradient_scale() const {
  return gradient_scale_ > 0.0 ? gradient_scale_ : 1.0;
}

double OptimizationRun::kkt_at(const VectorXd& x, const Evaluation& evaluation) const {
  return kkt_residual(x, evaluation, nlp_.lower(), nlp_.upper(), nlp_.n_equalities(), gradient_scale())
      .total();
}

const Evaluation* OptimizationRun::begin() {
  const Evaluation* evaluation = evaluate(start_);
  if (evaluation != nullptr) {
    accept(start_, *evaluation);
  } else {
    stop_by_failure();
  }
  return evaluation;
}

void OptimizationRun::stop(StopReason reason, const std::string& message) {
  if (!stop_) stop_ = Stop{reason, message};
}

void OptimizationRun::stop_by_failure() {
  stop(StopReason::failure, status_.failed() ? status_.message() : "the evaluation failed");
}

void OptimizationRun::stop_by_many_failures() {
  stop(StopReason::failure,
       fmt::format("the evaluation of {} designs in a row failed, that of the last one by: {}",
                   failures_in_a_row_, status_.message()));
}

void OptimizationRun::stop_by_failure(const Status& failure) {
  status_ = failure;
  stop_by_failure();
}

bool OptimizationRun::is_feasible(const Evaluation& evaluation) const {
  return infeasibility(evaluation, nlp_.n_equalities()) <= options_.feasibility;
}

OptimizerResult OptimizationRun::result() const {
  OptimizerResult result;
  result.x = best_.empty() ? start_ : best_.x();
  result.evaluation = best_.evaluation();
  if (stop_) {
    result.reason = stop_->reason;
    result.ending = stop_->message;
    result.message = ending_with_violation(result.ending, best_);
  }
  result.feasible = best_.feasible();
  result.gradient_scale = gradient_scale();
  if (!best_.empty()) result.kkt_residual = kkt_at(best_.x(), best_.evaluation());
  result.iterations = std::max(0, accepted_count_ - 1);
  result.evaluations = evaluations_;
  if (result.reason == StopReason::failure) result.status = status_;
  return result;
}

}  // namespace kurbel
