/// @file
/// Criteria of a mechanism's motion: integrals over time of functions of its state.
#pragma once

#include "multibody/multibody_system.hpp"
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
