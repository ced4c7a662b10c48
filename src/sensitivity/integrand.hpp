/// @file
/// Integrands of criteria psi = int F dt.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "integration/generalized_alpha.hpp"

namespace kurbel {

/// A function F(t, x, v, v_dot, lambda; p) of the state at one instant.    [P0, eq. 2]
template <class Scalar>
class Integrand {
 public:
  virtual ~Integrand() = default;
  virtual Scalar value(const DaeInstant<Scalar>& at) const = 0;
  /// Adds weight * dF.
  virtual void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                            Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;
};

/// F = sum_j weight_j F_j.
template <class Scalar>
class IntegrandSum final : public Integrand<Scalar> {
 public:
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand) {
    terms_.emplace_back(weight, std::move(integrand));
  }
  Scalar value(const DaeInstant<Scalar>& at) const override {
    Scalar F(0);
    for (const auto& [weight, integrand] : terms_) F += weight * integrand->value(at);
    return F;
  }
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override {
    for (const auto& [own, integrand] : terms_) integrand->add_partials(at, own * weight, bar, p_bar);
  }

 private:
  std::vector<std::pair<double, std::shared_ptr<const Integrand<Scalar>>>> terms_;
};

}  // namespace kurbel
