/// @file
/// Natural coordinates behind the seam of motion_model.hpp.                                          [P1, P2]
#pragma once

#include "formulation/floating_frame_motion.hpp"
#include "natural_coordinates/bodies_of_vectors.hpp"
#include "natural_coordinates/natural_criteria.hpp"

namespace kurbel {

class NaturalModel final : public FloatingFrameModel {
 public:
  NaturalModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets);

  /// Without constraints, a function at t_k depends on the nodes of controls that have acted until then.
  bool depends(std::size_t function, Eigen::Index number) const override;
  /// There the state at t_0 changes with lengths at most; a bound that it violates otherwise cannot be met.
  void require_possible_start(const VectorXd& numbers, const RequestedFunctions& requested) override;

 protected:
  std::unique_ptr<Motion> make_motion(const SystemSpec& spec, const StressModesOfSets& stress) override;
  /// If there are beams or masses in points, the constraints remain as stated.
  void choose_constraints(SystemSpec& spec) override;

 private:
  /// The first step on which each number acts; -1: before all. It is empty where that is not known.
  std::vector<double> first_effect_{};
};

class NaturalMotion final : public Motion {
 public:
  NaturalMotion(NaturalModel& model, const SystemSpec& spec);

  const NaturalSystem<double>& system() const { return system_; }

  bool is_of_every_design() const override { return system_.is_of_every_design(); }
  Status set(const MechanismValues& values) override;
  StepResidual<double>& steps() const override { return *steps_; }
  const SecondOrderDae<double>* equations() const override { return &system_; }
  /// @throws InputError that names the joints whose constraints are dependent, or not met at the start
  Status simulate(Trajectory<double>& trajectory) override;
  Status simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory) override;
  DirectionalDerivatives gradients(const Trajectory<double>& trajectory, const RequestedFunctions& requested,
                                   SensitivityOptions::Method method, const SparseMatrix& p_dot) override;
  /// @throws InputError, with its place in the input, if a number bends a weld of two cables that is straight
  DesignDirections directions(const std::vector<bool>& with_sid) const override;

  /// Energies; origins of bodies and ends of beams; largest stress of each beam; reactions; forces and lengths of
  /// springs.
  std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  /// Names of the states of mechanisms of planar beams and masses in points, whose coordinates are the states.
  std::vector<std::string> state_names() const override;
  std::vector<std::string> state_units() const override;
  Status initial_state(Eigen::Ref<VectorXd> y0) const override;
  /// Nothing where there are beams, beside which the start is as it is given.
  StartReport start_report(const Eigen::Ref<const VectorXd>& y0) const override;
  void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
            const FramesReceiver& show) const override;

 protected:
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override {
    return make_criterion(*steps_, system_, terms);
  }

 private:
  /// Returns what act returns; errors that it throws about constraints have their place in the input.
  template <class Act>
  auto located(const Act& act) const;
  Status simulate_bodies(Trajectory<double>& trajectory);
  /// Positions and velocities of the bodies in the floating frame, where there are no beams.
  Trajectory<double> of_bodies(const Trajectory<double>& trajectory) const;
  /// The middle of the step that ends at instant k, where there is one.
  DaeInstant<double> middle(const Trajectory<double>& trajectory, Eigen::Index k) const;

  NaturalModel& model_;
  NaturalSystem<double> system_;
  std::unique_ptr<DaeSteps<double>> steps_;
};

}  // namespace kurbel
