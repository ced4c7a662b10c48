#include "problem/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/spelling.hpp"
#include "fem/frame.hpp"
#include "fem/spec_check.hpp"
#include "fem/stress.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "problem/damping.hpp"

namespace kurbel {

namespace {

std::vector<std::string> body_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const ProblemBody& body : problem.bodies) names.push_back(body.name);
  return names;
}

std::vector<std::string> beam_names(const Problem& problem) {
  std::vector<std::string> names;
  for (const BeamSpec& beam : problem.system.beams) names.push_back(beam.name);
  return names;
}

const BeamSpec* find_beam(const Problem& problem, const std::string& name) {
  const auto& beams = problem.system.beams;
  const auto beam = std::ranges::find(beams, name, &BeamSpec::name);
  return beam == beams.end() ? nullptr : &*beam;
}

std::vector<std::string> marker_names(const BeamSpec& beam) {
  std::vector<std::string> names = {"start", "end"};
  for (int i = 1; i < beam.n_elements; ++i) names.push_back(fmt::format("node{}", i));
  return names;
}

std::vector<std::string> marker_names(const Problem& problem, const std::string& body) {
  if (const BeamSpec* beam = find_beam(problem, body)) return marker_names(*beam);
  std::vector<std::string> names = {"origin"};
  const auto add_nodes = [&](const std::vector<SidNode>& nodes) {
    for (const SidNode& node : nodes) names.push_back(node.name);
  };
  if (body == "ground") {
    add_nodes(problem.system.ground);
    return names;
  }
  const std::size_t i = *problem.find_body(body);
  add_nodes(problem.system.bodies[i].sid.frame);
  for (const fem::MarkerSpec& marker : problem.bodies[i].flexible.markers) names.push_back(marker.name);
  return names;
}

void check_marker(const Problem& problem, const MarkerRef& ref, const std::string& key) {
  std::vector<std::string> bodies = body_names(problem);
  bodies.push_back("ground");
  std::ranges::copy(beam_names(problem), std::back_inserter(bodies));
  if (std::find(bodies.begin(), bodies.end(), ref.body) == bodies.end()) {
    throw problem.error(key, fmt::format("names the body \"{}\", which does not exist{}", ref.body,
                                         spelling_advice(ref.body, bodies, "\"")));
  }
  const std::vector<std::string> markers = marker_names(problem, ref.body);
  if (std::find(markers.begin(), markers.end(), ref.marker) == markers.end()) {
    throw problem.error(key, fmt::format("names the marker \"{}\", which {} does not have{}", ref.marker,
                                         ref.body, spelling_advice(ref.marker, markers, "\"")));
  }
}

template <class Link>
void check_link(const Problem& problem, const Link& link, const std::string& section) {
  const std::string key = fmt::format("{}.{}", section, link.name);
  check_material_marker(problem, link.from, key + ".from");
  check_material_marker(problem, link.to, key + ".to");
  if (link.from.body == link.to.body) {
    throw problem.error(key + ".to", fmt::format("is on the same body as from, \"{}\"", link.from.body));
  }
}

void check_rod(const Problem& problem, const JointSpec& joint) {
  if (!joint.length || *joint.length > 0.0) return;
  const auto has_mesh = [&](const MarkerRef& end) {
    const auto body = problem.find_body(end.body);
    return body && end.marker != "origin" && problem.bodies[*body].type == ProblemBody::Type::flexible;
  };
  throw problem.error(
      fmt::format("joints.{}.length", joint.name),
      has_mesh(joint.from) || has_mesh(joint.to)
          ? "is missing: a rod at a marker of a flexible body needs it"
          : "would be 0: the markers coincide at the given start; place them apart or give it");
}

bool is_hinge_of(const JointSpec& joint, const TorsionSpringSpec& spring) {
  const auto same = [](const MarkerRef& a, const MarkerRef& b) {
    return a.body == b.body && a.marker == b.marker;
  };
  const bool there = (same(joint.from, spring.from) && same(joint.to, spring.to)) ||
                     (same(joint.from, spring.to) && same(joint.to, spring.from));
  return there && is_hinge(joint);
}

