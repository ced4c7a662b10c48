/// @file
/// The seam of the optimizers: a bounded nonlinear program, and what solves it. Knows nothing of mechanics.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

/// Objective and constraints at one design, with gradients.
struct Evaluation {
  double objective = 0.0;
  VectorXd gradient;              ///< n
  VectorXd constraints;           ///< m values; equalities first, then inequalities g <= 0
  MatrixXd constraint_gradients;  ///< m x n
  VectorXd diagnostics{};         ///< what the problem notes of the design; no optimizer looks at it
};

/// minimize f(x), lower <= x <= upper, g_i(x) = 0 (i < n_equalities), g_i(x) <= 0 (the others).
/// Constraints should be of order one: a violation below OptimizerOptions::feasibility counts as none.
class Nlp {
 public:
  virtual ~Nlp() = default;
  virtual Eigen::Index n_variables() const = 0;
  virtual Eigen::Index n_constraints() const = 0;
  virtual Eigen::Index n_equalities() const { return 0; }
  virtual const VectorXd& lower() const = 0;
  virtual const VectorXd& upper() const = 0;

  /// Pairs (constraint, variable) whose gradient entry can be non-zero, for sparse solvers; empty means
  /// dense.
  virtual std::vector<std::pair<int, int>> constraint_sparsity() const { return {}; }

  /// Group of each variable, from 0 on: variables of one kind, as controls. MMA has a conservatism for each group
  /// (mma_approximation.hpp). Empty: all are of one kind.
  virtual std::vector<int> variable_groups() const { return {}; }

  /// All values and gradients at x. A failure is returned, not thrown; every optimizer tries a shorter step then,
  /// and ends after many failures in a row. A value that is not finite counts as a failure.
  virtual Status evaluate(const VectorXd& x, Evaluation& out) = 0;

  /// Tells that the optimizer moves to x and asks no more about what it has seen before. A problem that scales its
  /// functions anew from there changes `evaluation`, which is that of x. Called by optimizers that remember no values
  /// of functions: remembers_values() of the method is false.
  virtual void moved_to(const VectorXd& /*x*/, Evaluation& /*evaluation*/) {}

  /// Requested after every evaluation: true ends the optimization as interrupted, before the iteration is
  /// complete.
  virtual bool stop_requested() const { return false; }
};

/// A nonlinear program that asks another one: all of it, unless overridden.
class ForwardingNlp : public Nlp {
 public:
  explicit ForwardingNlp(Nlp& nlp) : nlp_(nlp) {}
  Eigen::Index n_variables() const override { return nlp_.n_variables(); }
  Eigen::Index n_constraints() const override { return nlp_.n_constraints(); }
  Eigen::Index n_equalities() const override { return nlp_.n_equalities(); }
  const VectorXd& lower() const override { return nlp_.lower(); }
  const VectorXd& upper() const override { return nlp_.upper(); }
  std::vector<std::pair<int, int>> constraint_sparsity() const override { return nlp_.constraint_sparsity(); }
  std::vector<int> variable_groups() const override { return nlp_.variable_groups(); }
  void moved_to(const VectorXd& x, Evaluation& evaluation) override { nlp_.moved_to(x, evaluation); }
  bool stop_requested() const override { return nlp_.stop_requested(); }

 protected:
  Nlp& nlp_;
};

/// Why an optimization ended.
enum class StopReason {
  design_change,
  kkt_residual,
  progress,
  iterations,
  wall_time,
  interrupted,
  failure,
  solver
};

