/// @file
/// Criteria of a mechanism's motion: functions of its state at one instant, and integrals of them over time.
#pragma once

#include <optional>

#include "floating_frame/vector_quantities.hpp"
#include "mechanism/criterion_spec.hpp"
#include "sensitivity/integrand.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// Elastic compliance of one body, F = q^T Ke q, W = J.    [P0, eq. 81]
template <class Scalar>
class ComplianceIntegrand final : public Integrand<Scalar> {
 public:
  /// @throws InputError if there is no such body or it has no elastic coordinates
  ComplianceIntegrand(const MultibodySystem<Scalar>& system, const std::string& body);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  std::size_t body_;
};

/// A weighted sum of the energies of a body or of the whole mechanism, J.
template <class Scalar>
class EnergyIntegrand final : public Integrand<Scalar> {
 public:
  /// @param body  empty for the whole mechanism, springs included
  /// @throws InputError if there is no such body
  EnergyIntegrand(const MultibodySystem<Scalar>& system, const EnergyWeights& weights,
                  const std::string& body);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  EnergyWeights weights_;
  std::optional<std::size_t> body_;
  std::unique_ptr<typename MultibodySystem<Scalar>::Workspace> ws_;  ///< an integrand is for one thread
};

/// Mass of a body, kg.
template <class Scalar>
class MassIntegrand final : public Integrand<Scalar> {
 public:
  /// @throws InputError if there is no such body
  MassIntegrand(const MultibodySystem<Scalar>& system, const std::string& body);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  Eigen::Index mass_;
};

/// Signal energy per time of one control or of all, F = u.u / 2.    [P2, eqs 55, 61]
template <class Scalar>
class ControlEnergyIntegrand final : public Integrand<Scalar> {
 public:
  /// @param control  empty for all controls
  /// @throws InputError if there is no such control
  ControlEnergyIntegrand(const MultibodySystem<Scalar>& system, const std::string& control);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  Scalar control(std::size_t i, double t) const;

  const MultibodySystem<Scalar>& system_;
  std::vector<std::size_t> controls_;
  mutable std::vector<Eigen::RowVectorXd> weights_;  ///< scratch: an integrand is for one thread
};

/// A vector as a scalar: one component less its target, F = z_i - s_i(t), or the distance from the target,
/// F = |z - s(t)|^2 / 2.
template <class Scalar>
class DeviationIntegrand final : public Integrand<Scalar> {
 public:
  /// @param target  per component; nullptr is zero
  DeviationIntegrand(std::unique_ptr<const VectorQuantity<Scalar>> quantity, std::optional<int> component,
                     std::array<TimeFunctionPtr, 3> target)
      : quantity_(std::move(quantity)), component_(component), target_(std::move(target)) {}
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  Vector3<Scalar> deviation(const DaeInstant<Scalar>& at) const;

  std::unique_ptr<const VectorQuantity<Scalar>> quantity_;
  std::optional<int> component_;
  std::array<TimeFunctionPtr, 3> target_;
};

/// F of a term, without its weight.
/// @throws InputError if a name cannot be resolved or the quantity does not exist there
template <class Scalar>
std::shared_ptr<const Integrand<Scalar>> make_integrand(const MultibodySystem<Scalar>& system,
                                                        const CriterionTerm& term);

/// psi = sum_k w_k sum_j weight_j F_j(t_k, ...): integrals over time by the integrator's quadrature.
template <class Scalar>
class TimeIntegral final : public Objective<Scalar> {
 public:
  explicit TimeIntegral(const GeneralizedAlpha<Scalar>& integrator) : integrator_(integrator) {}
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand) {
    integrand_.add(weight, std::move(integrand));
  }
  const Integrand<Scalar>& integrand() const { return integrand_; }
  Scalar value(const Trajectory<Scalar>& trajectory) const override;
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<VectorX<Scalar>> y_bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const GeneralizedAlpha<Scalar>& integrator_;
  IntegrandSum<Scalar> integrand_;
};

}  // namespace kurbel
