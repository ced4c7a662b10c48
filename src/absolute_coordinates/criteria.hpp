/// @file
/// Costs and constraints of systems in absolute coordinates, as objectives of a discrete trajectory.
///
/// The parameters of the trajectory are those of the system, (xi, u_bar).
#pragma once

#include <memory>
#include <vector>

#include "absolute_coordinates/system_function.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// One row of a state function at one instant: scale (h_row(x_k, xi) - reference).     [P2, eqs 3, 4, 7, 8]
template <class Scalar>
class FunctionValue final : public Objective<Scalar> {
 public:
  using Vec = VectorX<Scalar>;

  /// The function must outlive the objective.
  FunctionValue(const SystemFunction<Scalar>& function, Eigen::Index row, Eigen::Index k, double reference,
                double scale)
      : function_(function), row_(row), k_(k), reference_(reference), scale_(scale) {}
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<Vec> y_bar,
                    Eigen::Ref<Vec> p_bar) const override;
  Eigen::Index first_step() const override { return k_; }
  Eigen::Index last_step() const override { return k_; }

 private:
  const SystemFunction<Scalar>& function_;
  Eigen::Index row_, k_;
  double reference_, scale_;
};

/// Tracking: 1/2 sum_k w_k |h(x_k, xi) - h_target|^2, over all steps with the integrator's quadrature weights
/// (an integral over time), or at the final time alone with weight 1.
template <class Scalar>
class TrackingError final : public Objective<Scalar> {
 public:
  using Vec = VectorX<Scalar>;
  enum class When { always, finally };

  /// @param target  (n_rows)
  TrackingError(const StepResidual<Scalar>& integrator, const SystemFunction<Scalar>& function,
                VectorXd target, When when)
      : integrator_(integrator), function_(function), target_(std::move(target)), when_(when) {}
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<Vec> y_bar,
                    Eigen::Ref<Vec> p_bar) const override;
  Eigen::Index first_step() const override { return when_ == When::always ? 0 : integrator_.n_steps(); }

 private:
  double weight(Eigen::Index k) const {
    return when_ == When::always ? integrator_.quadrature_weight(k) : 1.0;
  }

  const StepResidual<Scalar>& integrator_;
  const SystemFunction<Scalar>& function_;
  VectorXd target_;
  When when_;
};

/// Signal energy of all controls, 1/2 int u^T u dt = 1/2 u_bar^T A u_bar, exact.            [P2, eqs 55, 61]
template <class Scalar>
class ControlEnergy final : public Objective<Scalar> {
 public:
  using Vec = VectorX<Scalar>;

  explicit ControlEnergy(const AbsoluteSystem<Scalar>& system);
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<Vec> y_bar,
                    Eigen::Ref<Vec> p_bar) const override;
  Eigen::Index last_step() const override { return 0; }

 private:
  const AbsoluteSystem<Scalar>& system_;
  std::vector<MatrixXd> A_;  ///< per control
};

/// A sum of products of parameters, such as m = sum_e rho w h l, kg.    [P2, eq. 62]
template <class Scalar>
class ParameterProducts final : public Objective<Scalar> {
 public:
  using Vec = VectorX<Scalar>;

  ParameterProducts(const AbsoluteSystem<Scalar>& system, std::vector<std::vector<ParameterSlot>> products)
      : system_(system), products_(std::move(products)) {}
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<Vec> y_bar,
                    Eigen::Ref<Vec> p_bar) const override;
  Eigen::Index last_step() const override { return 0; }

 private:
  Scalar at(const ParameterSlot& slot) const;

  const AbsoluteSystem<Scalar>& system_;
  std::vector<std::vector<ParameterSlot>> products_;
};

/// sum_j weight_j psi_j
template <class Scalar>
class WeightedSum final : public Objective<Scalar> {
 public:
  using Vec = VectorX<Scalar>;

  void add(double weight, std::unique_ptr<Objective<Scalar>> term) {
    terms_.emplace_back(weight, std::move(term));
  }
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<Vec> y_bar,
                    Eigen::Ref<Vec> p_bar) const override;
  Eigen::Index last_step() const override;

 private:
  std::vector<std::pair<double, std::unique_ptr<Objective<Scalar>>>> terms_;
  mutable Vec y_bar_, p_bar_;  ///< scratch: an objective is for one thread
};

}  // namespace kurbel
