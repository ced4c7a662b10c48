#include "mechanism/criterion_spec.hpp"

#include <algorithm>
#include <stdexcept>

namespace kurbel {

const std::vector<ObservableTraits>& observable_table() {
  using Q = Quantity;
  using P = ObservedPlace;
  constexpr auto vector = ObservedValue::vector, number = ObservedValue::number,
                 formed = ObservedValue::formed_number, measured = ObservedValue::measured_number;
  constexpr auto none = InNaturalCoordinates::none, bodies_alone = InNaturalCoordinates::bodies_alone,
                 all = InNaturalCoordinates::all;
  constexpr auto not_at_rest = AtRest::none, zero = AtRest::zero, in_response = AtRest::in_response,
                 at_rest = AtRest::value;
  // clang-format off
  static const std::vector<ObservableTraits> table = {
      // quantity             word               unit               of what             value     natural       at rest
      {Q::compliance,      "compliance",      "J",               P::body,            number,   none,         not_at_rest},
      {Q::kinetic_energy,  "kinetic-energy",  "J",               P::body_or_all,     number,   all,          not_at_rest},
      {Q::total_energy,    "total-energy",    "J",               P::body_or_all,     number,   bodies_alone, not_at_rest},
      {Q::displacement,    "displacement",    "m",               P::marker,          vector,   none,         at_rest},
      {Q::position,        "position",        "m",               P::marker,          vector,   all,          at_rest},
      {Q::velocity,        "velocity",        "m/s",             P::marker,          vector,   all,          zero},
      {Q::acceleration,    "acceleration",    "m/s^2",           P::marker,          vector,   all,          zero, true},
      {Q::reaction_force,  "reaction-force",  "N",               P::joint,           vector,   all,          at_rest, true},
      {Q::reaction_moment, "reaction-moment", "N m",             P::joint,           vector,   all,          at_rest, true},
      {Q::rod_force,       "rod-force",       "N",               P::rod,             measured, all,          at_rest, true},
      {Q::drive_torque,    "drive-torque",    "N m",             P::joint,           formed,   all,          at_rest, true},
      {Q::joint_angle,     "joint-angle",     "rad",             P::hinge,           measured, bodies_alone, at_rest},
      {Q::joint_rate,      "joint-rate",      "rad/s",           P::hinge,           measured, bodies_alone, zero},
      {Q::mass,            "mass",            "kg",              P::body,            number,   all,          at_rest},
      {Q::centre_of_mass,  "centre-of-mass",  "m",               P::body,            vector,   bodies_alone, at_rest},
      {Q::control_energy,  "control-energy",  "N^2 or (N m)^2",  P::control,         number,   all,          not_at_rest},
      {Q::von_mises,       "von-mises",       "Pa",              P::body,            number,   none,         not_at_rest},
      {Q::distance,        "distance",        "m",               P::two_markers,     measured, all,          at_rest},
      {Q::relative_position, "relative-position", "m",           P::two_markers,     vector,   all,          at_rest},
      {Q::spring_length,   "spring-length",   "m",               P::spring,          measured, all,          at_rest},
      {Q::tyre_force,      "tyre-force",      "N",               P::tyre,            vector,   none,         not_at_rest},
      {Q::rotation,        "rotation",        "rad",             P::marker,          vector,   none,         at_rest},
      {Q::attitude,        "attitude",        "rad",             P::body_or_marker,  vector,   bodies_alone, in_response},
      {Q::attitude_rate,   "attitude-rate",   "rad/s",           P::body_or_marker,  vector,   bodies_alone, zero},
      {Q::spring_force,    "spring-force",    "N",               P::spring,          vector,   all,          at_rest},
      {Q::stress,          "stress",          "Pa",              P::beam,            measured, all,          not_at_rest},
      {Q::duration,        "duration",        "s",               P::motion,          number,   all,          not_at_rest},
      {Q::frequency,       "frequency",       "Hz",              P::modes,           number,   all,          at_rest},
      {Q::damping_ratio,   "damping-ratio",   "",                P::modes,           number,   all,          at_rest},
      {Q::buckling_load,   "buckling-load",   "",                P::body,            number,   none,         not_at_rest},
  };
  // clang-format on
  return table;
}

const ObservableTraits& traits_of(Quantity quantity) {
  const auto row = std::ranges::find(observable_table(), quantity, &ObservableTraits::quantity);
  if (row == observable_table().end())
    throw std::logic_error("an observable has no row in observable_table()");
  return *row;
}

CriterionForm form_of(const CriterionTerm& term) {
  if (term.form) return *term.form;
  return is_vector(term.quantity) && !term.component ? CriterionForm::magnitude : CriterionForm::signed_value;
}

bool is_never_negative(const CriterionTerm& term) {
  return term.of_response || term.time == TimeFunctional::p_norm ||
         (term.time != TimeFunctional::change && form_of(term) != CriterionForm::signed_value);
}

std::vector<int> axes_of(const CriterionTerm& term) {
  if (!is_vector(term.quantity)) return {};
  return term.axes.empty() ? std::vector<int>{0, 1, 2} : term.axes;
}

std::string axis_name(int axis) {
  return std::string(1, "xyz"[axis]);
}

bool has_target(const CriterionTerm& term) {
  return term.relative_to_rigid_twin ||
         std::ranges::any_of(term.target, [](const TimeFunctionPtr& target) { return target != nullptr; });
}

bool is_same_observable(const CriterionTerm& a, const CriterionTerm& b) {
  return a.quantity == b.quantity && a.body == b.body && a.marker == b.marker && a.from == b.from &&
         a.joint == b.joint && a.spring == b.spring && a.tyre == b.tyre && a.control == b.control &&
         a.element_exponent == b.element_exponent && a.relaxation == b.relaxation &&
         a.left_out == b.left_out && a.beam == b.beam && a.along == b.along && a.across == b.across &&
         a.up == b.up && a.first_mode == b.first_mode && a.last_mode == b.last_mode &&
         a.over_modes == b.over_modes;
}

bool is_aggregate(const CriterionTerm& term) {
  const bool over_elements = term.quantity == Quantity::stress && !term.along;
  return term.time == TimeFunctional::p_norm || term.time == TimeFunctional::kreisselmeier_steinhauser ||
         term.quantity == Quantity::von_mises || over_elements ||
         term.over_modes == ModesFunctional::kreisselmeier_steinhauser;
}

bool is_sum_of_norms(const std::vector<CriterionTerm>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const CriterionTerm& term) {
    return is_aggregate(term) && term.time != TimeFunctional::kreisselmeier_steinhauser &&
           term.over_modes != ModesFunctional::kreisselmeier_steinhauser && term.weight > 0.0;
  });
}

}  // namespace kurbel
