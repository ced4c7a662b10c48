/// @file
/// A stage of a problem as a nonlinear program, in whatever formulation.                        [P2, eqs 1-4]
#pragma once

#include <atomic>
#include <functional>

#include "evaluation/constraint_rows.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

/// minimize psi(x) under the constraints of ConstraintRows. A stage varies some variables of the space;
/// the others keep their values. Diagnostics are those of criterion_values.hpp; of robust designs each function at its worst, then those of
/// the three designs one after the other.
///
/// With projection.robust = d > 0, psi is that of the worst of three designs, with the thresholds eta, eta + d (eroded) and eta - d (dilated)
/// [Wang, Lazarov, Sigmund 2011], and each inequality on the motion is a row for each of the three: rows of a single worst design would have
/// kinks where two are equally bad. Volume, mass and equalities are those of the design at eta.
class ProblemNlp final : public Nlp {
 public:
  /// Begins with the last stage.
  /// @param interrupted  polled after each evaluation
  /// @throws as begin()
  ProblemNlp(EvaluationChain& chain, const DesignSpace& space, const std::atomic<bool>& interrupted);

  /// Continues with a stage of the problem.
  /// @param x  all variables of the space; what does not vary stays as it is here
  /// @throws InputError if a constraint on the initial state, which nothing changes, is violated
  void begin(std::size_t stage, const VectorXd& x);

  /// Bounds DesignSpace::grey_level() from above, or removes this bound, for problems with a projection.
  void bound_grey_level(std::optional<double> bound);

  Eigen::Index n_variables() const override { return static_cast<Eigen::Index>(varying_.size()); }
  Eigen::Index n_constraints() const override { return rows_.size(); }
  Eigen::Index n_equalities() const override { return rows_.n_equalities(); }
  const VectorXd& lower() const override { return lower_; }
  const VectorXd& upper() const override { return upper_; }
  std::vector<std::pair<int, int>> constraint_sparsity() const override;
  /// 1 for controls, 0 for all others.
  std::vector<int> variable_groups() const override;
  /// The first successful one measures the error of a continuous adjoint.
  Status evaluate(const VectorXd& x, Evaluation& out) override;
  /// Objective and constraints alone; gradients are empty.
  Status find_values(const VectorXd& x, Evaluation& out);
  bool stop_requested() const override { return interrupted_; }

  const ConstraintRows& rows() const { return rows_; }
  std::size_t stage() const { return chain_.requested().stage; }

  /// Picks the variables of the space that vary; and completes them with the others' values.
  VectorXd reduced(const VectorXd& x) const { return x(varying_); }
  VectorXd full(const VectorXd& x) const;
  /// An evaluation with a column for every variable of the space and a row for every constraint of the last
  /// stage, the ones that do not count here zero, and with diagnostics on every function, NaN where it does not
  /// count; and back.
  Evaluation expanded(const Evaluation& evaluation) const;
  Evaluation reduced(const Evaluation& evaluation) const;
  Eigen::Index n_all_constraints() const { return all_rows_.size(); }
  /// Numbers of an expanded evaluation's diagnostics.
  Eigen::Index n_all_diagnostics() const;

  /// The result of the last evaluation that was computed, at eta.
  const ChainResult& last() const { return result_; }

 private:
  /// The chain at x, varied variables, as far as an Evaluation needs it.
  using EvaluateOne =
      std::function<Status(const VectorXd& x, double shift, ChainResult& result, Evaluation& out)>;
  Status evaluate_designs(const VectorXd& varied, const EvaluateOne& evaluate_one, Evaluation& out);
  Status evaluate(const VectorXd& x, double shift, ChainResult& result, Evaluation& out);
  Status find_values(const VectorXd& x, double shift, ChainResult& result, Evaluation& out);
  ConstraintRows rows_of_stage() const;
  VectorXd worst_of_functions(const Evaluation& evaluation) const;
  void take_worse(const Evaluation& other, VectorXd& worst, Evaluation& out) const;
  void take_rows(DesignOf design, const Evaluation& other, Evaluation& out) const;
  bool may_depend(const ConstraintRow& row, Eigen::Index variable) const;
  std::vector<Eigen::Index> places_of_functions() const;
  VectorXd expanded_diagnostics(const VectorXd& diagnostics) const;
  VectorXd reduced_diagnostics(const VectorXd& diagnostics) const;
  Eigen::Index index_of(const ConstraintRow& row) const;

  EvaluationChain& chain_;
  const DesignSpace& space_;
  const std::atomic<bool>& interrupted_;
  std::vector<Eigen::Index> varying_;  ///< among the variables of the space
  VectorXd x_, lower_, upper_;
  ConstraintRows rows_, all_rows_;
  std::vector<Eigen::Index> indices_;  ///< of rows_ among all_rows_
  ChainResult result_;
  bool adjoint_measured_ = false;
};

}  // namespace kurbel
