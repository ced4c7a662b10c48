/// @file
/// The floating frame of reference behind the seam of motion_model.hpp.
#pragma once

#include "floating_frame/criteria.hpp"
#include "formulation/drawn_motion.hpp"
#include "formulation/motion_model.hpp"
#include "problem/varied_numbers.hpp"

namespace kurbel {

/// Violations of the constraints along a motion, and the work of its steps.
struct SimulationReport {
  double newton_iterations_per_step = 0.0;
  double position_defect = 0.0;  ///< largest |c|, m or rad
  double velocity_drift = 0.0;   ///< largest |c_dot|, m/s or rad/s
};

/// Mechanisms of the problem with the numbers and standard input data of a design.
class FloatingFrameModel : public MotionModel {
 public:
  FloatingFrameModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets);

  VectorXd numbers() const override { return varied_.values(problem_.system); }
  /// The values of a design in a mechanism that is the problem's but for its values.
  void set(const MechanismValues& values, SystemSpec& spec) const;
  /// True if a mechanism can have such values.
  Status check(const SystemSpec& spec) const;

  const StressSets& stress_sets() const { return *stress_sets_; }
  /// The numbers of the mechanism that each variable sets, itself and those tied to it.
  const std::vector<std::vector<TiedQuantity>>& quantities() const { return varied_.quantities(); }
  /// The motion, in whatever coordinates the steps are, and that of the rigid twin where it is a target.
  /// @throws InputError, with its place in the input, for constraints that depend on each other and independent
  /// coordinates that are none
  Status simulate(StepResidual<double>& steps, const MultibodySystem<double>& system,
                  Trajectory<double>& trajectory);
  /// Its start alone, with the same errors.
  Status initial_state(StepResidual<double>& steps, const MultibodySystem<double>& system,
                       Eigen::Ref<VectorXd> y0) const;
  /// Directions for a mechanism that make_motion() was given.
  DesignDirections directions(const SystemSpec& spec, const ParameterLayout& layout,
                              const std::vector<bool>& with_sid) const;

 protected:
  /// A mechanism without its redundant constraints.
  virtual std::unique_ptr<Motion> make_motion(const SystemSpec& spec, const StressModesOfSets& stress);
  /// Sets aside redundant constraints: those of the first design, and the same in all that follow.
  virtual void choose_constraints(SystemSpec& spec);
  /// Joints whose constraints are kept before others where some are redundant.
  virtual std::vector<std::string> kept_first() const { return {}; }

 private:
  /// Returns what act returns; errors that it throws have their place in the input.
  template <class Act>
  auto placing_errors(const MultibodySystem<double>& system, const Act& act) const;
  /// @throws InputError that names the joints if the start is a singular position
  Status make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) override;
  /// Once, for the rigid twin does not depend on the design.
  Status find_rigid_targets(const SystemSpec& spec);
  /// Checks the tyres of the first mechanism that is made.
  void check_tyres(const SystemSpec& spec);

  Shared<const StressSets> stress_sets_;
  SystemSpec system_;  ///< of the problem; what varies is a parameter
  VariedNumbers varied_;
  /// By body: mass, centre of mass or inertia vary; each is set in a SID that has the others, as they are at first.
  std::vector<bool> has_varied_mass_;
  bool tyres_checked_ = false;
  std::vector<decltype(JointSpec::redundant)> redundant_{};  ///< by joint; empty until they are known
  bool rigid_targets_known_ = false;
};

class FloatingFrameMotion final : public Motion {
 public:
  FloatingFrameMotion(FloatingFrameModel& model, const SystemSpec& spec, const StressModesOfSets& stress,
                      const IntegratorOptions& options);

  const MultibodySystem<double>& system() const { return system_; }
  const DaeSteps<double>& integrator() const { return *integrator_; }
  SimulationReport report(const Trajectory<double>& trajectory) const;

  Status set(const MechanismValues& values) override;
  StepResidual<double>& steps() const override { return *integrator_; }
  const SecondOrderDae<double>* equations() const override { return &system_; }
  Status initial_state(Eigen::Ref<VectorXd> y0) const override {
    return model_.initial_state(*integrator_, system_, y0);
  }
  /// @throws InputError that names the joints whose constraints are dependent
  Status simulate(Trajectory<double>& trajectory) override;
  /// The continuous adjoint as well.
  DirectionalDerivatives gradients(const Trajectory<double>& trajectory, const RequestedFunctions& requested,
                                   SensitivityOptions::Method method, const SparseMatrix& p_dot) override;
  std::optional<AdjointConstraints> adjoint_constraints(const Trajectory<double>& trajectory,
                                                        const RequestedFunctions& requested) const override;
  DesignDirections directions(const std::vector<bool>& with_sid) const override {
    return model_.directions(system_.spec(), system_.layout(), with_sid);
  }
  Sid sid_bar(std::size_t body, const VectorXd& along) const override {
    return system_.layout().sid_bar(body, system_.spec(), along);
  }

  /// Energies; torques and forces of drives; origins of bodies and their velocities; reactions of joints, driven ones
  /// among them; forces and torques of springs; stresses; elastic coordinates.
  std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  StartReport start_report(const Eigen::Ref<const VectorXd>& y0) const override;
  std::vector<std::string> warnings(const Trajectory<double>& trajectory) const override;
  std::vector<NamedSid> sids() const override;
  std::optional<BodyTrajectories> body_trajectories(const Trajectory<double>& trajectory) const override;
  void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
            const FramesReceiver& show) const override;
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;
  /// The frames that the problem's [output] requests.
  DrawnMotion drawn(const Trajectory<double>& trajectory) const;

 protected:
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override;

 private:
  /// Over all time, of every point.
  VectorXd largest_stress(std::size_t body, const StressModes& stress,
                          const Trajectory<double>& trajectory) const;

  FloatingFrameModel& model_;
  const IntegratorOptions options_;
  MultibodySystem<double> system_;
  std::unique_ptr<DaeSteps<double>> integrator_;
  StressModesOfSets stress_;
};

}  // namespace kurbel
