/// @file
/// One term of every quantity, for the mechanism that has every feature.
#pragma once

#include <cmath>
#include <ostream>

#include "mechanism/criterion_spec.hpp"

namespace kurbel::test {

struct NamedTerm {
  std::string name;
  CriterionTerm term;
};

inline void PrintTo(const NamedTerm& named, std::ostream* out) {
  *out << named.name;
}

inline std::vector<NamedTerm> all_terms() {
  const auto of_body = [](Quantity quantity, const std::string& body) {
    return CriterionTerm{.quantity = quantity, .body = body};
  };
  const auto of_marker = [](Quantity quantity, const MarkerRef& marker) {
    CriterionTerm term{.quantity = quantity, .marker = marker};
    term.target = {constant_rate(0.1, 0.5), nullptr, constant_rate(-0.3, 0.0)};
    return term;
  };
  const auto of_joint = [](Quantity quantity, const std::string& joint) {
    return CriterionTerm{.quantity = quantity, .joint = joint};
  };
  const auto of_spring = [](const std::string& spring) {
    CriterionTerm term{.quantity = Quantity::spring_length};
    term.spring = spring;
    return term;
  };
  const auto force_of_spring = [&](const std::string& spring) {
    CriterionTerm term = of_spring(spring);
    term.quantity = Quantity::spring_force;
    return term;
  };
  const auto distance = [](const MarkerRef& marker, const MarkerRef& from) {
    CriterionTerm term{.quantity = Quantity::distance, .marker = marker};
    term.from = from;
    return term;
  };
  const auto component = [](CriterionTerm term, int i) {
    term.component = i;
    return term;
  };
  const auto of_pair = [&](const MarkerRef& marker, const MarkerRef& from) {
    CriterionTerm term = of_marker(Quantity::relative_position, marker);
    term.from = from;
    return term;
  };
  const auto in_form = [](CriterionTerm term, CriterionForm form) {
    term.form = form;
    return term;
  };
  const auto from_target = [](CriterionTerm term) {
    term.target[0] = constant_rate(20.0, 0.5);  // some turns away
    return term;
  };
  const auto von_mises = [](const std::string& body, Eigen::Index n_components, Eigen::Index n_q) {
    CriterionTerm term{.quantity = Quantity::von_mises, .body = body, .element_exponent = 6.0};
    const MatrixXd S = MatrixXd::NullaryExpr(4 * n_components, n_q, [](Eigen::Index i, Eigen::Index k) {
      return std::sin(static_cast<double>(1 + 7 * i + 3 * i * k + 5 * k));
    });
    term.stress_modes = std::make_shared<StressModes>(StressModes{n_components, S});
    return term;
  };
  const MarkerRef tip{"one", "b"}, end{"rod", "b"}, origin{"two", "origin"};
  return {
      {"compliance", of_body(Quantity::compliance, "one")},
      {"kinetic_energy_of_a_flexible_body", of_body(Quantity::kinetic_energy, "two")},
      {"kinetic_energy_of_a_rigid_body", of_body(Quantity::kinetic_energy, "rod")},
      {"kinetic_energy", of_body(Quantity::kinetic_energy, "")},
      {"total_energy_of_a_body", of_body(Quantity::total_energy, "one")},
      {"total_energy", of_body(Quantity::total_energy, "")},
      {"energy_of_a_control", {.quantity = Quantity::control_energy, .control = "wave"}},
      {"energy_of_all_controls", {.quantity = Quantity::control_energy}},
      {"displacement", of_marker(Quantity::displacement, tip)},
      {"displacement_y", component(of_marker(Quantity::displacement, tip), 1)},
      {"rotation", of_marker(Quantity::rotation, tip)},
      {"rotation_z", component(of_marker(Quantity::rotation, tip), 2)},
      {"attitude", of_body(Quantity::attitude, "one")},
      {"attitude_of_a_marker", of_marker(Quantity::attitude, tip)},
      {"pitch_of_a_marker", component(of_marker(Quantity::attitude, tip), 1)},
      {"attitude_on_a_rigid_body", of_marker(Quantity::attitude, end)},
      {"attitude_rate", of_body(Quantity::attitude_rate, "one")},
      {"attitude_rate_of_a_marker", of_marker(Quantity::attitude_rate, tip)},
      {"yaw_rate_of_a_marker", component(of_marker(Quantity::attitude_rate, tip), 2)},
      {"position", of_marker(Quantity::position, tip)},
      {"position_of_an_origin", of_marker(Quantity::position, origin)},
      {"position_z_on_a_rigid_body", component(of_marker(Quantity::position, end), 2)},
      {"relative_position", of_pair(tip, end)},
      {"relative_position_y_on_one_body", component(of_pair(tip, origin), 1)},
      {"relative_position_from_the_ground", of_pair(end, {"ground", "post"})},
      {"velocity", of_marker(Quantity::velocity, tip)},
      {"velocity_of_an_origin", of_marker(Quantity::velocity, origin)},
      {"velocity_x", component(of_marker(Quantity::velocity, tip), 0)},
      {"half_square_of_a_velocity", in_form(of_marker(Quantity::velocity, tip), CriterionForm::half_square)},
      {"half_square_of_a_velocity_x",
       in_form(component(of_marker(Quantity::velocity, tip), 0), CriterionForm::half_square)},
      {"magnitude_of_a_velocity_x",
       in_form(component(of_marker(Quantity::velocity, tip), 0), CriterionForm::magnitude)},
      {"acceleration", of_marker(Quantity::acceleration, tip)},
      {"acceleration_on_a_rigid_body", of_marker(Quantity::acceleration, end)},
      {"acceleration_y", component(of_marker(Quantity::acceleration, tip), 1)},
      {"reaction_force", of_joint(Quantity::reaction_force, "base")},
      {"reaction_force_y", component(of_joint(Quantity::reaction_force, "wrist"), 1)},
      {"half_square_of_a_reaction_force",
       in_form(of_joint(Quantity::reaction_force, "base"), CriterionForm::half_square)},
      {"reaction_moment", of_joint(Quantity::reaction_moment, "elbow")},
      {"drive_torque", of_joint(Quantity::drive_torque, "base")},
      {"half_square_of_a_drive_torque",
       in_form(of_joint(Quantity::drive_torque, "base"), CriterionForm::half_square)},
      {"joint_angle", of_joint(Quantity::joint_angle, "base")},
      {"joint_angle_from_a_target", from_target(of_joint(Quantity::joint_angle, "base"))},
      {"half_square_of_a_joint_angle_from_a_target",
       in_form(from_target(of_joint(Quantity::joint_angle, "base")), CriterionForm::half_square)},
      {"joint_rate", of_joint(Quantity::joint_rate, "base")},
      {"length_of_a_spring", of_spring("coil")},
      {"length_of_a_linear_spring", of_spring("band")},
      {"force_of_a_spring", force_of_spring("coil")},
      {"force_of_a_spring_y", component(force_of_spring("coil"), 1)},
      {"force_of_a_linear_spring_x", component(force_of_spring("band"), 0)},
      {"distance", distance(tip, end)},
      {"distance_from_the_ground", distance(origin, {"ground"})},
      {"mass", of_body(Quantity::mass, "one")},
      {"centre_of_mass", of_body(Quantity::centre_of_mass, "one")},
      {"von_mises_in_plane_stress", von_mises("one", 3, 3)},
      {"von_mises_in_space", von_mises("two", 6, 2)},
      {"centre_of_mass_x", component(of_body(Quantity::centre_of_mass, "two"), 0)}};
}

}  // namespace kurbel::test
