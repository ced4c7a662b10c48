/// @file
/// Absolute coordinates behind the seam of motion_model.hpp.
#pragma once

#include "formulation/absolute_model.hpp"
#include "formulation/motion_model.hpp"

namespace kurbel {

/// One model for all motions, which set their parameters when they are asked something.
class AbsoluteMotionModel final : public MotionModel {
 public:
  explicit AbsoluteMotionModel(const Problem& problem);

  VectorXd numbers() const override { return varied_.values(problem_.system); }
  /// A function at t_k depends on the nodes that are felt until then.
  bool depends(std::size_t function, Eigen::Index number) const override;
  /// The state at t_0 changes with lengths at most; a limit that it violates otherwise can not be met.
  void require_possible_start(const VectorXd& numbers, const AskedFunctions& asked) override;
  DesignDirections directions() const;
  /// p = (xi, u_bar)
  VectorXd parameters(const VectorXd& numbers) const;

 private:
  Status make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) override;

  /// p[place] = sign number + offset; entries of xi are numbers themselves
  struct SetParameter {
    Eigen::Index place;
    double sign, offset;
  };

  VariedNumbers varied_;
  std::vector<std::vector<SetParameter>> set_;  ///< by number
  std::shared_ptr<AbsoluteModel<double>> model_;
  VectorXd first_felt_;  ///< by parameter: the first step at which it counts, -1 before all
};

class AbsoluteMotion final : public Motion {
 public:
  AbsoluteMotion(const AbsoluteMotionModel& of, std::shared_ptr<AbsoluteModel<double>> model, VectorXd p)
      : Motion(of), of_(of), problem_(of.problem()), model_(std::move(model)), p_(std::move(p)) {}

  Status set(const MechanismValues& values) override {
    p_ = of_.parameters(values.numbers);
    return {};
  }
  StepResidual<double>& steps() const override { return model().integrator(); }
  DesignDirections directions(const std::vector<bool>& /*with_sid*/) const override {
    return of_.directions();
  }
  /// Energies, and forces of springs on their "to" ends; coordinates are states.
  std::vector<HistoryPanel> histories(const Trajectory<double>& trajectory) const override;
  MotionSummary summarize(const Trajectory<double>& trajectory) const override;
  std::vector<std::string> state_names() const override;
  std::vector<std::string> state_units() const override;
  std::vector<std::string> draw(const std::filesystem::path& pvd, const Trajectory<double>& trajectory,
                                std::vector<std::optional<MotionBody>> meshes) const override;

 protected:
  std::vector<double> line_lengths(const Eigen::Ref<const VectorXd>& y) const override;
  Criterion<double> criterion(const std::vector<CriterionTerm>& terms) const override {
    return model().criterion(terms);
  }

 private:
  /// The model with the parameters of this motion.
  AbsoluteModel<double>& model() const;

  const AbsoluteMotionModel& of_;
  const Problem& problem_;
  std::shared_ptr<AbsoluteModel<double>> model_;
  VectorXd p_;
};

}  // namespace kurbel
