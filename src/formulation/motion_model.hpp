/// @file
/// The seam between a formulation and everything that serves all of them: variables, nonlinear program,
/// sensitivity methods, records and results.
///
///     Mechanism with its values -> MotionModel::make() -> Motion: discrete equations, functions of the
///     motion d psi / d p -> d psi / d (numbers of the mechanism), d psi / d SID
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shared.hpp"
#include "floating_frame/start_report.hpp"
#include "formulation/criterion_values.hpp"
#include "formulation/stress_sets.hpp"
#include "integration/dae_steps.hpp"
#include "problem/problem.hpp"
#include "results/body_trajectories.hpp"
#include "results/motion_body.hpp"
#include "results/motion_frames.hpp"
#include "results/table_column.hpp"
#include "sensitivity/adjoint_constraints.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sid/named_sid.hpp"

namespace kurbel {

/// The functions that are evaluated on a motion: the objective of a stage, and some of ConstraintOptions::criteria.
struct RequestedFunctions {
  std::size_t stage = 0;  ///< index in Problem::stages()
  std::vector<std::size_t> functions;
  const std::vector<CriterionTerm>* objective = nullptr;  ///< of the caller, in place of that of the stage
};

/// Derivatives of a function of one's own by the values of outputs over time: a matrix for each of Motion::outputs(), in the
/// shape of its values; an empty one where the function does not depend on it.
using OutputSeeds = std::vector<MatrixXd>;

/// The values that a design gives to a mechanism.
struct MechanismValues {
  const VectorXd& numbers;              ///< in the order of MotionModel::numbers()
  const std::vector<const Sid*>& sids;  ///< by body; nullptr: as in the input
  const StressModesOfSets& stress;
};

/// Directions of a design in the space of the parameters of its motion: of every number of the mechanism, then of every
/// SID coefficient of the bodies requested.
struct DesignDirections {
  /// Directions of the coefficients of a body.
  struct Range {
    Eigen::Index first = 0, size = 0;
  };
  SparseMatrix p_dot;  ///< d (parameters) / d (number or coefficient), a column each
  Eigen::Index n_numbers = 0;
  std::vector<Range> of_sid;  ///< by body, empty where it is not requested; none at all if there are no SIDs
};

/// Derivatives of functions, a column each, along some directions; and, of each function, d psi / d (stress modes) of
/// every set, if there are any.
struct DirectionalDerivatives {
  MatrixXd along;
  std::vector<std::vector<MatrixXd>> stress;
};

/// A simulation in sentences and numbers, for the log and for --json.
struct MotionSummary {
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, double>> numbers;
};

/// A row of an output over time.
struct OutputHistory {
  std::string name, unit;
  std::vector<std::string> rows;  ///< "x", "y", "z"; empty: one row without a name
  MatrixXd values;                ///< a row per row, a column per instant
  std::vector<double> limits;     ///< which constraints set it, of either side
};

/// Numbers that are no histories over time.
struct ResultTable {
  std::string name;  ///< of its file
  std::vector<TableColumn> columns;
  MatrixXd values;          ///< a column per column
  bool has_curves = false;  ///< amplitudes, each followed by its phase, over the first column; drawn, too
};

/// Curves over time that belong into one panel of a picture.
struct HistoryPanel {
  std::string name, unit;         ///< "energy", "J"
  std::vector<std::string> rows;  ///< "kinetic"
  MatrixXd values;                ///< a row per row, a column per instant

  /// Room for rows that are filled later; no more are added.
  HistoryPanel(std::string name, std::string unit, std::vector<std::string> rows, Eigen::Index n_instants)
      : name(std::move(name)), unit(std::move(unit)), rows(std::move(rows)) {
    values.setZero(std::ssize(this->rows), n_instants);
  }
};

/// Three rows per name, "crank.x", "crank.y", "crank.z".
std::vector<std::string> by_axis(const std::vector<std::string>& names);

class MotionModel;

/// A mechanism with its values, ready to move. It owns the model that made it, together with others.
class Motion {
 public:
  explicit Motion(const MotionModel& model);
  virtual ~Motion() = default;

  const MotionModel& model() const { return model_; }
  /// True if every design has the same structure of the equations, so that this model can take the values of another.
  virtual bool is_of_every_design() const { return true; }
  /// Gives the motion the values of another design. Results are then the same, to the bit, as those of a new motion with
  /// these values, but the mechanism is not made again.
  /// @return  a failure where no mechanism can have them; the motion must not be used then
  virtual Status set(const MechanismValues& values) = 0;

