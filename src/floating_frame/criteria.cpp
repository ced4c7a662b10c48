#include "floating_frame/criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/instantiate.hpp"
#include "floating_frame/beam_quantities.hpp"
#include "floating_frame/control_nodes.hpp"
#include "floating_frame/joint_angle.hpp"
#include "floating_frame/marker_attitude.hpp"
#include "floating_frame/spring_quantities.hpp"
#include "floating_frame/vehicle_quantities.hpp"
#include "floating_frame/von_mises.hpp"
#include "mechanism/motion_end.hpp"
#include "sensitivity/norm_of_observables.hpp"

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
MassIntegrand<S>::MassIntegrand(const MultibodySystem<S>& system, const std::string& name) : system_(system) {
  const std::vector<BeamSpec>& beams = system.spec().beams;
  const auto beam = std::ranges::find(beams, name, &BeamSpec::name);
  beam_ = static_cast<std::size_t>(beam - beams.begin());
  if (beam == beams.end()) body_mass_ = system.layout().body(system.body_index(name)).mass.offset;
}

template <class S>
S MassIntegrand<S>::value(const DaeInstant<S>&) const {
  return body_mass_ >= 0 ? system_.parameters()[body_mass_] : system_.beams().mass(beam_);
}

template <class S>
void MassIntegrand<S>::add_partials(const DaeInstant<S>&, double weight, DaeInstantBar<S>&,
                                    Eigen::Ref<VectorX<S>> p_bar) const {
  if (body_mass_ >= 0) {
    p_bar[body_mass_] += weight;
  } else {
    system_.beams().pull_back_mass(beam_, weight, p_bar);
  }
}

namespace {

/// The observable of a quantity that is a vector, or of a drive's torque, which is one component of a vector.
template <class S>
std::shared_ptr<const Observable<S>> attitude(const MultibodySystem<S>& system, const CriterionTerm& term,
                                              AttitudeKind kind) {
  if (term.body.empty()) return std::make_shared<MarkerAttitude<S>>(system, term.marker, kind);
  return std::make_shared<Attitude<S>>(system, term.body, kind);
}

template <class S>
std::shared_ptr<const Observable<S>> make_observable(const MultibodySystem<S>& system,
                                                     const CriterionTerm& term) {
  const auto marker = [&](MarkerQuantityKind kind) {
    return std::make_shared<MarkerQuantity<S>>(system, term.marker, kind);
  };
  switch (term.quantity) {
    case Quantity::displacement:
      return marker(MarkerQuantityKind::displacement);
    case Quantity::rotation:
      return marker(MarkerQuantityKind::rotation);
    case Quantity::position:
      return marker(MarkerQuantityKind::position);
    case Quantity::velocity:
      return marker(MarkerQuantityKind::velocity);
    case Quantity::acceleration:
      return marker(MarkerQuantityKind::acceleration);
    case Quantity::reaction_force:
      return std::make_shared<JointReaction<S>>(system, term.joint, ReactionKind::force);
    case Quantity::reaction_moment:
    case Quantity::drive_torque:
      return std::make_shared<JointReaction<S>>(system, term.joint, ReactionKind::moment);
    case Quantity::centre_of_mass:
      return std::make_shared<CentreOfMass<S>>(system, term.body);
    case Quantity::tyre_force:
      return std::make_shared<TyreForce<S>>(system, term.tyre);
    case Quantity::spring_force:
      return std::make_shared<SpringForceOnTo<S>>(system, term.spring);
    case Quantity::relative_position:
      return std::make_shared<RelativePosition<S>>(system, term.marker, term.from);
    case Quantity::attitude:
      return attitude(system, term, AttitudeKind::angles);
    case Quantity::attitude_rate:
      return attitude(system, term, AttitudeKind::rates);
    case Quantity::compliance:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
    case Quantity::rod_force:
    case Quantity::joint_angle:
    case Quantity::joint_rate:
    case Quantity::mass:
    case Quantity::control_energy:
    case Quantity::von_mises:
    case Quantity::distance:
    case Quantity::spring_length:
    case Quantity::stress:
    case Quantity::duration:
    case Quantity::frequency:
    case Quantity::damping_ratio:
    case Quantity::buckling_load:
      break;
  }
  throw std::logic_error("no vector in a floating frame");
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
      return std::make_shared<ControlEnergyIntegrand<S>>(
          control_nodes(system.spec(), system.layout(), term.control), system.parameters());
    case Quantity::von_mises:
      if (!term.stress_modes) throw InputError(fmt::format("body {} has no stress modes", term.body));
      return std::make_shared<VonMisesIntegrand<S>>(system, term.body, *term.stress_modes,
                                                    term.element_exponent);
    case Quantity::stress:
      return std::make_shared<NormOfObservables<S>>(beam_stresses(system, term), term.element_exponent);
    case Quantity::rod_force:
      return make_deviation<S>(std::make_shared<RodForce<S>>(system, term.joint), term, {});
    case Quantity::spring_length: {
      const SpringSpec& spring = system.spec().springs[system.spring_index(term.spring)];
      return make_deviation<S>(std::make_shared<MarkerDistance<S>>(system, spring.to, spring.from), term, {});
    }
    case Quantity::distance:
      return make_deviation<S>(std::make_shared<MarkerDistance<S>>(system, term.marker, term.from), term, {});
    case Quantity::joint_angle:
    case Quantity::joint_rate: {
      const bool is_angle = term.quantity == Quantity::joint_angle;
      const auto kind = is_angle ? JointAngleKind::angle : JointAngleKind::rate;
      return make_deviation<S>(std::make_shared<JointAngle<S>>(system, term.joint, kind, term.target[0]),
                               term, {});
    }
    case Quantity::drive_torque: {
      CriterionTerm of_vector = term;
      of_vector.component = drive_axis(system.joint_rows(term.joint).spec);
      return make_deviation(make_observable(system, term), of_vector, {0, 1, 2});
    }
    case Quantity::displacement:
    case Quantity::rotation:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::centre_of_mass:
    case Quantity::tyre_force:
    case Quantity::attitude:
    case Quantity::attitude_rate:
    case Quantity::relative_position:
    case Quantity::spring_force:
    case Quantity::duration:
    case Quantity::frequency:
    case Quantity::damping_ratio:
    case Quantity::buckling_load:
      break;
  }
  return make_deviation(make_observable(system, term), term, {0, 1, 2});
}

template <class S>
Criterion<S> make_criterion(const DaeSteps<S>& integrator, const MultibodySystem<S>& system,
                            const std::vector<CriterionTerm>& terms) {
  Criterion<S> criterion(integrator, integrator.layout());
  for (const CriterionTerm& term : terms) {
    if (term.quantity == Quantity::duration) {
      criterion.add(term, duration_of(system));
    } else {
      criterion.add(term, make_integrand(system, in_motion(term, system.spec().time)));
    }
  }
  return criterion;
}

#define KURBEL_INSTANTIATE(S)                                                            \
  template class ComplianceIntegrand<S>;                                                 \
  template class EnergyIntegrand<S>;                                                     \
  template class MassIntegrand<S>;                                                       \
  template std::shared_ptr<const Integrand<S>> make_integrand(const MultibodySystem<S>&, \
                                                              const CriterionTerm&);     \
  template Criterion<S> make_criterion(const DaeSteps<S>&, const MultibodySystem<S>&,    \
                                       const std::vector<CriterionTerm>&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
