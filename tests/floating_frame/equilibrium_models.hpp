/// @file
/// Mechanisms that start in equilibrium.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "integration/initial_conditions.hpp"
#include "test_models.hpp"

namespace kurbel::test {

/// A start as it is found.
struct FoundStart {
  explicit FoundStart(const SystemSpec& spec, double t0 = 0.0) : system(spec), initial(system) {
    status = initial.solve(t0, state);
  }
  double angle(std::size_t body) const {
    const Matrix3d A = rotation_matrix(system.pose(state.x, body).e);
    return std::atan2(A(1, 0), A(0, 0));
  }
  MultibodySystem<double> system;
  InitialConditions<double> initial;
  InitialConditions<double>::State state;
  Status status;
};

/// The kitchen sink, whose springs and weight hold it. Its drives rest.
/// @param acceleration  of the drives at t = 0, rad/s^2, from where they begin to move
inline SystemSpec resting_mechanism(double acceleration = 0.0) {
  SystemSpec spec = scattered_mechanism();
  for (JointSpec& joint : spec.joints) {
    for (DriveSpec& drive : joint.drives)
      drive.motion = acceleration == 0.0
                         ? constant_rate(0.1, 0.0)
                         : polynomial({0.0, {0.1, 0.0, acceleration}}, {1.0, {0.2, 0.0, 0.0}});
  }
  for (ControlSpec& control : spec.controls) control.nodes.setConstant(0.3);
  for (MarkerLoadSpec& load : spec.loads) {
    if (!load.controls.empty()) continue;
    load.force = {constant_rate(1.0, 0.0), nullptr, constant_rate(-2.0, 0.0)};
    load.torque = {nullptr, constant_rate(0.5, 0.0), nullptr};
  }
  for (BodySpec& body : spec.bodies) {
    body.initial.velocity.setZero(), body.initial.angular_velocity.setZero(), body.initial.q_dot.resize(0);
  }
  spec.initial_equilibrium = InitialEquilibrium::all;
  return spec;
}

/// The same with the equilibrium given to some digits, where few iterations find the others.
inline SystemSpec mechanism_near_rest(double acceleration = 0.0) {
  SystemSpec spec = resting_mechanism(acceleration);
  const FoundStart found(spec);
  EXPECT_FALSE(found.status.failed());
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const Pose<double> pose = found.system.pose(found.state.x, b);
    const Eigen::AngleAxisd turn(rotation_matrix(pose.e));
    InitialState& initial = spec.bodies[b].initial;
    const auto rounded = [](double value) { return std::round(1e4 * value) / 1e4; };
    initial.position = pose.r.unaryExpr(rounded);
    initial.rotation = (turn.angle() * turn.axis()).unaryExpr(rounded);
    initial.q = found.state.x.segment(found.system.x_offset(b) + 7, found.system.n_q(b)).unaryExpr(rounded);
  }
  return spec;
}

inline SystemSpec quasi_static_mechanism() {
  SystemSpec spec = moving_mechanism();
  spec.bodies[0].initial.q.resize(0), spec.bodies[1].initial.q_dot.resize(0);
  spec.initial_equilibrium = InitialEquilibrium::elastic;
  return spec;
}

}  // namespace kurbel::test
