/// @file
/// Common parts of running optimizers: evaluations, reports, the best design, the end.
#pragma once

#include <optional>
#include <vector>

#include "optimizers/best_design.hpp"
#include "optimizers/optimizer.hpp"
#include "optimizers/stopping.hpp"

namespace kurbel {

/// One run of one optimizer on one problem. Adapters ask it for evaluations and tell it which designs they
/// accept; it evaluates each design once, keeps the best, reports, and says when to end.
class OptimizationRun {
 public:
  /// @param memory  how many of the last evaluations are kept for repeated questions, at least 2
  /// @throws InputError if the method cannot treat the problem, or bounds or start are unusable
  OptimizationRun(const OptimizerOptions& options, Nlp& nlp, const VectorXd& start,
                  const IterationCallback& callback, int memory);

  /// The start, moved into the bounds.
  const VectorXd& start() const { return start_; }

  /// Values and gradients at x. Valid until `memory` other designs were evaluated.
  /// @return nullptr if the evaluation fails; ask status() for the reason. Many failures in a row end the
  /// run.
  const Evaluation* evaluate(const VectorXd& x);

  /// Reports x as the next iteration, the first time as the start, and applies the stopping rules.
  /// @param change_counts      see StoppingRules::after_iteration
  /// @param counts_at_optimum  the same, where the KKT residual is within converged_kkt_residual
  /// @return whether to go on
  bool accept(const VectorXd& x, const Evaluation& evaluation, bool change_counts = true,
              bool counts_at_optimum = false);

  /// Tells that the functions are others from now on: progress counts from here.
  void functions_changed() { rules_.begin_anew(); }

  /// Evaluates and accepts the start; ends the run when that fails. @return nullptr in that case
  const Evaluation* begin();

  /// Ends the run; the first reason given stays.
  void stop(StopReason reason, const std::string& message);
  void stop_by_failure();
  /// The same, by a failure that other evaluations have followed.
  void stop_by_failure(const Status& failure);
  bool stopped() const { return stop_.has_value(); }

  /// |f| at the first design that was evaluated, 1 if that is 0: the unit in which backends see the
  /// objective.
  double objective_scale() const { return objective_scale_; }
  /// The design accepted last.
  const VectorXd& accepted() const { return accepted_; }
  const Status& status() const { return status_; }
  bool is_feasible(const Evaluation& evaluation) const;

  OptimizerResult result() const;

 private:
  struct Visit {
    VectorXd x;
    Evaluation evaluation;
    Status status;
  };

  void note(const Visit& visit);
  void stop_by_many_failures();
  double gradient_scale() const;
  double kkt_at(const VectorXd& x, const Evaluation& evaluation) const;

  OptimizerOptions options_;
  Nlp& nlp_;
  VectorXd start_;
  const IterationCallback& callback_;
  StoppingRules rules_;
  BestDesign best_;
  std::vector<Visit> visits_;  ///< a ring
  std::size_t next_ = 0;
  int evaluations_ = 0;
  int failures_in_a_row_ = 0;
  int accepted_count_ = 0;
  VectorXd accepted_;
  Status status_;
  double objective_scale_ = 0.0;
  double gradient_scale_ = 0.0;  ///< largest |df/dx| of the accepted designs: the unit of the KKT residual
  std::optional<Stop> stop_;
};

}  // namespace kurbel
