/// @file
/// Systems of masses in points and planar beams that use every part that these have.
#pragma once

#include <initializer_list>

#include "floating_frame/system_quantity.hpp"
#include "mechanism/criterion_spec.hpp"
#include "natural_coordinates/natural_system.hpp"

namespace kurbel::test {

/// "beam.start" as a marker.
inline MarkerRef place(const std::string& text) {
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? MarkerRef{text} : MarkerRef{text.substr(0, dot), text.substr(dot + 1)};
}

/// A beam of soft rubber; explicit methods integrate it as well.
/// @param length  of all elements together, m
inline PlanarBeamSpec rubber_beam(const std::string& name, std::size_t n, double length, double angle) {
  PlanarBeamSpec beam;
  beam.name = name;
  beam.angle = angle;
  beam.n_elements = n;
  const double values[] = {0.02, 0.05, length / static_cast<double>(n), 2e5, 0.3, 1000.0};
  for (std::size_t q = 0; q < PlanarBeamSpec::n_quantities; ++q) beam.elements[q].assign(n, values[q]);
  return beam;
}

inline JointSpec joint_of_places(const std::string& name, const std::string& type, const std::string& from,
                                 const std::string& to) {
  JointSpec joint{.name = name, .from = place(from), .to = place(to), .locked = {}, .drives = {}};
  locked_dofs_of(type, joint.locked);
  return joint;
}

inline JointSpec revolute(const std::string& name, const std::string& from, const std::string& to) {
  return joint_of_places(name, "revolute", from, to);
}

/// Damping in a joint of the mechanism.
inline void damp(SystemSpec& spec, const std::string& joint, double damping) {
  for (const JointSpec& one : spec.joints) {
    if (one.name == joint)
      spec.torsion_springs.push_back({.name = joint, .from = one.from, .to = one.to, .damping = damping});
  }
}

inline SpringSpec spring(const std::string& name, SpringLaw law, const std::string& from,
                         const std::string& to, double stiffness, double damping = 0.0, double length = 0.0) {
  SpringSpec spring;
  spring.name = name, spring.law = law, spring.from = place(from), spring.to = place(to);
  spring.stiffness = stiffness, spring.damping = damping, spring.free_length = length;
  return spring;
}

/// A control with one node, constant in time.
inline void add_control(SystemSpec& spec, const std::string& name) {
  spec.controls.push_back({name, ControlGrid(Interpolation::constant, 1, 0.0, 1.0), VectorXd::Zero(1)});
}

inline void add_force(SystemSpec& spec, const std::string& name, const std::string& at,
                      const Vector3d& direction) {
  MarkerLoadSpec load;
  load.name = name, load.marker = place(at);
  load.controls = {{.control = static_cast<int>(spec.controls.size()), .force = direction}};
  spec.loads.push_back(std::move(load));
  add_control(spec, name);
}

inline void add_torque(SystemSpec& spec, const std::string& name, const JointSpec& joint) {
  spec.motors.push_back({.name = name,
                         .from = joint.from,
                         .to = joint.to,
                         .is_rotary = true,
                         .control = static_cast<int>(spec.controls.size())});
  add_control(spec, name);
}

/// How the controls run between their nodes.
inline void set_grids(const Controls& controls, SystemSpec& spec) {
  for (std::size_t i = 0; i < spec.controls.size(); ++i)
    spec.controls[i].grid = controls.grid(static_cast<Eigen::Index>(i));
}

inline CriterionTerm observed(Quantity quantity, const std::string& at, std::vector<int> axes) {
  CriterionTerm term{.quantity = quantity};
  term.marker = place(at), term.axes = std::move(axes);
  return term;
}

/// A mechanism, what of it a design varies beside the controls, and what is observed of it.
struct System {
  SystemSpec spec;
  std::vector<SystemQuantity> varied;
  std::vector<CriterionTerm> functions;
};

inline System without_controls(System system) {
  system.spec.controls.clear(), system.spec.loads.clear(), system.spec.motors.clear();
  return system;
}

/// A mass in space on a spring of each law: to the ground, to a held point, and to a slider along x. Controls: two
/// forces on the mass, one on the slider.
inline System spring_pendulum() {
  System system;
  SystemSpec& spec = system.spec;
  spec.gravity << 0.3, -0.2, -9.81;
  spec.point_masses = {{"mass", {-2.0, -5.0, -5.0}, {-3.0, 0.5, 1.0}, {true, true, true}, 1.2},
                       {"anchor", {1.0, 2.0, 0.5}, {0.0, 0.0, 0.0}, {false, false, false}, 0.0},
                       {"slider", {1.5, -1.0, 0.5}, {0.4, 0.0, 0.0}, {true, false, false}, 0.6}};
  spec.springs = {spring("linear", SpringLaw::linear, "ground", "mass", 2.0, 0.3),
                  spring("hooke", SpringLaw::hooke, "anchor", "mass", 5.0, 0.2, 4.0),
                  spring("green_lagrange", SpringLaw::green_lagrange, "slider", "mass", 3.0, 0.5, 5.5)};
  add_force(spec, "ux", "mass", {1.0, 0.0, 0.0});
  add_force(spec, "uyz", "mass", {0.0, 0.6, 0.8});
  add_force(spec, "slide", "slider", {1.0, 0.0, 0.0});
  system.varied = {
      SystemQuantity::of<&PointMassSpec::mass>(0),     SystemQuantity::of<&SpringSpec::stiffness>(0),
      SystemQuantity::of<&SpringSpec::damping>(0),     SystemQuantity::of<&SpringSpec::stiffness>(1),
      SystemQuantity::of<&SpringSpec::free_length>(1), SystemQuantity::of<&SpringSpec::free_length>(2),
      SystemQuantity::of<&PointMassSpec::mass>(2)};
  system.functions = {observed(Quantity::position, "mass", {0, 1, 2}),
                      observed(Quantity::velocity, "mass", {2, 0}), observed(Quantity::distance, "mass", {}),
                      observed(Quantity::spring_force, "", {0, 2})};
  system.functions[2].from = place("slider");
  system.functions[3].spring = "hooke";
  return system;
}

/// Two rubber beams of two elements each, driven in shoulder and elbow, with a mass at the tip that a spring
/// pulls to the ground.
inline System arm() {
  using Kind = SystemQuantity::Kind;
  using Beam = PlanarBeamSpec;
  System system;
  SystemSpec& spec = system.spec;
  spec.gravity << 0.0, -9.81, 0.0;
  Beam upper = rubber_beam("upper", 2, 0.8, 0.3), lower = rubber_beam("lower", 2, 0.6, -0.4);
  upper.start = Eigen::Vector2d(0.1, 0.2);
  upper.coupling = PoissonCoupling::axis;
  lower.elements[Beam::height] = {0.05, 0.04};
  spec.planar_beams = {upper, lower};
  spec.joints = {revolute("shoulder", "ground", "upper.start"),
                 revolute("elbow", "upper.end", "lower.start")};
  damp(spec, "shoulder", 0.02);
  damp(spec, "elbow", 0.01);
  spec.attached_masses = {{"load", place("lower.end"), 0.03}};
  spec.springs = {spring("rubber", SpringLaw::hooke, "ground", "lower.end", 3.0, 0.1, 0.9)};
  add_torque(spec, "shoulder_torque", spec.joints[0]);
  add_torque(spec, "elbow_torque", spec.joints[1]);
  system.varied = {
      {Kind::planar_beam_number, 0, 0, Beam::length}, {Kind::planar_beam_number, 1, 1, Beam::height},
      {Kind::planar_beam_number, 1, 2, Beam::height}, SystemQuantity::of<&TorsionSpringSpec::damping>(0),
      SystemQuantity::of<&AttachedMassSpec::mass>(0), SystemQuantity::of<&SpringSpec::free_length>(0)};
  system.functions = {observed(Quantity::position, "lower.end", {0, 1}),
                      observed(Quantity::velocity, "lower.end", {0, 1}), observed(Quantity::stress, "", {}),
                      observed(Quantity::spring_force, "", {1})};
  system.functions[2].beam = "lower", system.functions[2].along = 0.625, system.functions[2].up = 0.8;
  system.functions[3].spring = "rubber";
  return system;
}

}  // namespace kurbel::test
