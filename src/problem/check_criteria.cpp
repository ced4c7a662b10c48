#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "fem/frame.hpp"
#include "fem/stress.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "problem/checks.hpp"
#include "problem/criterion_text.hpp"
#include "problem/damping.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

/// @param names  of all that there is of the kind `what`, which is the key below the path, too
void check_name(const Problem& problem, const std::vector<std::string>& names, const std::string& name,
                const std::string& what, const std::string& path) {
  if (std::ranges::find(names, name) != names.end()) return;
  throw problem.error(path + "." + what, "= \"{}\" is no {}{}", name, what,
                      spelling_advice(name, names, "\""));
}

void check_criterion_body(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const SystemSpec& system = problem.system;
  check_name(problem,
             term.quantity == Quantity::mass ? names_of(problem.bodies, system.point_masses, system.beams,
                                                        system.planar_beams, system.attached_masses)
                                             : names_of(problem.bodies),
             term.body, "body", path);
  if (term.quantity == Quantity::compliance && is_rigid(problem, term.body))
    throw problem.error(path + ".body", "= \"{}\" is rigid: its compliance is zero", term.body);
}

void check_stress(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const ProblemBody& body = problem.bodies[*problem.find_body(term.body)];
  if (body.type != ProblemBody::Type::flexible) {
    throw problem.error(path + ".body", "= \"{}\" has no mesh; stresses need a body of type \"flexible\"",
                        term.body);
  }
  if (problem.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
    throw problem.error(path + ".type",
                        "= \"von-mises\" needs sensitivity.path = \"pull-back\"; the augmented data hold no "
                        "derivatives of stresses");
  }
  if (term.left_out.empty()) return;
  std::vector<std::string> names;
  if (body.flexible.frame.type == fem::FrameSpec::Type::tangent && body.flexible.is_clamped)
    names.push_back("clamp");
  for (const fem::Region& region : body.flexible.regions) names.push_back(region.name);
  for (const fem::MarkerSpec& marker : body.flexible.markers) {
    if (!marker.set) names.push_back(marker.name);
  }
  for (const fem::SupportSpec& support : body.flexible.supports) names.push_back(support.name);
  for (std::size_t i = 0; i < term.left_out.size(); ++i) {
    const std::string& name = term.left_out[i];
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw problem.error(fmt::format("{}.leave_out.{}", path, i),
                          "= \"{}\" is no region, marker or support of {}{}", name, term.body,
                          spelling_advice(name, names, "\""));
    }
  }
  if (fem::stress_elements(body.flexible, *fem::make_mesh(body.flexible.mesh), term.left_out).empty())
    throw problem.error(path + ".leave_out", "takes in every element: no stress is left");
}

void check_criterion_marker(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const std::string key = path + ".marker";
  check_marker(problem, term.marker, key);
  if (term.marker.body == "ground") throw problem.error(key, "is on the ground, which does not move");
  if (term.relative_to_rigid_twin && !has_bodies_alone(problem.system)) {
    throw problem.error(path + ".target",
                        "= \"rigid-twin\" needs a mechanism whose motion joints and drives determine; beams "
                        "bend, and points are free");
  }
  // Fewer than none: some constraints are redundant, and what they leave is known with the motion.
  if (const int n = n_free_dofs(problem.system); term.relative_to_rigid_twin && n > 0) {
    const int all = 6 * static_cast<int>(problem.bodies.size());
    throw problem.error(path + ".target",
                        "= \"rigid-twin\" needs joints and drives that determine the motion of rigid "
                        "bodies; these hold {} of {} degrees of freedom",
                        all - n, all);
  }
  if (term.quantity != Quantity::displacement && term.quantity != Quantity::rotation) return;
  if (find_named(problem.system.beams, term.marker.body) || is_rigid(problem, term.marker.body) ||
      term.marker.marker == "origin") {
    throw problem.error(key,
                        "= \"{}.{}\" has no elastic {}; name a marker of a flexible "
                        "body other than its origin",
                        term.marker.body, term.marker.marker,
                        term.quantity == Quantity::rotation ? "rotation" : "displacement");
  }
}

