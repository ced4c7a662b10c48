/// @file
/// The chain of one evaluation in one place, in whatever formulation:
///
///     design -> fem::FlexibleBody -> SID -> Motion -> trajectory -> psi
///     d psi/d design <- pull-back <- d psi/d SID, d psi/d numbers <- sensitivity method <-
///
/// An analysis of the bodies alone has another end (analysis/body_question.hpp):
///
///     design -> fem::FlexibleBody -> K, m -> BodyAnswer -> psi
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/body_question.hpp"
#include "evaluation/flexible_bodies.hpp"
#include "formulation/motion_model.hpp"

namespace kurbel {

/// Wall-clock seconds of the links of the chain.
struct ChainTimes {
  double reduction = 0.0, simulation = 0.0, adjoint = 0.0, pullback = 0.0;
};

/// The results of one evaluation.
struct ChainResult {
  Design design;
  std::vector<fem::ReducedBody> reduced;  ///< in the order of Problem::bodies
  StressModesOfSets stress;               ///< for von Mises criteria
  std::unique_ptr<BodyAnswer> answer;     ///< with a question in place of a motion
  std::unique_ptr<Motion> motion;
  Trajectory<double> trajectory;
  double psi = 0.0;
  VectorXd criteria;                    ///< the requested functions
  std::vector<CriterionValues> values;  ///< psi and these functions, with what they hide
  double invariance_defect =
      0.0;  ///< largest U^T U_bar of all bodies, relative (fem::PullbackReport) or beside the value
  int cg_iterations = 0;
  VectorXd adjoint_errors;           ///< by measure_adjoint_errors(); empty: not measured
  std::string adjoint_not_measured;  ///< the reason why a due measurement is missing
  double derivative_bytes = 0.0;     ///< of all dM0, dM1, dMn together; 0 with the pull-back
  ChainTimes times;
};

/// One per run. Not thread-safe.
class EvaluationChain {
 public:
  /// @throws InputError for what only the finite-element model can find out
  explicit EvaluationChain(Problem problem);
  explicit EvaluationChain(std::shared_ptr<const Problem> problem);

  const Problem& problem() const { return problem_; }
  const StressSets& stress_sets() const { return *stress_sets_; }
  /// False if the end of the chain is a question about the bodies alone; there is no model then.
  bool has_motion() const { return model_ != nullptr; }
  MotionModel& model() { return *model_; }
  const MotionModel& model() const { return *model_; }
  /// The functions that can be requested.
  const std::vector<CriterionConstraint>& functions() const { return problem_.constraints.criteria; }

  /// Chooses what further evaluations compute: the objective of a stage of the problem and, in the order of its
  /// constraints, the functions that these bound. At first, the stage is the last one.
  void ask(std::size_t stage);
  const RequestedFunctions& requested() const { return requested_; }
  /// A requested function.
  const CriterionConstraint& function(std::size_t j) const { return functions()[requested_.functions[j]]; }

  const FlexibleBodies& bodies() const { return bodies_; }
  /// nullptr for a body without a mesh
  fem::FlexibleBody* body(std::size_t i) { return bodies_[i]; }
  const fem::FlexibleBody* body(std::size_t i) const { return bodies_[i]; }
  std::size_t n_bodies() const { return bodies_.size(); }

  /// The design with these densities, and all else as in the input.
  Design nominal(const BodyFields& densities) const;