struct OptimizerOptions {
  std::string method = "mma";        ///< one of optimizer_methods
  int max_iterations = 400;          ///< 0 evaluates the start only
  double design_change = 2e-3;       ///< stop when max |x_k+1 - x_k| stays below; 0 turns it off
  int design_change_iterations = 2;  ///< "stays": in so many consecutive iterations
  double kkt_residual = 0.0;         ///< stop when the scaled KKT residual is below; 0 turns it off
  double progress = 0.0;         ///< stop when the least feasible objective falls by less than this share ...
  int progress_iterations = 10;  ///< ... in so many iterations; 0 turns it off
  int patience = 3;        ///< so many times as many, while the KKT residual is above converged_kkt_residual
  double wall_time = 0.0;  ///< s; 0 means no limit
  /// Names of these two limits in messages, "optimizer.stop.iterations = 400"; empty: what they limit.
  std::string name_of_iterations{}, name_of_wall_time{};
  double feasibility = 1e-6;  ///< largest violation of a constraint that counts as none
  double move_limit = 0.2;    ///< OC only: largest change of a variable per iteration
  double oc_damping = 0.5;    ///< OC only: exponent of the update, in (0, 1]
  bool oc_curvature = true;   ///< OC only: whether its approximation has the curvature of the last step
  bool near_optimum = false;  ///< Ipopt, MMA: whether to begin with small steps, near the start
  double first_move = 0.2;    ///< MMA near an optimum: longest first step of a variable, in ranges
  /// "mma" of up to 30 variables: iterations after which it takes the curvature of the last steps; none: never.
  std::optional<int> curvature_after{};
};

/// Report of an iteration (an accepted design), for progress and history.
///
/// An iteration is: OC, one update; MMA and GCMMA, one outer iteration; Ipopt, one of its iterations outside the
/// restoration phase; NLopt's MMA, CCSA, BFGS and L-BFGS, each evaluation that improves on the last iteration in the way by which NLopt accepts a design
/// (lower objective and feasible, or closer to feasibility), since NLopt does not tell its own; augmented
/// Lagrangian, each evaluation.
struct IterationReport {
  int iteration = 0;    ///< 0 is the start
  int evaluations = 0;  ///< so far, replayed ones included
  const VectorXd* x = nullptr;
  const Evaluation* evaluation = nullptr;
  double design_change = 0.0;  ///< max |x_k - x_k-1|; 0 at the start
  double kkt_residual = 0.0;   ///< KktResidual::total of kkt.hpp, scaled by the largest |df/dx| so far
};

struct OptimizerResult {
  VectorXd x;             ///< the best feasible of all evaluated designs, or else the least infeasible one
  Evaluation evaluation;  ///< at x; empty when not even the start could be evaluated
  StopReason reason = StopReason::solver;
  std::string ending;   ///< `reason` in plain words
  std::string message;  ///< the same, with what is violated if no design was feasible
  bool feasible = false;
  double kkt_residual = 0.0;    ///< at x
  double gradient_scale = 1.0;  ///< largest |df/dx| of the run: the unit of the KKT residual
  int iterations = 0;
  int evaluations = 0;
  Status status;  ///< set when reason == failure
};

/// Called after each iteration; returning false ends the optimization (StopReason::interrupted).
using IterationCallback = std::function<bool(const IterationReport&)>;

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// @param start     (n) moved into the bounds if it lies outside
  /// @param callback  may be empty
  /// @throws InputError if the method cannot treat this kind of problem, or if bounds or start are unusable;
  ///         whatever the problem or the callback throws passes through
  virtual OptimizerResult minimize(Nlp& nlp, const VectorXd& start, const IterationCallback& callback) = 0;
};

/// "oc", "mma", ...: the words of the table of methods in optimizer.cpp
extern const std::vector<std::string> optimizer_methods;

/// True if a method compares values of functions at designs of different iterations, so that none may change; others call
/// Nlp::moved_to().
bool remembers_values(const std::string& method);

/// The reason why a method cannot treat problems with so many constraints, or nothing if it can.
/// @throws InputError if the method is unknown, with the nearest known one
std::optional<std::string> why_unsuitable(const std::string& method, Eigen::Index n_constraints,
                                          Eigen::Index n_equalities);

/// @throws InputError if the method is unknown (with the nearest known one) or an option is out of range
std::unique_ptr<Optimizer> make_optimizer(const OptimizerOptions& options);

}  // namespace kurbel
