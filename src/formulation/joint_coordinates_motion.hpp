/// @file
/// Joint coordinates (semi-recursive) behind the seam of motion_model.hpp.                        [P4]
///
/// The mechanism is that of the floating frame, and so are its files and pictures: a trajectory in joint
/// coordinates is written as one of bodies, with all reactions.
#pragma once

#include "formulation/floating_frame_motion.hpp"
#include "joint_coordinates/bodies_of_joints.hpp"

namespace kurbel {

class JointCoordinatesModel final : public FloatingFrameModel {
 public:
  /// @throws InputError, with its place in the input, if a body is flexible
  JointCoordinatesModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets);

 protected:
  std::unique_ptr<Motion> make_motion(const SystemSpec& spec, const StressModesOfSets& stress) override;
  /// The joints of the spanning tree, whose constraints joint coordinates always satisfy.
  std::vector<std::string> kept_first() const override;
};

class JointCoordinatesMotion final : public Motion {
 public:
  JointCoordinatesMotion(JointCoordinatesModel& model, const SystemSpec& spec,
                         const StressModesOfSets& stress);

  const JointCoordinateSystem<double>& system() const { return system_; }
  /// The mechanism in the floating frame, and a motion there.
  const FloatingFrameMotion& bodies() const { return bodies_; }
  Trajectory<double> of_bodies(const Trajectory<double>& trajectory) const;

  Status set(const MechanismValues& values) override;
  StepResidual<double>& steps() const override { return *steps_; }
  const SecondOrderDae<double>* equations() const override { return &system_; }
  Status initial_state(Eigen::Ref<VectorXd> y0) const override;
  Status simulate(Trajectory<double>& trajectory) override;
  /// The continuous adjoint as well.
  DirectionalDerivatives gradients(const Trajectory<double>& trajectory, const RequestedFunctions& requested,
                                   SensitivityOptions::Method method, const SparseMatrix& p_dot) override;
  /// The constraints of all joints, which xi of the bodies has to satisfy.
  std::optional<AdjointConstraints> adjoint_constraints(const Trajectory<double>& trajectory,
                                                        const RequestedFunctions& requested) const override;
  DesignDirections directions(const std::vector<bool>& /*with_sid*/) const override {
    return bodies_.directions({});
  }

  std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  StartReport start_report(const Eigen::Ref<const VectorXd>& y0) const override;
  std::optional<BodyTrajectories> body_trajectories(const Trajectory<double>& trajectory) const override;
  std::vector<NamedSid> sids() const override { return bodies_.sids(); }
  void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
            const FramesReceiver& show) const override;

 protected:
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override;

 private:
  JointCoordinatesModel& model_;
  FloatingFrameMotion bodies_;
  JointCoordinateSystem<double> system_;
  std::unique_ptr<DaeSteps<double>> steps_;
};

}  // namespace kurbel
