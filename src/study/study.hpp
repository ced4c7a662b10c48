/// @file
/// The centre of the library: a problem that can be evaluated, simulated and optimized. It writes no files; results are
/// reported as events (study_events.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "evaluation/problem_nlp.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "study/stage_loop.hpp"
#include "study/study_events.hpp"

namespace kurbel {

/// A variable of the optimization, in its own unit.
struct StudyVariable {
  std::string name;     ///< "crank 17" for a density, otherwise the name in the input
  std::string unit;     ///< empty for numbers without a unit
  double lower, upper;  ///< infinite without a bound
};

/// The result of an optimization.
struct StudyResult {
  OptimizerResult optimum;  ///< with all variables and all constraints
  std::vector<StageResult> stages;
  bool begun = false;  ///< true if any design could be evaluated
  int n_replayed = 0;  ///< evaluations that a record answered
};

/// Owns the problem, its bodies, its model and its variables. One thread at a time.
class Study {
 public:
  enum class Variables {
    of_problem,   ///< the variables of the optimizer, before filter and projection
    to_evaluate,  ///< the densities themselves, if a file gives them (DesignSpace::to_evaluate)
  };

  /// @param density_file  in place of design.start; or empty
  /// @throws InputError  for mistakes that only the finite-element model finds
  explicit Study(Problem problem, Variables variables = Variables::of_problem,
                 const std::string& density_file = {});
  /// @param overrides  as of `--set`
  /// @throws InputError  as read_problem() and the constructor
  static Study read(const std::string& file, const std::vector<std::string>& overrides = {});

  /// Sets the number of threads of all further work; 0, the default: that of the calling thread (base/parallel.hpp).
  /// Results do not depend on it.
  void set_threads(int n) { threads_ = n; }

  const Problem& problem() const { return chain_->problem(); }
  EvaluationChain& chain() { return *chain_; }
  const EvaluationChain& chain() const { return *chain_; }
  DesignSpace& space() { return *space_; }
  const DesignSpace& space() const { return *space_; }

  Eigen::Index n_variables() const { return space_->n_variables(); }
  StudyVariable variable(Eigen::Index i) const;
  /// The start and the bounds of the vector x of all variables: densities, then numbers, which are scaled to [0, 1] where
  /// they have both bounds.
  const VectorXd& start() const { return space_->start(); }
  const VectorXd& lower() const { return space_->lower(); }
  const VectorXd& upper() const { return space_->upper(); }
  /// @throws InputError unless x has a value for each variable, which all functions below require
  void require_length(const VectorXd& x) const;
  /// Names of the constraints, equalities first, in the order of Evaluation::constraints.
  std::vector<std::string> constraints();

  /// Finds objective, constraints and the gradients of all, with the present projection: its first beta, or the beta with
  /// which an optimization ended.
  /// @param x  n_variables
  Status evaluate(const VectorXd& x, Evaluation& out);
  /// The same without gradients, in the time of a simulation.
  Status find_values(const VectorXd& x, Evaluation& out);
  /// The motion of a design, without gradients. After a failure, trajectory.n_stored columns hold.
  Status simulate(const VectorXd& x, ChainResult& out);
  /// Simulates any design, with the tables of the motion, and reports them to `events`.
  /// @return  a failure also if a table is not finite
  Status simulate(const Design& design, StudyEvents& events, ChainResult& out);
  /// Gradients of the objective and of all requested functions; the error of a continuous adjoint is measured.
  /// Unless something fails, they are reported to `events`.
  /// @param bars  by Design, as EvaluationChain::gradients()
  Status differentiate(const VectorXd& x, StudyEvents& events, ChainResult& out, std::vector<Design>& bars);

  /// Names of the rows of [outputs.*], "tip.x", in the order of the rows of Motion::outputs().
  std::vector<std::string> outputs() const;
  /// The gradient of a caller's function of the outputs over time, exact for the discrete motion.
  /// @param at      result of simulate() at x, the last design of this study
  /// @param seeds   derivatives of the function by the values of Motion::outputs()
  /// @param x_bar   (n_variables)
  /// @throws InputError  as EvaluationChain::output_gradients()
  Status pull_back(const VectorXd& x, const OutputSeeds& seeds, ChainResult& at, VectorXd& x_bar);

  /// Runs the stages of the problem, each in the steps of its continuation.
  /// @param source  evaluations of an earlier run, which this one continues; may be empty
  /// @throws InputError unless the problem can be optimized (require_optimization_problem)
  StudyResult optimize(StudyEvents& events, const RecordedNlp::Source& source = {});

  /// The nonlinear program, at first that of the last stage.
  ProblemNlp& program();

 private:
  int threads_ = 0;
  std::unique_ptr<EvaluationChain> chain_;
  std::unique_ptr<DesignSpace> space_;
  std::unique_ptr<std::atomic<bool>> never_ = std::make_unique<std::atomic<bool>>(false);
  std::unique_ptr<ProblemNlp> program_;  ///< made on first use
};

}  // namespace kurbel