  /// Design -> SIDs; without a motion nothing but the design is taken. Before the first one, bodies with modes.up_to count their modes at the start design of
  /// the problem, whatever this design is.
  Status reduce(const Design& design, ChainResult& out);
  Status reduce(const BodyFields& densities, ChainResult& out) { return reduce(nominal(densities), out); }
  /// SIDs -> a mechanism that can be simulated. The first one decides what all share, such as the choice of
  /// redundant constraints to remove.
  Status make_motion(ChainResult& out);
  /// SIDs -> trajectory, or matrices of bodies -> answer; psi if there is an objective, and the functions requested. After a failure,
  /// trajectory.n_stored columns hold.
  Status simulate(ChainResult& out);
  /// The same before gradients() are taken: with sensitivity.method = "direct", states are differentiated as the steps are
  /// taken (Motion::simulate_along()).
  Status simulate_for_gradients(ChainResult& out);
  /// Backwards from a simulation: d psi / d SID of every body, with independent entries.
  std::vector<Sid> sid_adjoint(ChainResult& at) const;
  std::vector<Sid> sid_adjoint(ChainResult& at, SensitivityOptions::Method method) const;
  /// Backwards from a simulation: d psi / d design, by the path that the problem chooses. For a body without
  /// an ElementQuantity in [variables], only by the densities.
  Status gradient(ChainResult& at, Design& bar);
  /// The same for the objective and for every requested function, in one sweep over the time steps.
  /// @param bars  the first is that of the objective
  Status gradients(ChainResult& at, std::vector<Design>& bars);
  /// The same for any function of the outputs over time, by the discrete adjoint.
  /// @param at     of simulate()
  /// @param seeds  its derivatives by Motion::outputs()
  /// @param bars   one
  /// @throws InputError  where the steps have no discrete adjoint, or the seeds another shape than the outputs
  Status output_gradients(ChainResult& at, const OutputSeeds& seeds, std::vector<Design>& bars);
  /// The same for the objective, or for all functions, by the given method.
  Status gradients(ChainResult& at, bool with_constraints, SensitivityOptions::Method method,
                   std::vector<Design>& bars);

  /// The method of gradients() of all functions: `automatic` resolved.
  SensitivityOptions::Method method(const ChainResult& at) const;

  /// Passes the moving mechanism to `show`, as Motion::draw(), with the stresses of the first stress criterion of bodies with
  /// a mesh.
  /// @return  deviations of the drawing from the true picture, for the log
  std::vector<std::string> draw(const ChainResult& at, const FramesReceiver& show);

 private:
  /// Finite differences by the numbers of the mechanism.
  Status differences(const ChainResult& at, bool with_constraints, std::vector<Design>& bars);
  Status simulate(ChainResult& out, bool along_design);
  Status evaluate_answer(ChainResult& out);
  void take_values(std::vector<CriterionValues> values, ChainResult& out) const;
  Status gradients_of_answer(ChainResult& at, bool with_constraints, std::vector<Design>& bars);
  Status evaluate_motion(ChainResult& out, bool along_design);
  Status check_gradients(ChainResult& at, bool with_constraints, const std::vector<Design>& bars) const;
  /// The body, or the variable, whose derivative is not finite.
  std::optional<std::string> number_not_finite(const Design& bar) const;
  RequestedFunctions requested(bool with_constraints) const;
  std::vector<fem::StressBar> stress_bars(std::size_t i, const ChainResult& at,
                                          const std::vector<MatrixXd>& of_sets) const;
  Status contract(std::size_t i, const std::vector<fem::FunctionBar>& functions, ChainResult& at,
                  std::vector<fem::BodyDesign>& of_body, std::vector<fem::PullbackReport>& reports);
  Status pullback(std::size_t i, const DesignDirections& directions,
                  const DirectionalDerivatives& of_functions, ChainResult& at, std::vector<Design>& bars);
  /// The same of all bodies, and of the numbers of the mechanism.
  Status pullback(const DesignDirections& directions, const DirectionalDerivatives& of_functions,
                  ChainResult& at, std::vector<Design>& bars);
  Status count_modes();

  std::shared_ptr<const Problem> owned_;
  const Problem& problem_;            ///< *owned_
  std::vector<bool> only_densities_;  ///< by body
  std::vector<bool> varied_;          ///< by body, densities or quantities of elements
  bool modes_counted_ = false;
  std::shared_ptr<const StressSets> stress_sets_;
  FlexibleBodies bodies_;
  std::unique_ptr<BodyQuestion> question_;
  std::shared_ptr<MotionModel> model_;  ///< if there is no question
  RequestedFunctions requested_;
};

}  // namespace kurbel