void check_criterion_joint(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const auto& joints = problem.system.joints;
  check_name(problem, names_of(joints), term.joint, "joint", path);
  const auto joint = std::ranges::find(joints, term.joint, &JointSpec::name);
  if (term.quantity == Quantity::rod_force) {
    if (joint->length) return;
    throw problem.error(path + ".joint", "= \"{}\" is no rod (type = \"distance\")", term.joint);
  }
  if (joint->length) {
    throw problem.error(path + ".type", "does not exist for {}, which is a rod; take \"rod-force\"",
                        term.joint);
  }
  if (traits_of(term.quantity).place == ObservedPlace::hinge) {
    if (is_hinge(*joint)) return;
    throw problem.error(path + ".joint", "= \"{}\" is no hinge, which locks rx and ry and leaves rz free",
                        term.joint);
  }
  const bool is_drive = term.quantity == Quantity::drive_torque;
  std::array<bool, 6> locked{};
  if (!is_drive) locked = joint->locked;
  for (const DriveSpec& drive : joint->drives) locked[static_cast<std::size_t>(drive.dof)] = true;
  const auto first = locked.begin() + (term.quantity == Quantity::reaction_force ? 0 : 3);
  if (std::none_of(first, first + 3, [](bool h) { return h; })) {
    throw problem.error(
        path + ".joint", "= \"{}\" {}", term.joint,
        is_drive ? "drives no rotation; the force of a drive of a displacement is \"reaction-force\""
        : term.quantity == Quantity::reaction_force ? "holds no translation"
                                                    : "holds no rotation");
  }
  if (term.component && !first[*term.component]) {
    throw problem.error(path + ".component", "= \"{}\" is an axis that joint {} leaves free",
                        "xyz"[*term.component], term.joint);
  }
}

void check_criterion(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  switch (traits_of(term.quantity).place) {
    case ObservedPlace::body:
      check_criterion_body(problem, term, path);
      if (term.quantity == Quantity::von_mises) check_stress(problem, term, path);
      break;
    case ObservedPlace::body_or_all:
    case ObservedPlace::modes:
      if (!term.body.empty()) check_criterion_body(problem, term, path);
      break;
    case ObservedPlace::body_or_marker:
      if (term.body.empty())
        check_criterion_marker(problem, term, path);
      else
        check_criterion_body(problem, term, path);
      break;
    case ObservedPlace::marker:
      check_criterion_marker(problem, term, path);
      break;
    case ObservedPlace::two_markers:
      check_criterion_marker(problem, term, path);
      check_material_marker(problem, term.from, path + ".from");
      if (term.marker == term.from)
        throw problem.error(path + ".marker", "= \"{}\" is the marker from which the {} is measured",
                            text_of(term.marker), word_of(term.quantity));
      break;
    case ObservedPlace::joint:
    case ObservedPlace::hinge:
    case ObservedPlace::rod:
      check_criterion_joint(problem, term, path);
      break;
    case ObservedPlace::spring:
      check_name(problem, names_of(problem.system.springs), term.spring, "spring", path);
      break;
    case ObservedPlace::tyre:
      check_name(problem, names_of(problem.system.tyres), term.tyre, "tyre", path);
      break;
    case ObservedPlace::control:
      check_criterion_control(problem, term, path);
      break;
    case ObservedPlace::beam:
      check_name(problem, names_of(problem.system.beams, problem.system.planar_beams), term.beam, "beam",
                 path);
      check_stress_of_beam(problem, term, path);
      break;
    case ObservedPlace::motion:
      if (!varies_end(problem))
        throw problem.error(path + ".type",
                            "= \"duration\" needs a variable of quantity = \"integrator.t1\"");
      break;
  }
  check_observed_beside_beams(problem, term, path);
  check_damping(problem, term, path + ".type");
  const bool has_costates = term.time != TimeFunctional::instants && term.time != TimeFunctional::change;
  if (!has_costates && problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint) {
    throw problem.error(path + ".time",
                        "= \"{}\" has no continuous adjoint; take sensitivity.method = "
                        "\"discrete-adjoint\" or \"direct\"",
                        word_of(term.time));
  }
}

}  // namespace

void check_criterion_control(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const std::vector<std::string> names = names_of(problem.system.controls);
  if (names.empty()) throw problem.error(path + ".type", "= \"control-energy\" needs [controls]");
  if (!term.control.empty()) check_name(problem, names, term.control, "control", path);
}

void for_each_term(const Problem& problem,
                   const std::function<void(const CriterionTerm& term, const std::string& path)>& act) {
  // What the input has under a key: one term, or a list of them.
  const auto visit = [&](const std::vector<CriterionTerm>& terms, const std::string& key) {
    const TomlValue* value = problem.document->find(key);
    for (std::size_t i = 0; i < terms.size(); ++i)
      act(terms[i], value && value->array() ? fmt::format("{}.{}", key, i) : key);
  };
  for (const Output& output : problem.outputs) act(output.observable, "outputs." + output.name);
  visit(problem.objective, "objective");
  for (const Stage& stage : problem.first_stages)
    visit(stage.objective, fmt::format("stages.{}.objective", stage.name));
  for (const CriterionConstraint& constraint : problem.constraints.criteria) {
    const std::string key = "constraints.criteria." + constraint.name;
    visit(constraint.terms, problem.document->find(key + ".terms") ? key + ".terms" : key);
  }
}

void check_criteria(const Problem& problem) {
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    check_criterion(problem, term, path);
  });
}

}  // namespace kurbel
