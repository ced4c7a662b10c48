/// @file
/// Several manoeuvres of one mechanism as one motion: [cases.*].
///
/// Every case has a model, a motion and parameters p_c of its own, of the formulation and analysis of the problem; all
/// cases have the same numbers, SIDs and instants. States and parameters stand one case after the other,
///
///     y = (y_1, y_2, ...),    p = (p_1, p_2, ...),    psi = F(psi_1(y_1; p_1), psi_2(y_2; p_2), ...)
///
/// with F a sum or a smooth maximum (OverCases). A constraint belongs to one case, or is a sum over some.
/// Cases run concurrently; sums over them are taken in their order.
#pragma once

#include <functional>

#include "formulation/motion_model.hpp"

namespace kurbel {

class CasesModel final : public MotionModel {
 public:
  /// Makes the model of a case from its problem.
  using MakeModel =
      std::function<std::shared_ptr<MotionModel>(Shared<const Problem>, Shared<const StressSets>)>;
  CasesModel(Shared<const Problem> problem, const Shared<const StressSets>& stress_sets,
             const MakeModel& make_model = make_motion_model);

  VectorXd numbers() const override { return models_.front()->numbers(); }
  bool depends(std::size_t function, Eigen::Index number) const override;
  void require_possible_start(const VectorXd& numbers, const RequestedFunctions& requested) override;

  /// The contribution of a case to the functions requested: its own functions, and to which of those, by index
  /// in RequestedFunctions::functions, each is added with which weight.
  struct Part {
    RequestedFunctions requested;
    std::vector<std::pair<std::size_t, double>> to;
  };
  std::vector<Part> parts(const RequestedFunctions& requested) const;
  /// Makes the motions of every case, as make() does.
  Status make_motions(const MechanismValues& values, std::vector<std::unique_ptr<Motion>>& motions) const;

 private:
  Status make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) override;

  std::vector<std::shared_ptr<MotionModel>> models_;
};

class CasesMotion final : public Motion {
 public:
  CasesMotion(const CasesModel& model, std::vector<std::unique_ptr<Motion>> motions);

  Status set(const MechanismValues& values) override { return model_.make_motions(values, motions_); }
  /// @throws std::logic_error: each case has steps of its own
  StepResidual<double>& steps() const override;
  Status simulate(Trajectory<double>& trajectory) override;
  Status simulate_along(const SparseMatrix& p_dot, Trajectory<double>& trajectory) override;
  void check_lines(const Eigen::Ref<const VectorXd>& y0) const override;
  std::vector<CriterionValues> values(const Trajectory<double>& trajectory,
                                      const RequestedFunctions& requested) const override;
  Failure function_not_finite(const Trajectory<double>& trajectory,
                              const RequestedFunctions& requested) const override;
  double adjoint_not_finite(const Trajectory<double>& trajectory,
                            const RequestedFunctions& requested) override;
  Status require_smooth(const Trajectory<double>& trajectory,
                        const RequestedFunctions& requested) const override;
  DirectionalDerivatives gradients(const Trajectory<double>& trajectory, const RequestedFunctions& requested,
                                   SensitivityOptions::Method method, const SparseMatrix& p_dot) override;
  DirectionalDerivatives output_gradients(const Trajectory<double>& trajectory, const OutputSeeds& seeds,
                                          const SparseMatrix& p_dot) override;
  SensitivityOptions::Method resolve(SensitivityOptions::Method method, const Trajectory<double>& trajectory,
                                     const RequestedFunctions& requested, Eigen::Index n_directions) override;
  DesignDirections directions(const std::vector<bool>& with_sid) const override;
  Sid sid_bar(std::size_t body, const VectorXd& along) const override {
    return motions_.front()->sid_bar(body, along);
  }

  std::vector<OutputHistory> outputs(const Trajectory<double>& trajectory) const override;
  std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const override;
  /// Curves of all cases over the same abscissas are one table, "response"; others are one for each case, "modes_CASE".
  std::vector<ResultTable> tables() const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  StartReport start_report(const Eigen::Ref<const VectorXd>& y0) const override;
  std::vector<std::string> warnings(const Trajectory<double>& trajectory) const override;
  std::vector<std::string> choices() const override;
  std::vector<NamedSid> sids() const override { return motions_.front()->sids(); }
  /// The poses of the first case.
  std::vector<MotionPose> start_poses(const Trajectory<double>& trajectory) const override {
    return motions_.front()->start_poses(part(trajectory, 0));
  }
  std::optional<BodyTrajectories> body_trajectories(const Trajectory<double>& trajectory) const override;
  void draw(const Trajectory<double>& trajectory, std::vector<std::optional<MotionBody>> meshes,
            const FramesReceiver& show) const override;

 protected:
  /// @throws std::logic_error: lines belong to a case
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;
  /// @throws std::logic_error: a criterion belongs to a case
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override;

 private:
  std::size_t size() const { return motions_.size(); }
  const std::string& name(std::size_t c) const { return model_.problem().cases[c].name; }
  Trajectory<double> part(const Trajectory<double>& trajectory, std::size_t c) const;
  VectorXd weights() const;
  /// Rows of p_dot of a case.
  SparseMatrix part(const SparseMatrix& p_dot, std::size_t c) const;
  template <class Simulate>
  Status simulate_each(const Simulate& simulate_one, Trajectory<double>& trajectory);

  const CasesModel& model_;
  std::vector<std::unique_ptr<Motion>> motions_;
  std::vector<Eigen::Index> first_state_, first_parameter_;  ///< by case, and the total
};

}  // namespace kurbel
