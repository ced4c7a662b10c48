#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mechanism/joint_damper.hpp"
#include "mechanism/pair_parts.hpp"
#include "natural_coordinates/out_of_plane.hpp"
#include "natural_coordinates/planar_places.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

void check_rigid(const Problem& problem) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (body.type != ProblemBody::Type::flexible && problem.system.bodies[i].sid.n_q() == 0) continue;
    throw problem.error(fmt::format("bodies.{}", body.name),
                        "is flexible; natural coordinates have rigid bodies and [beams.*]; formulation = "
                        "\"floating-frame\" has flexible bodies beside beams of type \"spatial\"");
  }
}

bool is_cable(const Problem& problem, const MarkerRef& end) {
  const BeamSpec* beam = find_named(problem.system.beams, end.body);
  return beam && beam->kind == BeamSpec::Kind::cable;
}

/// A driven rotation is that of a hinge between things that have axes.
void check_drives(const Problem& problem) {
  for (const JointSpec& joint : problem.system.joints) {
    for (const DriveSpec& drive : joint.drives) {
      if (!is_rotation(drive.dof)) continue;
      const std::string key = fmt::format("joints.{}.drive", joint.name);
      if (joint.locked[3] + joint.locked[4] + joint.locked[5] != 2)
        throw problem.error(
            key, "turns a joint that leaves other rotations free; natural coordinates drive hinges");
      if (is_cable(problem, joint.from) || is_cable(problem, joint.to))
        throw problem.error(key, "turns a cable, which has no torsion; drive a body or a spatial beam");
    }
  }
}

/// Laws between markers need their axes, which cables, points and planar beams do not have.
void check_axes_of_pairs(const Problem& problem) {
  for_each_pair_part(problem.system, [&](const auto& part, std::size_t) {
    for (const auto& [key, marker] : {std::pair(".from", part.from), std::pair(".to", part.to)}) {
      if (find_named(problem.system.point_masses, marker.body) || is_cable(problem, marker) ||
          find_named(problem.system.planar_beams, marker.body))
        throw problem.error(path_of(part) + key,
                            "= \"{}\" has no axes, along which the displacements are; take a "
                            "marker of a rigid body or of a spatial beam",
                            text_of(marker));
    }
  });
}

/// Torques in hinges are about axes, which cables do not have.
void check_torques(const Problem& problem) {
  const auto check = [&](const auto& torque, const std::string& key) {
    if (is_cable(problem, torque.from) || is_cable(problem, torque.to))
      throw problem.error(key,
                          "acts on a cable, which has no torsion; let it act on a body or a spatial beam");
  };
  for (const TorsionSpringSpec& spring : problem.system.torsion_springs) {
    check(spring, (is_joint_damper(spring) ? "joints." : "torsion_springs.") + spring.name);
  }
  for (const MotorSpec& motor : problem.system.motors) {
    if (motor.is_rotary) check(motor, "controls." + motor.name);
  }
}

/// Whether a joint is at a marker of a body, or of the ground, or at any marker of it.
bool holds_marker(const SystemSpec& system, const std::string& body,
                  const std::optional<std::string>& marker) {
  const auto is_it = [&](const MarkerRef& ref) {
    return ref.body == body && (!marker || ref.marker == *marker);
  };
  return std::ranges::any_of(system.joints,
                             [&](const JointSpec& joint) { return is_it(joint.from) || is_it(joint.to); });
}

/// Whether a quantity moves the mechanism out of the plane z = 0, or one side of a joint out of that of the other.
bool leaves_plane(const SystemSpec& system, const SystemQuantity& quantity) {
  using Kind = SystemQuantity::Kind;
  const bool along_normal = quantity.component == 2;
  if (quantity.kind == Kind::initial_rotation || quantity.kind == Kind::initial_angular_velocity)
    return !along_normal;
  if (!along_normal) return false;
  if (quantity.kind == Kind::marker) {
    const BodySpec& body = system.bodies[quantity.owner];
    return holds_marker(system, body.name, body.sid.frame[quantity.part].name);
  }
  if (quantity.kind == Kind::ground_marker)
    return holds_marker(system, "ground", system.ground[quantity.owner].name);
  if (quantity.kind == Kind::initial_position)
    return holds_marker(system, system.bodies[quantity.owner].name, {});
  return quantity.kind == Kind::initial_velocity || quantity.is<&BeamSpec::start>() ||
         quantity.is<&BeamSpec::end>();
}

