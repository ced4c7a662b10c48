/// @file
/// Mechanisms of flexible bodies, rigid ones and spatial beams.
#pragma once

#include "elements/beam_shape.hpp"
#include "test_models.hpp"

namespace kurbel::test {

inline BeamSpec soft_beam(const std::string& name, const Vector3d& start, const Vector3d& end) {
  BeamSpec beam;
  beam.name = name, beam.kind = BeamSpec::Kind::spatial, beam.start = start, beam.end = end;
  beam.n_elements = 2, beam.dimensions = {0.08, 0.05}, beam.youngs_modulus = 3e4, beam.density = 2700.0;
  beam.damping = 0.01, beam.velocity << 0.1, -0.2, 0.3, beam.angular_velocity << 0.5, -1.0, 2.0;
  return beam;
}

/// Axes of the section at the start of a beam.
inline Matrix3d axes_at_start(const BeamSpec& beam) {
  Matrix3d places;
  places << beam.start, beam.end, beam.through.value_or(Vector3d::Zero());
  return BeamShape<double>(beam, places.data()).node(0).rightCols<3>();
}

/// A flexible arm on a hinge, a blade at its end, a rigid rod on a ball at the blade's end, that carries a bow; a
/// spring and loads on nodes. It is assembled as it is given.
inline SystemSpec arm_with_blade() {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.bodies = {{"arm", random_flexible_sid(3, 2), {}},
                 {"rod",
                  rigid_sid_with_markers(1.3, {0.1, 0.02, 0.0}, {0.02, 0.05, 0.04}, {0, 0, 0}, {0.5, 0.1, 0}),
                  {}}};
  for (SidNode& node : spec.bodies[0].sid.frame) node.AP.M0.setIdentity();
  spec.ground = {make_sid_node("post", spec.bodies[0].sid.frame[0].origin.M0, Matrix3d::Identity(), 0)};
  const Vector3d tip = spec.bodies[0].sid.frame[1].origin.M0;
  const Vector3d knee = tip + Vector3d(0.4, 0.1, -0.2);
  spec.bodies[1].initial.position = knee;
  spec.beams = {soft_beam("blade", tip, knee),
                soft_beam("bow", knee + Vector3d(0.5, 0.1, 0.0), knee + Vector3d(0.5, 0.4, 0.3))};
  spec.beams[0].shape = BeamSpec::Shape::rectangle;
  spec.beams[1].through = knee + Vector3d(0.5, 0.2, 0.25);
  spec.beams[1].side = Vector3d::UnitX();
  spec.bodies[0].sid.frame[1].AP.M0 = axes_at_start(spec.beams[0]);
  spec.bodies[1].sid.frame[1].AP.M0 = axes_at_start(spec.beams[1]);
  std::array<bool, 6> locked{};
  const auto add = [&](const char* name, const char* type, MarkerRef from, MarkerRef to) {
    locked_dofs_of(type, locked);
    spec.joints.push_back({name, std::move(from), std::move(to), locked, {}});
  };
  add("hinge", "revolute", {"ground", "post"}, {"arm", "a"});
  add("clamp", "fixed", {"arm", "b"}, {"blade", "start"});
  add("knee", "spherical", {"blade", "end"}, {"rod", "a"});
  add("weld", "fixed", {"rod", "b"}, {"bow", "start"});
  spec.springs.push_back({"coil", {"ground", "post"}, {"blade", "node1"}, 40.0, 1.5, 0.3});
  MarkerLoadSpec push{"push", {"bow", "end"}, MarkerLoadSpec::Frame::body, {}, {}};
  push.force = {constant_rate(1.0, 0.2), nullptr, constant_rate(-2.0, 0.0)};
  push.torque = {nullptr, constant_rate(0.5, 0.0), constant_rate(0.1, 0.3)};
  spec.loads = {push};
  return spec;
}

/// E I = 1, L = 1, clamped, a force on its end, in static equilibrium.
inline SystemSpec loaded_cantilever(double thickness, double force, int n_elements) {
  SystemSpec spec;
  BeamSpec beam;
  beam.name = "blade", beam.kind = BeamSpec::Kind::spatial, beam.end = Vector3d::UnitX();
  beam.n_elements = n_elements, beam.dimensions[0] = thickness;
  beam.youngs_modulus = 12.0 / std::pow(thickness, 4), beam.density = 1.0 / (thickness * thickness);
  spec.beams = {beam};
  std::array<bool, 6> locked{};
  locked_dofs_of("fixed", locked);
  spec.joints = {{"clamp", {"ground"}, {"blade", "start"}, locked, {}}};
  MarkerLoadSpec push{"push", {"blade", "end"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {nullptr, constant_rate(-force, 0.0), nullptr};
  spec.loads = {push};
  spec.initial_equilibrium = InitialEquilibrium::all;
  return spec;
}

}  // namespace kurbel::test
