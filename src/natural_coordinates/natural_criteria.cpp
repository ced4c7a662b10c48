#include "natural_coordinates/natural_criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/instantiate.hpp"
#include "floating_frame/control_nodes.hpp"
#include "floating_frame/criteria.hpp"
#include "integration/lie_group.hpp"
#include "mechanism/motion_end.hpp"
#include "natural_coordinates/bodies_of_vectors.hpp"
#include "natural_coordinates/natural_system_detail.hpp"
#include "natural_coordinates/point_elements.hpp"

namespace kurbel {

namespace {

template <class S>
const PlacedElement<S>& find_spring(const NaturalSystem<S>& system, const std::string& name) {
  const std::vector<SpringSpec>& springs = system.spec().springs;
  const auto found = std::ranges::find(springs, name, &SpringSpec::name);
  if (found == springs.end()) throw InputError(fmt::format("there is no spring {}", name));
  return system.spring(static_cast<std::size_t>(found - springs.begin()));
}

/// In a plane nothing is known of forces along its normal, and of moments about other axes.
template <class S>
void check_axis_of_reaction(const NaturalSystem<S>& system, const CriterionTerm& term) {
  if (!system.frames().map().is_planar()) return;
  const bool is_moment = term.quantity == Quantity::reaction_moment;
  const CarriedFrame& to = system.joint(term.joint).to;
  const auto is_normal = [&](int axis) {
    return to.has_axes ? is_normal_to_plane(to.axes[static_cast<std::size_t>(axis)]) : axis == 2;
  };
  if (term.component && is_normal(*term.component) == is_moment) return;
  throw InputError(fmt::format(
      "joint {}: give a component; in the plane z = 0 known are forces along axes of its \"to\" marker "
      "in it, and the moment about the one along z",
      term.joint));
}

/// The moment that a joint exerts about the axis of its driven rotation.
template <class S>
std::shared_ptr<const Integrand<S>> drive_torque(const NaturalSystem<S>& system, const CriterionTerm& term) {
  CriterionTerm about_axis = term;
  for (const DriveSpec& drive : joint_spec(system, term.joint).drives) {
    if (is_rotation(drive.dof)) about_axis.component = static_cast<int>(drive.dof) - 3;
  }
  return make_deviation<S>(std::make_shared<NaturalReaction<S>>(system, term.joint, true), about_axis,
                           {0, 1, 2});
}

/// Observables of the floating frame, for a mechanism without beams.
template <class S>
std::shared_ptr<const Integrand<S>> of_frames(const NaturalSystem<S>& system, const CriterionTerm& term) {
  if (!system.has_bodies_alone())
    throw InputError("beside beams, natural coordinates observe bodies by their points and reactions alone");
  return std::make_shared<FrameIntegrand<S>>(system, make_integrand(system.bodies(), term));
}

/// A function of two points, or of a spring from one to the other.
template <class S>
std::shared_ptr<const Observable<S>> of_pair(const NaturalSystem<S>& system, PlacedElement<S> placed,
                                             std::shared_ptr<const StateFunction<S>> function,
                                             bool in_the_middle) {
  return std::make_shared<ElementFunction<S>>(system, std::move(placed), std::move(function), in_the_middle);
}

/// z_k = a_k . (p^M - p^F) with the forms p^M, p^F, a_1, a_2, a_3.
template <class S>
class PositionAlongAxes final : public StateFunction<S> {
 public:
  using typename StateFunction<S>::Vec;

  Eigen::Index n_rows() const override { return 3; }
  Eigen::Index n_q() const override { return 15; }
  Eigen::Index n_xi() const override { return 0; }
  void value(const ElementState<S>& state, Eigen::Ref<Vec> h) const override {
    for (Eigen::Index k = 0; k < 3; ++k) h[k] += dot(axis(state, k), distance(state));
  }
  void add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const override {
    for (Eigen::Index k = 0; k < 3; ++k) {
      out.h_q.template block<1, 3>(k, 0) += axis(state, k).transpose();
      out.h_q.template block<1, 3>(k, 3) -= axis(state, k).transpose();
      out.h_q.template block<1, 3>(k, 6 + 3 * k) += distance(state).transpose();
    }
  }

