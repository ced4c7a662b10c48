#include "floating_frame/criteria.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/von_mises.hpp"

namespace kurbel {

template <class S>
ComplianceIntegrand<S>::ComplianceIntegrand(const MultibodySystem<S>& system, const std::string& body)
    : system_(system), body_(system.body_index(body)) {
  if (system.n_q(body_) == 0) {
    throw InputError(
        fmt::format("the compliance of body {} is zero, for it is rigid; name a flexible body", body));
  }
}

template <class S>
S ComplianceIntegrand<S>::value(const DaeInstant<S>& at) const {
  const auto q = at.x.segment(system_.x_offset(body_) + 7, system_.n_q(body_));
  const auto Ke = view(system_.layout().body(body_).Ke, system_.parameters().data());
  return (q.transpose() * Ke * q).value();
}

template <class S>
void ComplianceIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                          Eigen::Ref<VectorX<S>> p_bar) const {
  const Eigen::Index n = system_.n_q(body_);
  const auto q = at.x.segment(system_.x_offset(body_) + 7, n);
  const ParameterBlock& block = system_.layout().body(body_).Ke;
  const auto Ke = view(block, system_.parameters().data());
  auto q_bar = bar.x.segment(system_.v_offset(body_) + 6, n);
  q_bar.noalias() += weight * (Ke * q);
  q_bar.noalias() += weight * (Ke.transpose() * q);
  view(block, p_bar.data()).noalias() += weight * q * q.transpose();
}

template <class S>
EnergyIntegrand<S>::EnergyIntegrand(const MultibodySystem<S>& system, const EnergyWeights& weights,
                                    const std::string& body)
    : system_(system), weights_(weights), ws_(system.make_workspace()) {
  if (!body.empty()) body_ = system.body_index(body);
}

template <class S>
S EnergyIntegrand<S>::value(const DaeInstant<S>& at) const {
  const auto energy = body_ ? system_.energy(at, *body_, *ws_) : system_.energy(at, *ws_);
  return weights_.kinetic * energy.kinetic + weights_.elastic * energy.elastic +
         weights_.gravitational * energy.gravitational;
}

template <class S>
void EnergyIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                      Eigen::Ref<VectorX<S>> p_bar) const {
  const EnergyWeights weights{weight * weights_.kinetic, weight * weights_.elastic,
                              weight * weights_.gravitational};
  system_.add_energy_partials(at, weights, body_, *ws_, bar.x, bar.v, p_bar);
}

template <class S>
MassIntegrand<S>::MassIntegrand(const MultibodySystem<S>& system, const std::string& body)
    : system_(system), mass_(system.layout().body(system.body_index(body)).mass.offset) {}

template <class S>
S MassIntegrand<S>::value(const DaeInstant<S>&) const {
  return system_.parameters()[mass_];
}

template <class S>
void MassIntegrand<S>::add_partials(const DaeInstant<S>&, double weight, DaeInstantBar<S>&,
                                    Eigen::Ref<VectorX<S>> p_bar) const {
  p_bar[mass_] += weight;
}

template <class S>
ControlEnergyIntegrand<S>::ControlEnergyIntegrand(const MultibodySystem<S>& system,
                                                  const std::string& control)
    : system_(system) {
  const std::vector<ControlSpec>& all = system.spec().controls;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (control.empty() || all[i].name == control) controls_.push_back(i);
    weights_.emplace_back(all[i].grid.n_nodes());
  }
  if (controls_.empty()) throw InputError(fmt::format("there is no control {}", control));
}

/// u at an instant; leaves the weights of its nodes.
template <class S>
S ControlEnergyIntegrand<S>::control(std::size_t i, double t) const {
  system_.spec().controls[i].grid.weights(t, true, weights_[i]);
  const auto nodes = view(system_.layout().control(i), system_.parameters().data());
  return (weights_[i].template cast<S>() * nodes).value();
}

template <class S>
S ControlEnergyIntegrand<S>::value(const DaeInstant<S>& at) const {
  S F(0);
  for (const std::size_t i : controls_) {
    const S u = control(i, at.t);
    F += 0.5 * u * u;
  }
  return F;
}

template <class S>
void ControlEnergyIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>&,
                                             Eigen::Ref<VectorX<S>> p_bar) const {
  for (const std::size_t i : controls_) {
    const S u = control(i, at.t);
    view(system_.layout().control(i), p_bar.data()) += (weight * u) * weights_[i].transpose();
  }
}

template <class S>
Vector3<S> DeviationIntegrand<S>::deviation(const DaeInstant<S>& at) const {
  Vector3<S> z = quantity_->value(at);
  for (int i = 0; i < 3; ++i) {
    if (target_[static_cast<std::size_t>(i)]) z[i] -= target_[static_cast<std::size_t>(i)]->at(at.t).value;
  }
  return z;
}

