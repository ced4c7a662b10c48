/// @file
/// The chain of design.md in one place:
///
///     design -> fem::FlexibleBody -> SID -> MultibodySystem -> trajectory -> psi
///     d psi/d design <- pull-back <- d psi/d SID <- sensitivity method <-
#pragma once

#include <memory>
#include <vector>

#include "evaluation/criterion_values.hpp"
#include "evaluation/design.hpp"
#include "evaluation/stress_sets.hpp"
#include "fem/flexible_body.hpp"
#include "floating_frame/criterion.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Wall-clock seconds of the links of the chain.
struct ChainTimes {
  double reduction = 0.0, simulation = 0.0, adjoint = 0.0, pullback = 0.0;
};

/// Everything that one evaluation leaves behind.
struct ChainResult {
  Design design;
  std::vector<fem::ReducedBody> reduced;  ///< in the order of Problem::bodies
  StressModesOfSets stress;               ///< what von Mises criteria see
  std::unique_ptr<MultibodySystem<double>> system;
  std::unique_ptr<GeneralizedAlpha<double>> integrator;
  Trajectory<double> trajectory;
  double psi = 0.0;
  VectorXd criteria;                    ///< those of [constraints], in their order
  std::vector<CriterionValues> values;  ///< psi and the criteria, with what they hide
  double invariance_defect =
      0.0;  ///< largest U^T U_bar of all bodies, relative (fem::PullbackReport) or beside the value
  int cg_iterations = 0;
  VectorXd adjoint_errors;        ///< what measure_adjoint_errors() found; empty: not measured
  double derivative_bytes = 0.0;  ///< of all dM0, dM1, dMn together; 0 with the pull-back
  ChainTimes times;
};

/// What a simulation tells about its own quality.
struct SimulationReport {
  double newton_iterations_per_step = 0.0;
  double position_defect = 0.0;  ///< largest |c|, m or rad
  double velocity_drift = 0.0;   ///< largest |c_dot|, m/s or rad/s
};

/// One per run: meshes, matrix patterns and symbolic factors are made once. Not thread-safe.
class EvaluationChain {
 public:
  /// The problem must outlive the chain.
  /// @throws InputError for what only the finite-element model can find out
  explicit EvaluationChain(const Problem& problem);

  const Problem& problem() const { return problem_; }
  const StressSets& stress_sets() const { return stress_sets_; }
  /// nullptr for a body without a mesh
  fem::FlexibleBody* body(std::size_t i) { return bodies_[i].get(); }
  const fem::FlexibleBody* body(std::size_t i) const { return bodies_[i].get(); }
  std::size_t n_bodies() const { return bodies_.size(); }

  /// The design with these densities, and all else as in the input.
  Design nominal(const BodyFields& densities) const;

  /// Design -> SIDs. Before the first one, bodies with modes.up_to count their modes at the start design of
  /// the problem, whatever this design is.
  Status reduce(const Design& design, ChainResult& out);
  Status reduce(const BodyFields& densities, ChainResult& out) { return reduce(nominal(densities), out); }
  /// SIDs -> trajectory, psi if the problem has an objective, and criteria. After a failure,
  /// trajectory.n_stored columns hold.
  Status simulate(ChainResult& out);
  /// Backwards from a simulation: d psi / d SID of every body, entries taken as independent.
  std::vector<Sid> sid_adjoint(ChainResult& at) const;
  std::vector<Sid> sid_adjoint(ChainResult& at, SensitivityOptions::Method method) const;
  /// Backwards from a simulation: d psi / d design, by the path that the problem chooses. Of a body that no
  /// ElementQuantity of [variables] varies, by the densities alone.
  Status gradient(ChainResult& at, Design& bar);
  /// The same of the objective and of every criterion of [constraints], in one sweep over the time steps.
  /// @param bars  first of the objective
  Status gradients(ChainResult& at, std::vector<Design>& bars);
  /// The same of the objective, or of all, by a method of one's choice.
  Status gradients(ChainResult& at, bool with_constraints, SensitivityOptions::Method method,
                   std::vector<Design>& bars);

  /// Constraint violations along a simulation.
  SimulationReport report(const ChainResult& result) const;

 private:
  Criterion<double> criterion(const ChainResult& at, const std::vector<CriterionTerm>& terms) const;
  void evaluate_criteria(ChainResult& at) const;
  /// Sensitivities by function: d psi / d (parameters of the mechanism) as columns, and d psi / d (stress
  /// modes) of every set.
  struct ParameterBars {
    MatrixXd p;
    std::vector<std::vector<MatrixXd>> stress;
  };
  ParameterBars parameter_gradients(const ChainResult& at, bool with_constraints,
                                    SensitivityOptions::Method method) const;
  Sid sid_bar(std::size_t i, const ChainResult& at, const VectorXd& p_bar) const;
  std::vector<fem::StressBar> stress_bars(std::size_t i, const ChainResult& at,
                                          const std::vector<MatrixXd>& of_sets) const;
  Status pullback(std::size_t i, const ParameterBars& of_functions, ChainResult& at,
                  std::vector<Design>& bars);

  Status find_rigid_targets(const SystemSpec& spec);
  Status count_modes();

  const Problem& problem_;
  std::vector<bool> only_densities_;                     ///< by body
  std::vector<SystemQuantity> system_quantities_;        ///< among [variables], in their order
  std::vector<CriterionTerm> objective_;                 ///< the problem's, with the targets that are found
  std::vector<std::vector<CriterionTerm>> constrained_;  ///< the same by criterion of [constraints]
  bool rigid_targets_known_ = false, modes_counted_ = false;
  StressSets stress_sets_;
  std::vector<std::unique_ptr<fem::FlexibleBody>> bodies_;
};

}  // namespace kurbel
