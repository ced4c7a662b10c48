#include "mechanism/criterion_spec.hpp"

#include <algorithm>

namespace kurbel {

bool is_vector(Quantity quantity) {
  switch (quantity) {
    case Quantity::displacement:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::centre_of_mass:
    case Quantity::tyre_force:
    case Quantity::rotation:
    case Quantity::attitude:
    case Quantity::attitude_rate:
    case Quantity::spring_force:
      return true;
    case Quantity::compliance:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
    case Quantity::rod_force:
    case Quantity::drive_torque:
    case Quantity::joint_angle:
    case Quantity::joint_rate:
    case Quantity::mass:
    case Quantity::control_energy:
    case Quantity::von_mises:
    case Quantity::distance:
    case Quantity::spring_length:
    case Quantity::stress:
      break;
  }
  return false;
}

const char* unit_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::compliance:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
      return "J";
    case Quantity::velocity:
      return "m/s";
    case Quantity::acceleration:
      return "m/s^2";
    case Quantity::reaction_force:
    case Quantity::rod_force:
    case Quantity::tyre_force:
    case Quantity::spring_force:
      return "N";
    case Quantity::rotation:
    case Quantity::attitude:
    case Quantity::joint_angle:
      return "rad";
    case Quantity::attitude_rate:
    case Quantity::joint_rate:
      return "rad/s";
    case Quantity::reaction_moment:
    case Quantity::drive_torque:
      return "N m";
    case Quantity::mass:
      return "kg";
    case Quantity::control_energy:
      return "N^2 or (N m)^2";
    case Quantity::von_mises:
    case Quantity::stress:
      return "Pa";
    case Quantity::displacement:
    case Quantity::position:
    case Quantity::centre_of_mass:
    case Quantity::distance:
    case Quantity::spring_length:
      break;
  }
  return "m";
}

CriterionForm form_of(const CriterionTerm& term) {
  if (term.form) return *term.form;
  return is_vector(term.quantity) && !term.component ? CriterionForm::magnitude : CriterionForm::signed_value;
}

bool is_never_negative(const CriterionTerm& term) {
  return term.time == TimeFunctional::p_norm || form_of(term) != CriterionForm::signed_value;
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
         a.up == b.up;
}

bool is_aggregate(const CriterionTerm& term) {
  const bool over_elements = term.quantity == Quantity::stress && !term.along;
  return term.time == TimeFunctional::p_norm || term.time == TimeFunctional::kreisselmeier_steinhauser ||
         term.quantity == Quantity::von_mises || over_elements;
}

bool is_sum_of_norms(const std::vector<CriterionTerm>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const CriterionTerm& term) {
    return is_aggregate(term) && term.time != TimeFunctional::kreisselmeier_steinhauser && term.weight > 0.0;
  });
}

}  // namespace kurbel