 private:
  static Vector3<S> axis(const ElementState<S>& state, Eigen::Index k) {
    return state.q.template segment<3>(6 + 3 * k);
  }
  static Vector3<S> distance(const ElementState<S>& state) {
    return state.q.template head<3>() - state.q.template segment<3>(3);
  }
};

/// Axes of a cable, of a point and of a planar beam are those of the inertial frame.
template <class S>
std::shared_ptr<const Observable<S>> relative_position(const NaturalSystem<S>& system,
                                                       const CriterionTerm& term) {
  const CarriedFrame from = system.frames().at(term.from, "from");
  PlacedElement<S> placed{nullptr, {system.frames().at(term.marker, "marker").point, from.point}, {}, {}};
  for (int k = 0; k < 3; ++k)
    placed.forms.push_back(from.has_axes ? from.axes[static_cast<std::size_t>(k)]
                                         : fixed_form(Vector3d::Unit(k)));
  return of_pair<S>(system, placed, std::make_shared<PositionAlongAxes<S>>(), false);
}

template <class S>
std::shared_ptr<const Integrand<S>> norm_of_stresses(const NaturalSystem<S>& system,
                                                     const CriterionTerm& term) {
  const bool is_planar = std::ranges::find(system.spec().planar_beams, term.beam, &PlanarBeamSpec::name) !=
                         system.spec().planar_beams.end();
  if (is_planar && term.along) {
    const auto at_point = std::make_shared<ElementFunction<S>>(beam_stresses(system, term).front());
    return make_deviation<S>(at_point, term, {});
  }
  typename NormOfObservables<S>::Numbers numbers;
  for (ElementFunction<S>& stress : beam_stresses(system, term))
    numbers.push_back(std::make_shared<ElementFunction<S>>(std::move(stress)));
  return std::make_shared<NormOfObservables<S>>(std::move(numbers), term.element_exponent);
}

/// 1/2 u_bar^T A u_bar                                                                              [P2, eq. 55]
template <class S>
void add_control_energy(const DaeSteps<S>& steps, const NaturalSystem<S>& system, const CriterionTerm& term,
                        Criterion<S>& criterion) {
  const double span = steps.time(steps.n_steps()) - steps.time(0);
  const bool is_mean = term.time == TimeFunctional::mean;
  auto energy = std::make_shared<ControlEnergy<S>>(
      control_nodes(system.spec(), system.layout(), term.control), system.parameters());
  if (!is_mean && system.end_parameter() >= 0) energy->grow_with(system.end_parameter(), span);
  criterion.add(is_mean ? term.weight / span : term.weight, std::move(energy));
}

template <class S>
std::shared_ptr<const Observable<S>> point(const NaturalSystem<S>& system, const CriterionTerm& term) {
  using Kind = typename CarriedPoint<S>::Kind;
  const Kind kind = term.quantity == Quantity::position   ? Kind::position
                    : term.quantity == Quantity::velocity ? Kind::velocity
                                                          : Kind::acceleration;
  return std::make_shared<CarriedPoint<S>>(system, system.frames().at(term.marker, "marker").point, kind);
}

}  // namespace

template <class S>
std::shared_ptr<const Integrand<S>> make_integrand(const NaturalSystem<S>& system,
                                                   const CriterionTerm& term) {
  switch (term.quantity) {
    case Quantity::kinetic_energy:
      if (!term.body.empty()) return of_frames(system, term);
      return std::make_shared<NaturalKineticEnergy<S>>(system);
    case Quantity::mass:
      return std::make_shared<NaturalMass<S>>(system, term.body);
    case Quantity::control_energy:
      return std::make_shared<ControlEnergyIntegrand<S>>(
          control_nodes(system.spec(), system.layout(), term.control), system.parameters());
    case Quantity::stress:
      return norm_of_stresses(system, term);
    case Quantity::rod_force:
      return make_deviation<S>(std::make_shared<NaturalRodForce<S>>(system, term.joint), term, {});
    case Quantity::spring_length:
      return make_deviation<S>(
          of_pair<S>(system, find_spring(system, term.spring), std::make_shared<PointDistance<S>>(), false),
          term, {});
    case Quantity::distance: {
      const PlacedElement<S> ends{
          nullptr,
          {system.frames().at(term.marker, "marker").point, system.frames().at(term.from, "from").point},
          {},
          {}};
      return make_deviation<S>(of_pair<S>(system, ends, std::make_shared<PointDistance<S>>(), false), term,
                               {});
    }
    case Quantity::relative_position:
      return make_deviation<S>(relative_position(system, term), term, {0, 1, 2});
    case Quantity::spring_force: {
      // The reaction on the point that it starts from, with the ends exchanged.
      PlacedElement<S> spring = find_spring(system, term.spring);
      std::swap(spring.forms[0], spring.forms[1]);
      spring.direct.clear();  // of the forms as they were
      const SpringSpec& spec = *std::ranges::find(system.spec().springs, term.spring, &SpringSpec::name);
      const auto force =
          std::make_shared<SpringReaction<S>>(spec.law, spec.isotropic_damping, std::vector<int>{0, 1, 2});
      return make_deviation<S>(of_pair<S>(system, spring, force, true), term, {0, 1, 2});
    }
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
      check_axis_of_reaction(system, term);
      return make_deviation<S>(std::make_shared<NaturalReaction<S>>(
                                   system, term.joint, term.quantity == Quantity::reaction_moment),
                               term, {0, 1, 2});
    case Quantity::drive_torque:
      return drive_torque(system, term);
    case Quantity::total_energy:
    case Quantity::joint_angle:
    case Quantity::joint_rate:
    case Quantity::centre_of_mass:
    case Quantity::attitude:
    case Quantity::attitude_rate:
      return of_frames(system, term);
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
      return make_deviation<S>(point(system, term), term, {0, 1, 2});
    case Quantity::compliance:
    case Quantity::displacement:
    case Quantity::rotation:
    case Quantity::von_mises:
    case Quantity::tyre_force:
    case Quantity::duration:
    case Quantity::frequency:
    case Quantity::damping_ratio:
    case Quantity::buckling_load:
      break;
  }
  throw std::logic_error("no observable in natural coordinates");
}

template <class S>
Criterion<S> make_criterion(const DaeSteps<S>& steps, const NaturalSystem<S>& system,
                            const std::vector<CriterionTerm>& terms) {
  Criterion<S> criterion(steps, steps.layout());
  for (const CriterionTerm& term : terms) {
    const bool is_exact = term.time == TimeFunctional::integral || term.time == TimeFunctional::mean;
    if (term.quantity == Quantity::control_energy && is_exact) {
      add_control_energy(steps, system, term, criterion);
    } else if (term.quantity == Quantity::duration) {
      criterion.add(term, duration_of(system));
    } else if (term.quantity == Quantity::mass) {
      criterion.add(term, std::shared_ptr<const ParameterFunction<S>>(
                              std::make_shared<NaturalMass<S>>(system, term.body)));
    } else {
      criterion.add(term, make_integrand(system, in_motion(term, system.spec().time)));
    }
  }
  return criterion;
}

#define KURBEL_INSTANTIATE(S)                                                          \
  template std::shared_ptr<const Integrand<S>> make_integrand(const NaturalSystem<S>&, \
                                                              const CriterionTerm&);   \
  template Criterion<S> make_criterion(const DaeSteps<S>&, const NaturalSystem<S>&,    \
                                       const std::vector<CriterionTerm>&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