/// Whether every element belongs to a region, so that none is left to the optimizer.
bool is_passive(const fem::FlexibleBodySpec& body) {
  const fem::Mesh mesh(body.mesh);
  std::vector<bool> passive(static_cast<std::size_t>(mesh.n_elements()), false);
  for (const fem::Region& region : body.regions) {
    for (const int e : mesh.elements_in(region.box)) passive[static_cast<std::size_t>(e)] = true;
  }
  return std::find(passive.begin(), passive.end(), false) == passive.end();
}

void check_design_body(const Problem& problem, std::size_t number) {
  const std::string key = fmt::format("design.bodies.{}", number);
  const std::string& name = problem.design.bodies[number];
  const auto i = problem.find_body(name);
  if (!i) {
    throw problem.error(
        key, fmt::format("= \"{}\" is no body{}", name, spelling_advice(name, body_names(problem), "\"")));
  }
  const ProblemBody& body = problem.bodies[*i];
  if (body.type != ProblemBody::Type::flexible) {
    throw problem.error(
        key, fmt::format("= \"{}\" has no mesh; only a body of type \"flexible\" can be designed", name));
  }
  const auto& bodies = problem.design.bodies;
  if (std::find(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(number), name) !=
      bodies.begin() + static_cast<std::ptrdiff_t>(number)) {
    throw problem.error(key, fmt::format("= \"{}\" stands twice in the list", name));
  }
  if (problem.design.start < body.flexible.simp.p_min) {
    throw problem.error("design.start", fmt::format("= {} is below p_min = {} of {}", problem.design.start,
                                                    body.flexible.simp.p_min, name));
  }
}

/// Whether a body of that name deforms.
bool is_rigid(const Problem& problem, const std::string& body) {
  const std::size_t i = *problem.find_body(body);
  return problem.bodies[i].type == ProblemBody::Type::rigid ||
         (problem.bodies[i].type == ProblemBody::Type::sid && problem.system.bodies[i].sid.n_q() == 0);
}

void check_tyre(const Problem& problem, const TyreSpec& tyre) {
  const std::string key = "tyres." + tyre.name;
  check_marker(problem, tyre.wheel, key + ".wheel");
  check_marker(problem, {tyre.carrier, "origin"}, key + ".carrier");
  for (const auto& [part, body] :
       {std::pair{".wheel", tyre.wheel.body}, std::pair{".carrier", tyre.carrier}}) {
    if (body == "ground") throw problem.error(key + part, "is on the ground; name a body that moves");
    if (find_beam(problem, body) || !is_rigid(problem, body))
      throw problem.error(key + part,
                          fmt::format("is on {}, which deforms; a tyre needs rigid bodies", body));
  }
  if (tyre.wheel.body == tyre.carrier) {
    throw problem.error(
        key + ".carrier",
        fmt::format("= \"{}\" is the wheel itself; name the body that carries it", tyre.carrier));
  }
}

void check_criterion_body(const Problem& problem, const CriterionTerm& term, const std::string& key) {
  if (term.quantity == Quantity::mass && find_beam(problem, term.body)) return;
  if (!problem.find_body(term.body)) {
    throw problem.error(key, fmt::format("= \"{}\" is no body{}", term.body,
                                         spelling_advice(term.body, body_names(problem), "\"")));
  }
  if (term.quantity == Quantity::compliance && is_rigid(problem, term.body))
    throw problem.error(key, fmt::format("= \"{}\" is rigid: its compliance is zero", term.body));
}

void check_stress(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const ProblemBody& body = problem.bodies[*problem.find_body(term.body)];
  if (body.type != ProblemBody::Type::flexible) {
    throw problem.error(
        path + ".body",
        fmt::format("= \"{}\" has no mesh; stresses need a body of type \"flexible\"", term.body));
  }
  if (problem.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
    throw problem.error(path + ".type",
                        "= \"von-mises\" needs sensitivity.path = \"pull-back\"; the augmented data hold no "
                        "derivatives of stresses");
  }
  if (term.left_out.empty()) return;
  std::vector<std::string> names;
  if (body.flexible.frame.type == fem::FrameSpec::Type::tangent) names.push_back("clamp");
  for (const fem::Region& region : body.flexible.regions) names.push_back(region.name);
  for (const fem::MarkerSpec& marker : body.flexible.markers) names.push_back(marker.name);
  for (std::size_t i = 0; i < term.left_out.size(); ++i) {
    const std::string& name = term.left_out[i];
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw problem.error(fmt::format("{}.leave_out.{}", path, i),
                          fmt::format("= \"{}\" is no region or marker of {}{}", name, term.body,
                                      spelling_advice(name, names, "\"")));
    }
  }
  if (fem::stress_elements(body.flexible, fem::Mesh(body.flexible.mesh), term.left_out).empty())
    throw problem.error(path + ".leave_out", "takes in every element: no stress is left");
}

