/// @file
/// Systems that use every part that absolute coordinates offer.
#pragma once

#include <initializer_list>

#include "natural_coordinates/system_spec.hpp"

namespace kurbel::test {

inline ParameterSlot fixed(double value) {
  return {.constant = value};
}

inline ParameterSlot variable(int entry, double factor = 1.0) {
  return {.variable = entry, .factor = factor};
}

/// A beam of soft rubber; explicit methods integrate it as well.
/// @param length  of all elements together, m
inline absolute::BeamSpec rubber_beam(const std::string& name, std::size_t n, double length, double angle) {
  using Beam = absolute::BeamSpec;
  Beam beam;
  beam.name = name;
  beam.angle = angle;
  beam.n_elements = n;
  const double values[] = {0.02, 0.05, length / static_cast<double>(n), 2e5, 0.3, 1000.0};
  for (std::size_t q = 0; q < Beam::n_quantities; ++q) beam.elements[q].assign(n, fixed(values[q]));
  return beam;
}

inline absolute::BeamJointSpec revolute(const std::string& name, const std::string& from,
                                        const std::string& to, ParameterSlot damping = {}) {
  return {name, absolute::BeamJointSpec::Type::revolute, from, to, damping};
}

inline absolute::FunctionSpec function(const std::string& name, absolute::FunctionSpec::Type type,
                                       const std::string& at, std::vector<int> axes) {
  absolute::FunctionSpec f;
  f.key = "outputs." + name, f.type = type, f.marker = at, f.axes = std::move(axes);
  return f;
}

/// A mass in space on a spring of each law: to the ground, to a held point, and to a slider along x, whose
/// mass is half of its own. Controls: two forces on the mass, one on the slider. xi: mass; stiffness and
/// damping of the linear spring; stiffness and length of the second; length of the third.
inline absolute::SystemSpec spring_pendulum() {
  using Type = absolute::FunctionSpec::Type;
  absolute::SystemSpec spec;
  spec.xi = (VectorXd(6) << 1.2, 2.0, 0.3, 5.0, 4.0, 5.5).finished();
  spec.gravity << 0.3, -0.2, -9.81;
  spec.points = {{"mass", {-2.0, -5.0, -5.0}, {-3.0, 0.5, 1.0}, {true, true, true}, variable(0)},
                 {"anchor", {1.0, 2.0, 0.5}, {0.0, 0.0, 0.0}, {false, false, false}, {}},
                 {"slider", {1.5, -1.0, 0.5}, {0.4, 0.0, 0.0}, {true, false, false}, variable(0, 0.5)}};
  spec.springs = {
      {"linear", SpringLaw::linear, "ground", "mass", variable(1), variable(2), {}},
      {"hooke", SpringLaw::hooke, "anchor", "mass", variable(3), fixed(0.2), variable(4)},
      {"green_lagrange", SpringLaw::green_lagrange, "slider", "mass", fixed(3.0), fixed(0.5), variable(5)}};
  spec.controls = {{"ux", "", "mass", {1.0, 0.0, 0.0}},
                   {"uyz", "", "mass", {0.0, 0.6, 0.8}},
                   {"slide", "", "slider", {1.0, 0.0, 0.0}}};
  spec.functions = {function("position", Type::position, "mass", {0, 1, 2}),
                    function("velocity", Type::velocity, "mass", {2, 0}),
                    function("distance", Type::distance, "mass", {}),
                    function("reaction", Type::spring_force, "", {0, 2})};
  spec.functions[2].from = "slider";
  spec.functions[3].spring = "hooke";
  return spec;
}

/// Controls of a specification, constant in time: one node each.
inline Controls constant_controls(const absolute::SystemSpec& spec) {
  Controls controls;
  for (std::size_t i = 0; i < spec.controls.size(); ++i)
    controls.add(ControlGrid(Interpolation::constant, 1, 0.0, 1.0));
  return controls;
}

template <class S = double>
absolute::Assembly<S> assembled(const absolute::SystemSpec& spec) {
  return absolute::assemble<S>(spec, constant_controls(spec));
}

/// Two rubber beams of two elements each, driven in shoulder and elbow, with a mass at the tip that a spring
/// pulls to the ground. xi: length of the upper beam; heights of the elements of the lower one; damping in
/// the shoulder; mass at the tip; length of the spring.
inline absolute::SystemSpec arm() {
  using Type = absolute::FunctionSpec::Type;
  using Beam = absolute::BeamSpec;
  absolute::SystemSpec spec;
  spec.xi = (VectorXd(6) << 0.8, 0.05, 0.04, 0.02, 0.03, 0.9).finished();
  spec.gravity << 0.0, -9.81, 0.0;
  Beam upper = rubber_beam("upper", 2, 0.8, 0.3), lower = rubber_beam("lower", 2, 0.6, -0.4);
  upper.start = Eigen::Vector2d(0.1, 0.2);
  upper.coupling = PoissonCoupling::axis;
  upper.elements[Beam::length] = {variable(0, 0.5), variable(0, 0.5)};
  lower.elements[Beam::height] = {variable(1), variable(2)};
  spec.beams = {upper, lower};
  spec.joints = {revolute("shoulder", "ground", "upper.start", variable(3)),
                 revolute("elbow", "upper.end", "lower.start", fixed(0.01))};
  spec.masses = {{"load", "lower.end", variable(4)}};
  spec.springs = {{"rubber", SpringLaw::hooke, "ground", "lower.end", fixed(3.0), fixed(0.1), variable(5)}};
  spec.controls = {{"shoulder_torque", "shoulder", "", {}}, {"elbow_torque", "elbow", "", {}}};
  spec.functions = {function("tip", Type::position, "lower.end", {0, 1}),
                    function("speed", Type::velocity, "lower.end", {0, 1}),
                    function("stress", Type::stress, "", {}),
                    function("reaction", Type::spring_force, "", {1})};
  spec.functions[2].beam = "lower", spec.functions[2].element = 1;
  spec.functions[2].along = 0.25, spec.functions[2].across = 0.4;
  spec.functions[3].spring = "rubber";
  return spec;
}

}  // namespace kurbel::test
