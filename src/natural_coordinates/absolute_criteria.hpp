/// @file
/// Criteria of systems in absolute coordinates.
#pragma once

#include "natural_coordinates/absolute_steps.hpp"
#include "natural_coordinates/system_spec.hpp"
#include "sensitivity/criterion.hpp"

namespace kurbel {

/// v^T M(xi) v / 2, J.
template <class Scalar>
class KineticEnergyIntegrand final : public Integrand<Scalar> {
 public:
  /// The system must outlive the integrand.
  explicit KineticEnergyIntegrand(const AbsoluteSystem<Scalar>& system) : system_(system) {}
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const AbsoluteSystem<Scalar>& system_;
};

/// A sum of products of parameters, such as m = sum_e rho w h l, kg.    [P2, eq. 62]
template <class Scalar>
class ParameterProducts final : public ParameterFunction<Scalar> {
 public:
  /// The system must outlive the function.
  ParameterProducts(const AbsoluteSystem<Scalar>& system, std::vector<std::vector<ParameterSlot>> products)
      : system_(system), products_(std::move(products)) {}
  Scalar value() const override;
  void add_partials(double weight, Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  Scalar at(const ParameterSlot& slot) const;

  const AbsoluteSystem<Scalar>& system_;
  std::vector<std::vector<ParameterSlot>> products_;
};

namespace absolute {

/// Functionals of the terms of a list; everything given must outlive it. Integral and mean of the control
/// energy are exact, 1/2 u_bar^T A u_bar [P2, eq. 55]; the mass is that of beams, and of points and attached
/// masses as far as it is designed.
/// @throws InputError if there is no control of the name
template <class Scalar>
Criterion<Scalar> make_criterion(const AbsoluteSteps<Scalar>& steps, const SystemSpec& spec,
                                 const Assembly<Scalar>& assembly, const std::vector<CriterionTerm>& terms);

}  // namespace absolute

}  // namespace kurbel
