/// @file
/// The topology optimization as a nonlinear program: psi over the design variables; volume, mass and criteria
/// of the motion bounded.
#pragma once

#include <atomic>

#include "evaluation/design_space.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

/// minimize psi(x) with, as far as they are given,
///     volume_fraction / bound - 1 <= 0,               mass / bound - 1 <= 0,
/// and the rows of criteria (constraint_rows.hpp). Equalities stand first. Remarks are those of
/// criterion_values.hpp.
class DesignNlp final : public Nlp {
 public:
  /// Both must outlive the program. `interrupted` is polled after each evaluation.
  DesignNlp(EvaluationChain& chain, const DesignSpace& space, const std::atomic<bool>& interrupted);

  Eigen::Index n_variables() const override { return space_.n_variables(); }
  Eigen::Index n_constraints() const override { return n_constraints_; }
  Eigen::Index n_equalities() const override { return n_equalities_; }
  const VectorXd& lower() const override { return space_.lower(); }
  const VectorXd& upper() const override { return space_.upper(); }
  /// The first one that succeeds measures the error of the continuous adjoint, where that is the method.
  Status evaluate(const VectorXd& x, Evaluation& out) override;
  bool stop_requested() const override { return interrupted_; }

  /// Of the last evaluation that was computed.
  const ChainResult& last() const { return result_; }

 private:
  EvaluationChain& chain_;
  const DesignSpace& space_;
  const std::atomic<bool>& interrupted_;
  ConstraintOptions options_;
  Eigen::Index n_equalities_, n_constraints_;
  ChainResult result_;
  bool adjoint_measured_ = false;
};

}  // namespace kurbel
