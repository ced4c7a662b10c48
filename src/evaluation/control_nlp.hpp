/// @file
/// One stage of an optimal-control problem as a nonlinear program.                              [P2, eqs 1-4]
#pragma once

#include <atomic>

#include "evaluation/control_model.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

/// The entries of z that vary, each as x = (z - lower) / (upper - lower); without two finite bounds, x = z.
class ControlNlp final : public Nlp {
 public:
  /// The problem must outlive the program. `interrupted` is polled after each evaluation.
  /// @param z  what does not vary stays as it is here
  /// @throws InputError if a constraint on the initial state, which nothing changes, is violated
  ControlNlp(const ControlProblem& problem, const ControlStage& stage, const VectorXd& z,
             const std::atomic<bool>& interrupted);

  Eigen::Index n_variables() const override { return static_cast<Eigen::Index>(varying_.size()); }
  Eigen::Index n_constraints() const override { return static_cast<Eigen::Index>(model_.rows().size()); }
  Eigen::Index n_equalities() const override { return model_.n_equalities(); }
  const VectorXd& lower() const override { return lower_; }
  const VectorXd& upper() const override { return upper_; }
  std::vector<std::pair<int, int>> constraint_sparsity() const override;
  Status evaluate(const VectorXd& x, Evaluation& out) override;
  bool stop_requested() const override { return interrupted_; }

  /// The x of a z, and back.
  VectorXd reduced(const VectorXd& z) const;
  VectorXd full(const VectorXd& x) const;
  /// Entries of z behind the variables.
  const std::vector<Eigen::Index>& varying() const { return varying_; }

  ControlModel<double>& model() { return model_; }
  /// Seconds of simulations and of gradients so far.
  double simulation_seconds() const { return simulation_seconds_; }
  double gradient_seconds() const { return gradient_seconds_; }

 private:
  void check_start(const ControlProblem& problem);

  const std::atomic<bool>& interrupted_;
  ControlModel<double> model_;
  ControlSensitivity method_;
  VectorXd z_;
  std::vector<Eigen::Index> varying_;
  VectorXd offset_, range_, lower_, upper_;
  Trajectory<double> trajectory_;
  double simulation_seconds_ = 0.0, gradient_seconds_ = 0.0;
};

/// z of the problem's start, and its bounds.
VectorXd start_of(const ControlProblem& problem);
std::pair<VectorXd, VectorXd> bounds_of(const ControlProblem& problem);
/// "height[2]", "torque(0.4 s)"
std::vector<std::string> variable_names(const ControlProblem& problem);

}  // namespace kurbel
