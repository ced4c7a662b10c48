/// @file
/// The vibration of a mechanism about its start, a state of rest, in the place of its motion: `analysis = "modes"`.
///
///     start y*(p), in equilibrium -> M, D, K, G -> modes s_i, x_i -> f_i = |s_i| / (2 pi), zeta_i = -Re s_i / |s_i| -> psi
///
/// The model is that of the formulation, and so are start, parameters, SIDs and drawings. A trajectory is the start alone.
/// Criteria are functions of the modes, and observables of the start. With ds_i = -dP_i (linearized_mechanism.hpp),
///
///     d psi / dp = explicit part + (dy* / dp)^T d psi / dy*
///
/// where the adjoint of the start is solved once for each function.
///
/// With `analysis = "frequency-response"` criteria are functions of amplitudes, too (frequency_response.hpp).
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/frequency_response.hpp"
#include "analysis/linearized_mechanism.hpp"
#include "formulation/motion_model.hpp"

namespace kurbel {

class ModesModel final : public MotionModel {
 public:
  ModesModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets);

  VectorXd numbers() const override { return model_->numbers(); }
  /// Number of modes that are found, without rigid-body modes.
  int n_modes() const { return n_modes_; }
  /// Number of modes that criteria count.
  int n_counted() const { return n_counted_; }

  /// A function as a sum over modes, one over observables of the start, and one over amplitudes.
  struct Parts {
    std::vector<CriterionTerm> of_modes, of_start;
    std::vector<ResponseTerm> of_response;
  };
  /// The parts of the functions requested, first of the objective.
  std::vector<const Parts*> parts(const RequestedFunctions& requested) const;
  /// All frequencies at which the response is asked for; none without one.
  const VectorXd& frequencies() const { return frequencies_; }

 private:
  Status make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) override;

  std::shared_ptr<MotionModel> model_;
  int n_modes_, n_counted_ = 0;
  std::vector<Parts> objective_parts_, constraint_parts_;  ///< by stage, by function
  VectorXd frequencies_;
};

class ModesMotion final : public Motion {
 public:
  ModesMotion(const ModesModel& model, std::unique_ptr<Motion> motion);

  bool is_of_every_design() const override { return motion_->is_of_every_design(); }
  Status set(const MechanismValues& values) override { return motion_->set(values); }
  StepResidual<double>& steps() const override { return motion_->steps(); }
  const SecondOrderDae<double>* equations() const override { return motion_->equations(); }
  Status initial_state(Eigen::Ref<VectorXd> y0) const override { return motion_->initial_state(y0); }
  /// Finds the start and its modes.
  /// @return  a failure if the start moves or is not in equilibrium, or if there are fewer modes than criteria count
  Status simulate(Trajectory<double>& trajectory) override;
  Status simulate_along(const SparseMatrix&, Trajectory<double>& trajectory) override {
    return simulate(trajectory);
  }
  void check_lines(const Eigen::Ref<const VectorXd>& y0) const override { motion_->check_lines(y0); }

  std::vector<CriterionValues> values(const Trajectory<double>& trajectory,
                                      const RequestedFunctions& requested) const override;
  Failure function_not_finite(const Trajectory<double>& trajectory,
                              const RequestedFunctions& requested) const override;
  double adjoint_not_finite(const Trajectory<double>&, const RequestedFunctions&) override {
    return std::numeric_limits<double>::quiet_NaN();
  }
  /// A failure if two modes coincide that a function counts differently.
  Status require_smooth(const Trajectory<double>& trajectory,
                        const RequestedFunctions& requested) const override;
  DirectionalDerivatives gradients(const Trajectory<double>& trajectory, const RequestedFunctions& requested,
                                   SensitivityOptions::Method method, const SparseMatrix& p_dot) override;
  SensitivityOptions::Method resolve(SensitivityOptions::Method method, const Trajectory<double>&,
                                     const RequestedFunctions&, Eigen::Index) override {
    return method == SensitivityOptions::Method::automatic ? SensitivityOptions::Method::discrete_adjoint
                                                           : method;
  }
  DesignDirections directions(const std::vector<bool>& with_sid) const override {
    return motion_->directions(with_sid);
  }
  Sid sid_bar(std::size_t body, const VectorXd& along) const override {
    return motion_->sid_bar(body, along);
  }

  std::vector<OutputHistory> outputs(const Trajectory<double>&) const override { return {}; }
  std::vector<HistoryPanel> histories(const Trajectory<double>&) const override { return {}; }
  /// "modes": a row for every mode; "response": a row for every frequency.
  std::vector<ResultTable> tables() const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  StartReport start_report(const Eigen::Ref<const VectorXd>& y0) const override {
    return motion_->start_report(y0);
  }
  std::vector<std::string> warnings(const Trajectory<double>& trajectory) const override;
  std::vector<std::string> choices() const override { return {}; }
  std::vector<NamedSid> sids() const override { return motion_->sids(); }
  std::vector<MotionPose> start_poses(const Trajectory<double>& trajectory) const override {
    return motion_->start_poses(trajectory);
  }
  /// One period of every mode, under "mode_1", "mode_2", ...; rigid-body modes are drawn once to and fro.
  void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
            const FramesReceiver& show) const override;

  const LinearizedMechanism& mechanism() const { return *mechanism_; }
  const PencilModes& modes() const { return modes_; }

 protected:
  /// @throws std::logic_error: a criterion is one of modes or of the start
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override;
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;

 private:
  VectorXd values_of_modes(Quantity quantity) const;
  MatrixXd slopes(const ModesModel::Parts& parts) const;
  Status require_rest() const;
  Status require_equilibrium(const QuadraticPencil& pencil) const;
  Status respond();
  void show_mode(const std::string& name, const VectorXcd& shape, double period, const VectorXd& start,
                 const std::vector<std::optional<MotionBody>>& meshes, const FramesReceiver& show) const;
  double amplitude(const VectorXcd& shape, const VectorXd& start,
                   const std::vector<std::optional<MotionBody>>& meshes) const;
  std::string moving_parts(const VectorXcd& shape) const;

  const ModesModel& own_;
  std::unique_ptr<Motion> motion_;
  std::optional<LinearizedMechanism> mechanism_;
  std::optional<FrequencyResponse> response_;
  PencilModes modes_;
  VectorXcd oscillating_;  ///< s of the modes that criteria count, in the order of these
  std::vector<std::size_t> counted_;
};

}  // namespace kurbel