  /// The discrete equations of motion r_k(y_{k-1}, y_k; p) = 0 with these values.
  virtual StepResidual<double>& steps() const = 0;
  /// The continuous equations that they integrate, in whose states y the trajectory is; nullptr: there are none of second
  /// order in common.
  virtual const SecondOrderDae<double>* equations() const { return nullptr; }
  /// The start of the motion, which simulate() finds as well.
  /// @throws InputError, with its place in the input, for constraints that depend on each other
  virtual Status initial_state(Eigen::Ref<VectorXd> y0) const { return steps().initial_state(y0); }
  /// @throws InputError, with its place in the input, for what only the motion can find out
  virtual Status simulate(Trajectory<double>& trajectory) {
    return kurbel::simulate(steps_to_take(), trajectory);
  }

  /// simulate(), with the derivatives of all states along some directions of parameter space. gradients() by direct
  /// differentiation along the same directions take them, and are cheap then. The motion is that of simulate() to the
  /// tolerance of its steps. Where the derivatives would fill more than half a gigabyte, it is simulate() alone.
  /// @param p_dot  (n_parameters x directions)
  virtual Status simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory);
  /// Forgets what simulate_along() kept, which belongs to the former values.
  void forget_directions() { directions_.reset(); }

  /// @param y0  state at the start
  /// @throws InputError, with its place in the input, where the ends of a spring with a free length, or of a force
  /// along a line, coincide, so that it has no direction
  virtual void check_lines(const Eigen::Ref<const VectorXd>& y0) const;

  /// (1 + number of functions requested), the objective first; it is zero if the problem has none.
  virtual std::vector<CriterionValues> values(const Trajectory<double>& trajectory,
                                              const RequestedFunctions& requested) const;
  /// The first of these functions whose value is not finite, and the first instant at which what it is made of is not.
  virtual Failure function_not_finite(const Trajectory<double>& trajectory,
                                      const RequestedFunctions& requested) const;
  /// The same as objectives of the discrete trajectory, with partials at this one.
  std::vector<std::shared_ptr<const Objective<double>>> objectives(const Trajectory<double>& trajectory,
                                                                   const RequestedFunctions& requested) const;
  /// A failure where one of these functions has a kink, so that it has no derivatives.
  virtual Status require_smooth(const Trajectory<double>&, const RequestedFunctions&) const { return {}; }
  /// Their derivatives, by direct differentiation or the discrete adjoint unless the formulation has others.
  /// @param p_dot  (n_parameters x directions)
  virtual DirectionalDerivatives gradients(const Trajectory<double>& trajectory,
                                           const RequestedFunctions& requested,
                                           SensitivityOptions::Method method, const SparseMatrix& p_dot);
  /// Derivatives of J, any function of the values z of outputs over time, by the discrete adjoint, in one sweep:
  ///     dJ = sum_ik (dJ / dz_i(t_k)) dz_i(t_k)
  /// @param seeds  dJ / dz
  /// @param p_dot  (n_parameters x directions)
  /// @throws InputError  if seeds are not in the shape of the outputs
  virtual DirectionalDerivatives output_gradients(const Trajectory<double>& trajectory,
                                                  const OutputSeeds& seeds, const SparseMatrix& p_dot);
  /// The instant at which the adjoint variables of these functions cease to be finite, backwards in time; NaN if they do
  /// not, or if this is not known.
  virtual double adjoint_not_finite(const Trajectory<double>& trajectory,
                                    const RequestedFunctions& requested);
  /// `automatic` resolved to the method that treats fewer columns: direct differentiation has one per
  /// direction all along, the adjoint method one per function until that function's own last step.
  virtual SensitivityOptions::Method resolve(SensitivityOptions::Method method,
                                             const Trajectory<double>& trajectory,
                                             const RequestedFunctions& requested, Eigen::Index n_directions);

  /// Errors of the costates of the objective in their constraints, if the continuous adjoint is that of
  /// motions with momenta.
  virtual std::optional<AdjointConstraints> adjoint_constraints(const Trajectory<double>&,
                                                                const RequestedFunctions&) const {
    return {};
  }

  /// The chain rule from a design to the parameters.
  /// @param with_sid  by body; ignored in formulations without SIDs
  virtual DesignDirections directions(const std::vector<bool>& with_sid) const = 0;
  /// d psi / d SID of a body from the derivatives along the directions of its coefficients; empty in formulations
  /// without SIDs.
  virtual Sid sid_bar(std::size_t /*body*/, const VectorXd& /*along*/) const { return {}; }