void check_plane(const Problem& problem) {
  if (!problem.system.planar) return;
  if (const auto key = out_of_plane(problem.system))
    throw problem.error(
        *key, "is not in the plane z = 0, in which coordinates.planar = true has the mechanism move");
  if (problem.system.initial_equilibrium != InitialEquilibrium::none)
    throw problem.error("initial.state",
                        "does not go with coordinates.planar = true, for its equilibrium is one in space");
  const auto leaves_it = [&](const SystemQuantity& quantity) {
    return leaves_plane(problem.system, quantity);
  };
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
    const bool leaves = (quantity && leaves_it(*quantity)) ||
                        std::ranges::any_of(variable.tied, leaves_it, &TiedQuantity::quantity);
    if (leaves)
      throw problem.error(
          path_of(variable),
          "moves the mechanism out of the plane z = 0, in which coordinates.planar = true has it move");
  }
}

/// Least and largest value of a dimension over the designs.
std::pair<double, double> limits_of(const Problem& problem, std::size_t beam, int dimension) {
  const SystemQuantity quantity = SystemQuantity::of<&BeamSpec::dimensions>(beam, dimension);
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* first = std::get_if<SystemQuantity>(&variable.quantity);
    const bool follows =
        std::ranges::find(variable.tied, quantity, &TiedQuantity::quantity) != variable.tied.end();
    if (follows || (first && *first == quantity)) return {variable.lower, variable.upper};
  }
  const double value = value_of(quantity, problem.system);
  return {value, value};
}

void check_tubes(const Problem& problem) {
  for (std::size_t i = 0; i < problem.system.beams.size(); ++i) {
    const BeamSpec& beam = problem.system.beams[i];
    if (beam.shape != BeamSpec::Shape::tube) continue;
    const double outer = limits_of(problem, i, 0).first, inner = limits_of(problem, i, 1).second;
    if (inner < outer) continue;
    throw problem.error(fmt::format("beams.{}.section", beam.name),
                        "may vary until the inner diameter, at most {:g}, is not below the outer one, "
                        "at least {:g}; narrow the bounds of the variables",
                        inner, outer);
  }
}

/// A beam alone may fly; one beside other parts that nothing refers to is forgotten.
void check_attached(const Problem& problem) {
  const SystemSpec& spec = problem.system;
  if (spec.beams.size() == 1 && spec.bodies.empty()) return;
  for (const BeamSpec& beam : spec.beams) {
    const auto holds = [&](const auto& pair) {
      return pair.from.body == beam.name || pair.to.body == beam.name;
    };
    const auto acts = [&](const MarkerLoadSpec& load) { return load.marker.body == beam.name; };
    bool is_in_pair = false;
    for_each_pair_part(spec, [&](const auto& part, std::size_t) { is_in_pair = is_in_pair || holds(part); });
    if (std::ranges::any_of(spec.joints, holds) || std::ranges::any_of(spec.springs, holds) ||
        std::ranges::any_of(spec.loads, acts) || is_in_pair)
      continue;
    throw problem.error("beams." + beam.name,
                        "is attached to nothing; name \"{0}.start\" or \"{0}.end\" in a joint, a "
                        "spring, a bushing or a load",
                        beam.name);
  }
}

/// @throws InputError for parts that natural coordinates alone can have, in another formulation
void refuse_parts_of_natural_coordinates(const Problem& problem) {
  const SystemSpec& system = problem.system;
  if (!system.point_masses.empty())
    throw problem.error(
        fmt::format("bodies.{}.type", system.point_masses.front().name),
        "= \"point\" needs formulation = \"natural-coordinates\"; in others a small rigid body serves");
}

}  // namespace