void check_criterion_marker(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const std::string key = path + ".marker";
  check_marker(problem, term.marker, key);
  if (term.marker.body == "ground") throw problem.error(key, "is on the ground, which does not move");
  if (term.relative_to_rigid_twin && !problem.system.beams.empty()) {
    throw problem.error(
        path + ".target",
        fmt::format("= \"rigid-twin\" needs a mechanism whose motion joints and drives determine; "
                    "beams.{} bends",
                    problem.system.beams.front().name));
  }
  // Fewer than none: some constraints are redundant, and what they leave is known with the motion.
  if (const int n = n_free_dofs(problem.system); term.relative_to_rigid_twin && n > 0) {
    const int all = 6 * static_cast<int>(problem.bodies.size());
    throw problem.error(
        path + ".target",
        fmt::format("= \"rigid-twin\" needs joints and drives that determine the motion of rigid "
                    "bodies; these hold {} of {} degrees of freedom",
                    all - n, all));
  }
  if (term.quantity != Quantity::displacement) return;
  if (find_beam(problem, term.marker.body) || is_rigid(problem, term.marker.body) ||
      term.marker.marker == "origin") {
    throw problem.error(key,
                        fmt::format("= \"{}.{}\" has no elastic displacement; name a marker of a flexible "
                                    "body other than its origin",
                                    term.marker.body, term.marker.marker));
  }
}

void check_criterion_joint(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const auto& joints = problem.system.joints;
  const auto joint =
      std::find_if(joints.begin(), joints.end(), [&](const JointSpec& j) { return j.name == term.joint; });
  if (joint == joints.end()) {
    std::vector<std::string> names;
    for (const JointSpec& j : joints) names.push_back(j.name);
    throw problem.error(path + ".joint", fmt::format("= \"{}\" is no joint{}", term.joint,
                                                     spelling_advice(term.joint, names, "\"")));
  }
  if (term.quantity == Quantity::rod_force) {
    if (joint->length) return;
    throw problem.error(path + ".joint", fmt::format("= \"{}\" is no rod (type = \"distance\")", term.joint));
  }
  if (joint->length) {
    throw problem.error(path + ".type",
                        fmt::format("does not exist for {}, which is a rod; take \"rod-force\"", term.joint));
  }
  if (term.quantity == Quantity::joint_angle || term.quantity == Quantity::joint_rate) {
    if (is_hinge(*joint)) return;
    throw problem.error(
        path + ".joint",
        fmt::format("= \"{}\" is no hinge, which locks rx and ry and leaves rz free", term.joint));
  }
  const bool is_drive = term.quantity == Quantity::drive_torque;
  std::array<bool, 6> held{};
  if (!is_drive) held = joint->locked;
  for (const DriveSpec& drive : joint->drives) held[static_cast<std::size_t>(drive.dof)] = true;
  const auto first = held.begin() + (term.quantity == Quantity::reaction_force ? 0 : 3);
  if (std::none_of(first, first + 3, [](bool h) { return h; })) {
    throw problem.error(path + ".joint",
                        fmt::format("= \"{}\" {}", term.joint,
                                    is_drive                                    ? "drives no rotation"
                                    : term.quantity == Quantity::reaction_force ? "holds no translation"
                                                                                : "holds no rotation"));
  }
  if (term.component && !first[*term.component]) {
    throw problem.error(path + ".component", fmt::format("= \"{}\" is an axis that joint {} leaves free",
                                                         "xyz"[*term.component], term.joint));
  }
}

template <class Named>
void check_name(const Problem& problem, const std::vector<Named>& all, const std::string& name,
                const std::string& what, const std::string& path) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  if (std::ranges::find(names, name) != names.end()) return;
  throw problem.error(path + "." + what,
                      fmt::format("= \"{}\" is no {}{}", name, what, spelling_advice(name, names, "\"")));
}