  /// [outputs.*], as far as the trajectory goes.
  virtual std::vector<OutputHistory> outputs(const Trajectory<double>& trajectory) const;
  /// Time histories of every motion, [outputs] aside: energies, and by formulation positions, speeds and forces.
  virtual std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const = 0;
  /// Results that are no histories.
  virtual std::vector<ResultTable> tables() const { return {}; }
  virtual MotionSummary summarize(const Trajectory<double>& trajectory) const = 0;
  /// Corrections of the given start by the joints.
  /// @param y0  of initial_state(), or of a trajectory; empty if the start failed
  virtual StartReport start_report(const Eigen::Ref<const VectorXd>& /*y0*/) const { return {}; }
  /// Warnings of what the equations or the steps do not describe, for the log: here, accelerations,
  /// reactions and drive torques that are requested and alternate from step to step.
  virtual std::vector<std::string> warnings(const Trajectory<double>& trajectory) const;
  /// Choices that its steps made by themselves, for the log.
  virtual std::vector<std::string> choices() const { return steps().choices(); }
  /// Standard input data by body.
  virtual std::vector<NamedSid> sids() const { return {}; }
  /// The trajectory body by body, if there are bodies.
  virtual std::optional<BodyTrajectories> body_trajectories(const Trajectory<double>&) const { return {}; }
  /// Places of the bodies' frames at the start of a motion; empty in formulations without bodies.
  virtual std::vector<MotionPose> start_poses(const Trajectory<double>& trajectory) const;
  /// Names of the entries of y that are coordinates and velocities, the former first and as many of them;
  /// empty: they are no table for a reader.
  virtual std::vector<std::string> state_names() const { return {}; }
  /// The unit of each of state_names(); empty: a plain number.
  virtual std::vector<std::string> state_units() const { return {}; }
  /// Yields the moving mechanism to `show`: as many frames as OutputOptions asks for. Several cases are shown one after the
  /// other, each under its name.
  /// @param meshes  of the bodies that have one, by body; the others draw themselves
  virtual void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
                    const FramesReceiver& show) const = 0;

 protected:
  /// Lengths of SystemSpec::springs, then of the forces between two places among its motors, in a state.
  virtual std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const = 0;
  /// A sum of terms.
  virtual Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const = 0;
  /// The same of terms that the model keeps: but for stresses, whose modes are a design's, found by their names once.
  Criterion<double> kept(const std::vector<CriterionTerm>& terms) const;
  std::vector<std::shared_ptr<const LinearizedCriterion>> linearize(
      const Trajectory<double>& trajectory, const RequestedFunctions& requested) const;
  /// The steps that simulate() takes: steps(), or within simulate_along() the same with their derivatives.
  StepResidual<double>& steps_to_take() const;
  /// Finds gradients by direct differentiation, from the results of simulate_along() if there are any.
  MatrixXd differentiate_directly(const Trajectory<double>& trajectory,
                                  const std::vector<const Objective<double>*>& objectives,
                                  const SparseMatrix& p_dot) const;
  /// Finds gradients by the continuous adjoint of the equations that the steps integrate.
  DirectionalDerivatives continuous_gradients(const SecondOrderDae<double>& equations,
                                              DaeSteps<double>& steps, const Trajectory<double>& trajectory,
                                              const RequestedFunctions& requested,
                                              const SparseMatrix& p_dot) const;

 private:
  std::shared_ptr<const MotionModel> owned_;
  const MotionModel& model_;  ///< *owned_
  std::unique_ptr<DifferentiatedSteps<double>> directions_;
  bool takes_directions_ = false;  ///< within simulate_along()
  mutable std::map<const std::vector<CriterionTerm>*, Criterion<double>> kept_;
};

/// The mechanism of a problem in its formulation. make_motion_model() makes it.
class MotionModel : public std::enable_shared_from_this<MotionModel> {
 public:
  explicit MotionModel(Shared<const Problem> problem);
  virtual ~MotionModel() = default;

  const Problem& problem() const { return problem_; }
  /// The functions that can be requested of a motion.
  const std::vector<CriterionConstraint>& functions() const { return problem_.constraints.criteria; }
  /// The terms of the objective and of the functions requested, in their order.
  std::vector<const std::vector<CriterionTerm>*> terms(const RequestedFunctions& requested) const;
  /// The numbers of the mechanism that [variables] and [controls] vary, as in the input.
  virtual VectorXd numbers() const = 0;
  /// The mechanism with the values of a design.
  /// @param out  a motion of every design that this model made before, which is set to them; else a new one takes its
  ///             place. Empty after a failure
  Status make(const MechanismValues& values, std::unique_ptr<Motion>& out);

  /// True if a function can depend on one of the numbers.
  virtual bool depends(std::size_t /*function*/, Eigen::Index /*number*/) const { return true; }
  /// @throws InputError, naming the constraint, if one of those requested is violated by an initial state
  /// that nothing changes
  virtual void require_possible_start(const VectorXd&, const RequestedFunctions&) {}

 protected:
  virtual Status make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) = 0;

  Shared<const Problem> shared_;
  const Problem& problem_;  ///< *shared_
  /// The terms of each stage, by function.
  std::vector<std::vector<CriterionTerm>> objectives_, constrained_;
};

/// @param stress_sets  of the problem
std::shared_ptr<MotionModel> make_motion_model(Shared<const Problem> problem,
                                               Shared<const StressSets> stress_sets);

}  // namespace kurbel
