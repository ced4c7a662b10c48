/// @file
/// Mechanisms of rigid bodies with joints of every kind, in loops and free.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "tests/floating_frame/test_models.hpp"

namespace kurbel::test {

/// Markers "a", "b" and "c" with axes of their own.
inline Sid random_rigid_sid(Random& random) {
  std::vector<SidNode> markers;
  for (const char* name : {"a", "b", "c"}) {
    const Vector3d R = 0.4 * random.vector(3);
    markers.push_back(make_sid_node(name, R, rotation_matrix(exp_quaternion<double>(random.vector(3))), 0));
  }
  const Matrix3d root = 0.2 * random.matrix(3, 3);
  return make_rigid_sid(1.0 + std::abs(random()), 0.1 * random.vector(3),
                        root * root.transpose() + 0.1 * Matrix3d::Identity(), markers);
}

inline JointSpec joint_of(const std::string& name, const std::string& type, const MarkerRef& from,
                          const MarkerRef& to) {
  JointSpec joint;
  joint.name = name, joint.from = from, joint.to = to;
  if (!locked_dofs_of(type, joint.locked)) throw InputError("unknown joint type " + type);
  return joint;
}

/// Two trees on the ground and a free one, with joints of every type, some of which lead towards the ground;
/// three of them and a rod close loops.
inline SystemSpec tree_with_every_joint() {
  Random random(5);
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {
      make_sid_node("post", {0.2, -0.1, 0.3}, rotation_matrix(exp_quaternion<double>({0.3, 0.1, -0.2})), 0),
      make_sid_node("wall", {-0.3, 0.4, 0.1}, rotation_matrix(exp_quaternion<double>({0.1, 0.7, 0.4})), 0)};
  for (int i = 1; i <= 11; ++i)
    spec.bodies.push_back({"b" + std::to_string(i), random_rigid_sid(random), {}});
  spec.joints = {joint_of("base", "revolute", {"ground", "post"}, {"b1", "a"}),
                 joint_of("elbow", "universal", {"b1", "b"}, {"b2", "a"}),
                 joint_of("reverse", "universal", {"b3", "a"}, {"b2", "b"}),
                 joint_of("ball", "spherical", {"b3", "b"}, {"b4", "a"}),
                 joint_of("tube", "cylindrical", {"b5", "a"}, {"b4", "b"}),
                 joint_of("rail", "prismatic", {"ground", "wall"}, {"b6", "a"}),
                 joint_of("line", "in-line", {"b6", "b"}, {"b7", "a"}),
                 joint_of("back", "in-line", {"b8", "b"}, {"b7", "c"}),
                 joint_of("plane", "in-plane", {"b6", "c"}, {"b9", "a"}),
                 joint_of("weld", "fixed", {"b9", "b"}, {"b10", "a"}),
                 joint_of("slot", "planar", {"b10", "b"}, {"b11", "b"}),
                 joint_of("loop", "spherical", {"b5", "c"}, {"b8", "c"}),
                 joint_of("touch", "in-plane", {"b11", "c"}, {"b3", "c"})};
  spec.joints[0].drives = {{RelativeDof::rz, polynomial({0.0, {0.0, 0.5}}, {2.0, {3.0, 1.0}})}};
  JointSpec rod;
  rod.name = "rod", rod.from = {"b2", "c"}, rod.to = {"ground", "wall"}, rod.length = 0.7;
  spec.joints.push_back(rod);
  spec.bodies.push_back({"free", random_rigid_sid(random), {}});
  spec.springs = {{"coil", {"b1", "c"}, {"b8", "a"}, 40.0, 1.5, 0.3},
                  {"tether", {"ground", "post"}, {"free", "b"}, 30.0, 0.7, 0.2},
                  {"rubber", {"b2", "c"}, {"b7", "b"}, 20.0, 0.6, 0.4},
                  {"band", {"b10", "a"}, {"free", "a"}, 15.0, 0.9}};
  spec.springs[2].law = SpringLaw::green_lagrange, spec.springs[3].law = SpringLaw::linear;
  spec.torsion_springs = {{"twist", {"b4", "a"}, {"b9", "a"}, 12.0, 0.4, 0.2}};
  MarkerLoadSpec push{"push", {"b5", "b"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {constant_rate(1.0, 0.2), nullptr, constant_rate(-2.0, 0.0)};
  push.torque = {nullptr, constant_rate(0.5, 0.0), constant_rate(0.1, 0.3)};
  MarkerLoadSpec thrust = push;
  thrust.name = "thrust", thrust.marker = {"b8", "b"}, thrust.frame = MarkerLoadSpec::Frame::body;
  spec.loads = {push, thrust};
  test::add_over_angle(spec.loads[0], 1, 0, {"b4", "a"}, {"b9", "a"});
  test::add_over_angle(spec.loads[1], 1, 0, {"ground", "post"}, {"b1", "a"});
  spec.controls = {
      {"torque", ControlGrid(Interpolation::natural, 4, 0.0, 2.0), Eigen::Vector4d(0.4, 0.6, -0.3, 0.1)}};
  spec.motors = {{"motor", {"b3", "b"}, {"b4", "a"}, true, 0}};
  return spec;
}

/// A spatial loop (revolute, universal, spherical, revolute) on a pillar that slides, with a free body tied to
/// it: positions as the joints want them to 1e-2 or so.
inline SystemSpec spatial_loop() {
  SystemSpec spec;
  spec.gravity << 0.0, 0.0, -9.81;
  const auto rigid = [](double mass, const Vector3d& inertia, const Vector3d& centre, const Vector3d& end) {
    return make_rigid_sid(
        mass, centre, inertia.asDiagonal().toDenseMatrix(),
        {make_sid_node("end", end, Matrix3d::Identity(), 0),
         make_sid_node("turned", end, rotation_matrix(exp_quaternion<double>({0.4, 0.3, 0.0})), 0)});
  };
  spec.ground = {
      make_sid_node("left", {0, 0, 0}, rotation_matrix(exp_quaternion<double>({0.2, 0.1, 0.0})), 0),
      make_sid_node("right", {1.0, 0.3, 0.0}, rotation_matrix(exp_quaternion<double>({-1.4, 0.2, 0.1})), 0)};
  spec.bodies = {{"crank", rigid(1.0, {0.01, 0.03, 0.03}, {0.15, 0.01, 0.0}, {0.3, 0.0, 0.05}), {}},
                 {"rod", rigid(0.7, {0.01, 0.05, 0.05}, {0.4, 0.0, 0.02}, {0.85, 0.0, 0.0}), {}},
                 {"rocker", rigid(1.2, {0.02, 0.04, 0.03}, {0.2, 0.0, 0.0}, {0.5, 0.1, 0.0}), {}},
                 {"weight", rigid(0.5, {0.01, 0.02, 0.015}, {0.02, 0.0, 0.01}, {0.1, 0.0, 0.1}), {}}};
  spec.bodies[0].initial.angular_velocity << 0.0, 0.0, 3.0;
  spec.bodies[0].initial.given.angular_velocity = true;
  spec.bodies[1].initial.position << 0.3, 0.0, 0.05;
  spec.bodies[1].initial.rotation << 0.0, 0.0, 0.4;
  spec.bodies[2].initial.position << 1.0, 0.3, 0.0;
  spec.bodies[2].initial.rotation << -1.4, 0.2, 0.8;
  spec.bodies[3].initial.position << 0.5, 0.5, -0.4;
  spec.bodies[3].initial.rotation << 0.3, 0.8, -0.2;
  spec.bodies[3].initial.velocity << 0.5, 0.0, 0.2;
  spec.joints = {joint_of("left", "revolute", {"ground", "left"}, {"crank", "origin"}),
                 joint_of("knee", "universal", {"crank", "turned"}, {"rod", "origin"}),
                 joint_of("ball", "spherical", {"rod", "end"}, {"rocker", "end"}),
                 joint_of("right", "revolute", {"rocker", "origin"}, {"ground", "right"})};
  spec.springs = {{"tie", {"weight", "end"}, {"rod", "end"}, 30.0, 0.5, 0.3}};
  return spec;
}

/// Four bodies on revolute joints whose axes are skew, with springs and dampers.
inline SystemSpec skew_chain() {
  Random random(21);
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {
      make_sid_node("post", {0.2, -0.1, 0.3}, rotation_matrix(exp_quaternion<double>({0.3, 0.1, -0.2})), 0)};
  MarkerRef before{"ground", "post"};
  for (int i = 1; i <= 4; ++i) {
    const std::string name = "b" + std::to_string(i);
    spec.bodies.push_back({name, random_rigid_sid(random), {}});
    spec.joints.push_back(joint_of("pin" + std::to_string(i), "revolute", before, {name, "a"}));
    spec.torsion_springs.push_back({"twist" + std::to_string(i), before, {name, "a"}, 3.0, 0.4, 0.2});
    before = {name, "b"};
  }
  spec.springs = {{"tether", {"ground", "post"}, {"b4", "c"}, 30.0, 0.7, 0.2}};
  return spec;
}

/// Parameters, or sensitivities by them, whose inertias are symmetric, as those of bodies are.
inline VectorXd with_symmetric_inertias(const MultibodySystem<double>& system, VectorXd p) {
  for (std::size_t body = 0; body < system.n_bodies(); ++body) {
    Eigen::Map<Matrix3d> J(p.data() + system.layout().body(body).J0.offset);
    J = (0.5 * (J + J.transpose())).eval();
  }
  return p;
}

}  // namespace kurbel::test
