/// @file
/// Integrals over time without the slopes of criterion.hpp, for tests of sensitivity methods.
#pragma once

#include "integration/generalized_alpha.hpp"
#include "sensitivity/integrand.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// psi = sum_k w_k sum_j weight_j F_j(t_k, ...), by the integrator's quadrature.
template <class Scalar>
class TimeIntegral final : public Objective<Scalar> {
 public:
  explicit TimeIntegral(const GeneralizedAlpha<Scalar>& integrator) : integrator_(integrator) {}
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand) {
    integrand_.add(weight, std::move(integrand));
  }
  const Integrand<Scalar>& integrand() const { return integrand_; }
  Scalar value(const Trajectory<Scalar>& trajectory) const override {
    Scalar psi(0);
    for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k)
      psi += integrator_.quadrature_weight(k) * integrand_.value(instant(k, trajectory));
    return psi;
  }
  void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory, Eigen::Ref<VectorX<Scalar>> y_bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    DaeInstantBar<Scalar> bar(integrator_.layout(), y_bar);
    integrand_.add_partials(instant(k, trajectory), integrator_.quadrature_weight(k), bar, p_bar);
  }

 private:
  DaeInstant<Scalar> instant(Eigen::Index k, const Trajectory<Scalar>& trajectory) const {
    return integrator_.layout().template instant<Scalar>(trajectory.t[k], trajectory.y.col(k));
  }

  const GeneralizedAlpha<Scalar>& integrator_;
  IntegrandSum<Scalar> integrand_;
};

}  // namespace kurbel
