/// @file
/// Criteria of a mechanism's motion: functions of its state at one instant, and functionals of them over
/// time.
#pragma once

#include <optional>

#include "floating_frame/vector_quantities.hpp"
#include "integration/dae_steps.hpp"
#include "mechanism/criterion_spec.hpp"
#include "sensitivity/criterion.hpp"

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

/// Mass of a body, or of a beam, rho A l, kg.
template <class Scalar>
class MassIntegrand final : public Integrand<Scalar> {
 public:
  /// @throws InputError if there is neither a body nor a beam of the name
  MassIntegrand(const MultibodySystem<Scalar>& system, const std::string& name);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  Eigen::Index body_mass_ = -1;
  std::size_t beam_ = 0;
};

/// F of a term, without its weight.
/// @throws InputError if a name cannot be resolved or the quantity does not exist there
template <class Scalar>
std::shared_ptr<const Integrand<Scalar>> make_integrand(const MultibodySystem<Scalar>& system,
                                                        const CriterionTerm& term);

/// Functionals of the terms of a list; integrator and system must outlive it.
/// @throws InputError as make_integrand()
template <class Scalar>
Criterion<Scalar> make_criterion(const DaeSteps<Scalar>& integrator, const MultibodySystem<Scalar>& system,
                                 const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