void check_beams(const Problem& problem) {
  check_attached(problem);
  check_tubes(problem);
  const bool none = problem.system.beams.empty() && problem.system.planar_beams.empty();
  if (none || problem.output.deformation_scale == 1.0) return;
  throw problem.error("output.deformation_scale",
                      "does not go with [beams.*], which are drawn where they are; leave it out");
}

void check_natural_coordinates(const Problem& problem) {
  if (!is_natural(problem.formulation)) return refuse_parts_of_natural_coordinates(problem);
  check_rigid(problem);
  check_drives(problem);
  check_axes_of_pairs(problem);
  check_torques(problem);
  check_plane(problem);
  if (problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint &&
      problem.integrator.method == IntegratorMethod::variational_midpoint)
    throw problem.error(
        "sensitivity.method",
        "= \"continuous-adjoint\" does not suit the variational step; its exact gradient is that of "
        "\"discrete-adjoint\"");
  if (!problem.system.beams.empty() && problem.system.initial_equilibrium == InitialEquilibrium::elastic)
    throw problem.error("initial.state",
                        "= \"quasi-static\" does not go with [beams.*] in natural coordinates; "
                        "\"static-equilibrium\" does, or leave it out");
  const auto over_angle = std::ranges::find_if(problem.system.loads, goes_over_angle);
  if (over_angle != problem.system.loads.end())
    throw problem.error("loads." + over_angle->name,
                        "goes over the angle of a joint without a drive, which natural coordinates do not "
                        "take; formulation = \"floating-frame\" does");
  if (!problem.system.tyres.empty())
    throw problem.error("tyres." + problem.system.tyres.front().name,
                        "does not exist in natural coordinates");
}

void check_observed_beside_beams(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  if (has_bodies_alone(problem.system) || !is_natural(problem.formulation)) return;
  const ObservableTraits& traits = traits_of(term.quantity);
  if (traits.in_natural_coordinates == InNaturalCoordinates::bodies_alone)
    throw problem.error(path + ".type",
                        "does not go with beams and points in natural coordinates, where it is for "
                        "mechanisms of bodies alone");
  if (term.quantity == Quantity::kinetic_energy && !term.body.empty())
    throw problem.error(path + ".body",
                        "does not go with beams and points in natural coordinates, beside which the energy "
                        "is that of the whole "
                        "mechanism");
  if (term.quantity == Quantity::acceleration && !traits_of(problem.integrator.method).keeps_accelerations)
    throw problem.error(path + ".type",
                        "= \"acceleration\" needs integrator.method = \"generalized-alpha\" or "
                        "\"variational-midpoint\"; the steps of first order have none");
  if (traits.place != ObservedPlace::joint) return;
  const auto joint = std::ranges::find(problem.system.joints, term.joint, &JointSpec::name);
  if (!is_of_planar_beam(problem.system, *joint)) return;
  throw problem.error(path + ".joint",
                      "= \"{}\" is at a planar beam, which shares coordinates with what it is "
                      "joined to: its reaction is not known",
                      term.joint);
}

void check_stress_of_beam(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  if (find_named(problem.system.planar_beams, term.beam)) {
    if (term.across && *term.across != 0.0)
      throw problem.error(path + ".across",
                          "does not go with {}, a planar beam: its stress is the same all across the "
                          "plane; give up",
                          term.beam);
    if (term.along.has_value() == term.up.has_value()) return;
    throw problem.error(
        path + (term.along ? ".along" : ".up"),
        "of a planar beam needs along and up; without both the stress is a p-norm over the beam");
  }
  const BeamSpec* beam = find_named(problem.system.beams, term.beam);
  if (beam->kind == BeamSpec::Kind::spatial || !term.across) return;
  throw problem.error(path + ".beam",
                      "= \"{}\" is a cable, whose stress is that of its outline; across and up are "
                      "for spatial beams",
                      term.beam);
}

}  // namespace kurbel
