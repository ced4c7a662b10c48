/// @file
/// Criteria of systems in absolute coordinates.
#pragma once

#include "mechanism/criterion_spec.hpp"
#include "natural_coordinates/absolute_assembly.hpp"
#include "natural_coordinates/absolute_steps.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/observable.hpp"

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

/// What is observed of a mechanism in absolute coordinates.
template <class Scalar>
class Observables {
 public:
  /// Mechanism and assembly must outlive the observables.
  Observables(const SystemSpec& spec, const Assembly<Scalar>& assembly) : spec_(spec), assembly_(assembly) {}

  const SystemSpec& spec() const { return spec_; }
  const Assembly<Scalar>& assembly() const { return assembly_; }
  /// Of the position, velocity, distance, spring force or stress that a term sees; one for all terms that see the same.
  /// @throws SpecError with a key below `path` if there is no such place or part
  std::shared_ptr<const Observable<Scalar>> of(const CriterionTerm& term, const std::string& path = "") const;

 private:
  std::shared_ptr<const Observable<Scalar>> make(const CriterionTerm& term, const std::string& path) const;

  const SystemSpec& spec_;
  const Assembly<Scalar>& assembly_;
  mutable std::vector<std::pair<CriterionTerm, std::shared_ptr<const Observable<Scalar>>>> known_;
};

/// Functionals of the terms of a list; everything given must outlive it. Integral and mean of the control
/// energy are exact, 1/2 u_bar^T A u_bar [P2, eq. 55]; the mass is that of beams, and of points and attached
/// masses as far as it is designed.
/// @throws InputError if there is no control of the name
template <class Scalar>
Criterion<Scalar> make_criterion(const AbsoluteSteps<Scalar>& steps, const Observables<Scalar>& observables,
                                 const std::vector<CriterionTerm>& terms);

}  // namespace absolute

}  // namespace kurbel