void check_criterion_control(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  std::vector<std::string> names;
  for (const ControlSpec& control : problem.system.controls) names.push_back(control.name);
  if (names.empty()) throw problem.error(path + ".type", "= \"control-energy\" needs [controls]");
  if (term.control.empty() || std::find(names.begin(), names.end(), term.control) != names.end()) return;
  throw problem.error(path + ".control", fmt::format("= \"{}\" is no control{}", term.control,
                                                     spelling_advice(term.control, names, "\"")));
}

void check_criterion(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  switch (term.quantity) {
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
      if (!term.body.empty()) check_criterion_body(problem, term, path + ".body");
      break;
    case Quantity::compliance:
    case Quantity::mass:
    case Quantity::centre_of_mass:
    case Quantity::attitude:
    case Quantity::attitude_rate:
      check_criterion_body(problem, term, path + ".body");
      break;
    case Quantity::von_mises:
      check_criterion_body(problem, term, path + ".body");
      check_stress(problem, term, path);
      break;
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::rod_force:
    case Quantity::drive_torque:
    case Quantity::joint_angle:
    case Quantity::joint_rate:
      check_criterion_joint(problem, term, path);
      break;
    case Quantity::distance:
      check_criterion_marker(problem, term, path);
      check_material_marker(problem, term.from, path + ".from");
      break;
    case Quantity::stress:
      check_name(problem, problem.system.beams, term.beam, "beam", path);
      check_stress_of_beam(problem, term, path);
      break;
    case Quantity::spring_length:
    case Quantity::spring_force:
      check_name(problem, problem.system.springs, term.spring, "spring", path);
      break;
    case Quantity::tyre_force:
      check_name(problem, problem.system.tyres, term.tyre, "tyre", path);
      break;
    case Quantity::control_energy:
      check_criterion_control(problem, term, path);
      break;
    case Quantity::displacement:
    case Quantity::position:
    case Quantity::velocity:
    case Quantity::acceleration:
      check_criterion_marker(problem, term, path);
      break;
  }
  check_observed_beside_beams(problem, term, path);
  check_damping(problem, term, path + ".type");
  if (term.time == TimeFunctional::instants &&
      problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint) {
    throw problem.error(path + ".time",
                        "= \"instants\" has no continuous adjoint; take sensitivity.method = "
                        "\"discrete-adjoint\" or \"direct\"");
  }
}

/// @param value  what the input has under the key: one term, or a list of them
void check_terms(const Problem& problem, const std::vector<CriterionTerm>& terms, const TomlValue& value,
                 const std::string& key) {
  for (std::size_t i = 0; i < terms.size(); ++i)
    check_criterion(problem, terms[i], value.array() ? fmt::format("{}.{}", key, i) : key);
}

bool has_rigid_target(const Problem& problem) {
  const auto is_relative = [](const CriterionTerm& term) { return term.relative_to_rigid_twin; };
  const auto has = [&](const std::vector<CriterionTerm>& terms) {
    return std::any_of(terms.begin(), terms.end(), is_relative);
  };
  return has(problem.objective) ||
         std::ranges::any_of(problem.first_stages,
                             [&](const Stage& stage) { return has(stage.objective); }) ||
         std::any_of(problem.constraints.criteria.begin(), problem.constraints.criteria.end(),
                     [&](const CriterionConstraint& constraint) { return has(constraint.terms); });
}

/// What [variables] cannot go together with.
void check_variables(const Problem& problem) {
  using Kind = SystemQuantity::Kind;
  for (const DesignVariable& variable : problem.design.variables) {
    // Of a table, the name has a time behind it.
    const std::string key = "variables." + variable.name.substr(0, variable.name.find('(')) + ".quantity";
    const auto* element = std::get_if<ElementQuantity>(&variable.quantity);
    if (element && problem.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
      throw problem.error("sensitivity.path",
                          fmt::format("= \"augmented-sid\" has derivatives by densities alone; {} needs "
                                      "\"pull-back\"",
                                      key));
    }
    const auto* system = std::get_if<SystemQuantity>(&variable.quantity);
    if (system && system->kind == Kind::drive_value && has_rigid_target(problem)) {
      throw problem.error(
          key,
          "drives the mechanism, and a criterion has target = \"rigid-twin\", its motion as it "
          "is in the file");
    }
    const bool moves_markers = element
                                   ? element->kind == ElementQuantity::Kind::mesh_size
                                   : system->kind == Kind::marker || system->kind == Kind::ground_marker ||
                                         system->kind == Kind::rod_length;
    if (moves_markers && has_rigid_target(problem)) {
      throw problem.error(key,
                          "moves markers, and a criterion has target = \"rigid-twin\", the motion of the "
                          "mechanism as it is in the file");
    }
  }
  const bool has_mesh = !problem.design.bodies.empty() ||
                        std::any_of(problem.design.variables.begin(), problem.design.variables.end(),
                                    [](const DesignVariable& variable) {
                                      return std::holds_alternative<ElementQuantity>(variable.quantity);
                                    });
  if (problem.design.variables.empty() || has_mesh) return;
  for (const auto& [key, given] :
       {std::pair{"volume_fraction", problem.constraints.volume_fraction.has_value()},
        std::pair{"mass", problem.constraints.mass.has_value()}}) {
    if (!given) continue;
    throw problem.error(
        fmt::format("constraints.{}", key),
        "is that of designed bodies with a mesh, and there is none; for other bodies, bound a "
        "criterion of type \"mass\"");
  }
}

}  // namespace