template <class S>
S DeviationIntegrand<S>::value(const DaeInstant<S>& at) const {
  const Vector3<S> z = deviation(at);
  return component_ ? z[*component_] : 0.5 * dot(z, z);
}

template <class S>
void DeviationIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                         Eigen::Ref<VectorX<S>> p_bar) const {
  Vector3<S> z_bar = Vector3<S>::Zero();
  if (component_) {
    z_bar[*component_] = weight;
  } else {
    z_bar = weight * deviation(at);
  }
  quantity_->add_partials(at, z_bar, bar, p_bar);
}

namespace {

template <class S>
std::unique_ptr<const VectorQuantity<S>> make_vector_quantity(const MultibodySystem<S>& system,
                                                              const CriterionTerm& term) {
  const auto marker = [&](MarkerQuantityKind kind) {
    return std::make_unique<MarkerQuantity<S>>(system, term.marker, kind);
  };
  switch (term.quantity) {
    case Quantity::displacement:
      return marker(MarkerQuantityKind::displacement);
    case Quantity::velocity:
      return marker(MarkerQuantityKind::velocity);
    case Quantity::acceleration:
      return marker(MarkerQuantityKind::acceleration);
    case Quantity::reaction_force:
      return std::make_unique<JointReaction<S>>(system, term.joint, ReactionKind::force);
    case Quantity::reaction_moment:
    case Quantity::drive_torque:
      return std::make_unique<JointReaction<S>>(system, term.joint, ReactionKind::moment);
    case Quantity::centre_of_mass:
      return std::make_unique<CentreOfMass<S>>(system, term.body);
    default:
      return marker(MarkerQuantityKind::position);
  }
}

/// The axis of the driven rotation, of which a joint has one at most.
int drive_axis(const JointSpec& joint) {
  for (const DriveSpec& drive : joint.drives) {
    if (drive.dof >= RelativeDof::rx) return static_cast<int>(drive.dof) - static_cast<int>(RelativeDof::rx);
  }
  throw InputError(fmt::format("joint {} has no driven rotation", joint.name));
}

}  // namespace

template <class S>
std::shared_ptr<const Integrand<S>> make_integrand(const MultibodySystem<S>& system,
                                                   const CriterionTerm& term) {
  switch (term.quantity) {
    case Quantity::compliance:
      return std::make_shared<ComplianceIntegrand<S>>(system, term.body);
    case Quantity::kinetic_energy:
      return std::make_shared<EnergyIntegrand<S>>(system, EnergyWeights{.kinetic = 1.0}, term.body);
    case Quantity::total_energy:
      return std::make_shared<EnergyIntegrand<S>>(system, EnergyWeights{1.0, 1.0, 1.0}, term.body);
    case Quantity::mass:
      return std::make_shared<MassIntegrand<S>>(system, term.body);
    case Quantity::control_energy:
      return std::make_shared<ControlEnergyIntegrand<S>>(system, term.control);
    case Quantity::von_mises:
      if (!term.stress_modes) throw InputError(fmt::format("body {} has no stress modes", term.body));
      return std::make_shared<VonMisesIntegrand<S>>(system, term.body, *term.stress_modes,
                                                    term.element_exponent);
    default:
      break;
  }
  std::optional<int> component = term.component;
  if (term.quantity == Quantity::drive_torque) component = drive_axis(system.joint_rows(term.joint).spec);
  return std::make_shared<DeviationIntegrand<S>>(make_vector_quantity(system, term), component, term.target);
}

template <class S>
S TimeIntegral<S>::value(const Trajectory<S>& trajectory) const {
  S psi(0);
  for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k) {
    const auto at = integrator_.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
    psi += integrator_.quadrature_weight(k) * integrand_.value(at);
  }
  return psi;
}

template <class S>
void TimeIntegral<S>::add_partials(Eigen::Index k, const Trajectory<S>& trajectory,
                                   Eigen::Ref<VectorX<S>> y_bar, Eigen::Ref<VectorX<S>> p_bar) const {
  const auto at = integrator_.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
  DaeInstantBar<S> bar(integrator_.layout(), y_bar);
  integrand_.add_partials(at, integrator_.quadrature_weight(k), bar, p_bar);
}

#define KURBEL_INSTANTIATE(S)                                                            \
  template class ComplianceIntegrand<S>;                                                 \
  template class EnergyIntegrand<S>;                                                     \
  template class MassIntegrand<S>;                                                       \
  template class ControlEnergyIntegrand<S>;                                              \
  template class DeviationIntegrand<S>;                                                  \
  template class TimeIntegral<S>;                                                        \
  template std::shared_ptr<const Integrand<S>> make_integrand(const MultibodySystem<S>&, \
                                                              const CriterionTerm&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