/// The origin of a frame that clamps no node is no point of the material.
void check_material_marker(const Problem& problem, const MarkerRef& ref, const std::string& key) {
  check_marker(problem, ref, key);
  if (ref.body == "ground" || ref.marker != "origin") return;
  const fem::FrameSpec& frame = problem.bodies[*problem.find_body(ref.body)].flexible.frame;
  if (frame.type == fem::FrameSpec::Type::tangent) return;
  throw problem.error(
      key,
      fmt::format("names the origin of {}, whose {} frame is not held by the material there; name a marker",
                  ref.body, frame.type == fem::FrameSpec::Type::chord ? "chord" : "Buckens"));
}

void check_criteria(const Problem& problem) {
  const TomlValue& root = problem.document->root;
  for (const Output& output : problem.outputs)
    check_criterion(problem, output.observable, "outputs." + output.name);
  if (const TomlValue* objective = root.find("objective"))
    check_terms(problem, problem.objective, *objective, "objective");
  for (const Stage& stage : problem.first_stages) {
    const TomlValue& table = *root.find("stages")->find(stage.name);
    check_terms(problem, stage.objective, *table.find("objective"),
                fmt::format("stages.{}.objective", stage.name));
  }
  for (const CriterionConstraint& constraint : problem.constraints.criteria) {
    const std::string key = "constraints.criteria." + constraint.name;
    const TomlValue& table = *root.find("constraints")->find("criteria")->find(constraint.name);
    const TomlValue* terms = table.find("terms");
    check_terms(problem, constraint.terms, terms ? *terms : table, terms ? key + ".terms" : key);
  }
}

void check_mechanism(const Problem& problem) {
  const SystemSpec& system = problem.system;
  for (const JointSpec& joint : system.joints) {
    check_link(problem, joint, "joints");
    check_rod(problem, joint);
  }
  for (const SpringSpec& spring : system.springs) {
    check_link(problem, spring, "springs");
    check_spring(problem, spring);
  }
  for (const TorsionSpringSpec& spring : system.torsion_springs) {
    check_link(problem, spring, "torsion_springs");
    const auto hinge = [&](const JointSpec& joint) { return is_hinge_of(joint, spring); };
    if (std::none_of(system.joints.begin(), system.joints.end(), hinge)) {
      throw problem.error("torsion_springs." + spring.name,
                          "needs a joint between the same markers that locks rx and ry and leaves rz free");
    }
  }
  for (const TyreSpec& tyre : system.tyres) check_tyre(problem, tyre);
  for (const MotorSpec& motor : system.motors) check_link(problem, motor, "controls");
  for (const MarkerLoadSpec& load : system.loads) {
    const std::string key =
        fmt::format("{}.{}.marker", load.controls.empty() ? "loads" : "controls", load.name);
    check_material_marker(problem, load.marker, key);
    if (load.marker.body == "ground") throw problem.error(key, "is on the ground, where a load does nothing");
  }
}

void check_design(const Problem& problem) {
  check_variables(problem);
  for (std::size_t i = 0; i < problem.design.bodies.size(); ++i) check_design_body(problem, i);
  for (const std::string& name : problem.design.bodies) {
    if (!is_passive(problem.bodies[*problem.find_body(name)].flexible)) continue;
    throw problem.error(
        "bodies." + name + ".regions",
        "take in every element: nothing is left to design; design.bodies says which bodies are "
        "designed");
  }
}

}  // namespace kurbel
