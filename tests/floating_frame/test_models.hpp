/// @file
/// Mechanisms for tests: bodies with random but consistent standard input data.
#pragma once

#include <numbers>
#include <random>

#include "floating_frame/multibody_system.hpp"
#include "tests/sid/point_mass_sid.hpp"

namespace kurbel::test {

/// Standard normal numbers from a fixed seed.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()() { return normal_(engine_); }
  MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) {
    return MatrixXd::NullaryExpr(rows, cols, [this] { return normal_(engine_); });
  }
  VectorXd vector(Eigen::Index n) { return matrix(n, 1); }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> normal_;
};

/// A mass point of a flexible body with its mode shapes.
struct MassPoint {
  double m;
  Vector3d r;
  MatrixXd Phi;  ///< 3 x n_q
};

inline std::vector<MassPoint> random_mass_points(Random& random, Eigen::Index n_q) {
  std::vector<MassPoint> points;
  for (int i = 0; i < 12; ++i) {
    const double m = 0.1 + 0.05 * std::abs(random());
    const Vector3d r = 0.3 * random.vector(3);
    points.push_back({m, r, 0.5 * random.matrix(3, n_q)});
  }
  return points;
}

/// Whether displacements have a part of second order in q, as geometric stiffening brings it.
enum class Displacement { linear, second_order };

/// SID of a cloud of mass points with random mode shapes: every identity between coefficients holds exactly.
/// Markers "a" and "b".
inline Sid random_flexible_sid(unsigned seed, Eigen::Index n_q, double stiffness = 50.0,
                               Displacement displacement = Displacement::linear) {
  Random random(seed);
  const std::vector<MassPoint> points = random_mass_points(random, n_q);
  const Eigen::Index n = static_cast<Eigen::Index>(points.size());
  VectorXd masses(n);
  MatrixXd r(3, n);
  std::vector<MatrixXd> Phi;
  for (Eigen::Index i = 0; i < n; ++i) {
    masses[i] = points[i].m;
    r.col(i) = points[i].r;
    Phi.push_back(points[i].Phi);
  }
  const MatrixXd root = random.matrix(n_q, n_q);
  Sid sid =
      point_mass_sid(masses, r, Phi, stiffness * (root * root.transpose() + MatrixXd::Identity(n_q, n_q)));
  sid.De.M0.setZero();
  if (displacement == Displacement::second_order) {
    add_second_order_displacement(sid, masses, r, random_second_order_shapes(n, n_q, 0.3, seed));
  }
  for (const char* name : {"a", "b"}) {
    const Vector3d R = 0.4 * random.vector(3);
    SidNode node = make_sid_node(name, R, rotation_matrix(exp_quaternion<double>(random.vector(3))), n_q);
    node.phi.M0 = 0.3 * random.matrix(3, n_q);
    node.psi.M0 = 0.3 * random.matrix(3, n_q);
    if (displacement == Displacement::second_order) {
      for (Eigen::Index l = 0; l < n_q; ++l) node.phi.M1.push_back(0.3 * random.matrix(3, n_q));
    }
    sid.frame.push_back(node);
  }
  return sid;
}

inline Sid rigid_sid_with_markers(double mass, const Vector3d& com, const Vector3d& inertia,
                                  const Vector3d& a, const Vector3d& b) {
  return make_rigid_sid(
      mass, com, inertia.asDiagonal().toDenseMatrix(),
      {make_sid_node("a", a, Matrix3d::Identity(), 0), make_sid_node("b", b, Matrix3d::Identity(), 0)});
}

/// Controls of every kind of interpolation over the first two seconds: on markers of flexible bodies in
/// either frame, on a reference frame, between markers and about a hinge.
inline void add_controls(SystemSpec& spec) {
  const auto add = [&](const char* name, Interpolation interpolation, const VectorXd& nodes) {
    spec.controls.push_back(
        {name, ControlGrid(interpolation, static_cast<int>(nodes.size()), 0.0, 2.0), nodes});
    return static_cast<int>(spec.controls.size()) - 1;
  };
  MarkerLoadSpec pull{"pull", {"two", "b"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  const int wave = add("wave", Interpolation::natural, Eigen::Vector4d(0.5, -1.0, 0.8, 0.2));
  const int ramp = add("ramp", Interpolation::linear, Eigen::Vector3d(0.3, 0.9, -0.4));
  pull.controls = {{wave, {0.3, 1.0, -0.2}, {0.1, 0.0, 0.2}}, {ramp, {1.0, 0.0, 0.5}, {0.0, 0.3, 0.0}}};
  MarkerLoadSpec thrust{"thrust", {"one", "b"}, MarkerLoadSpec::Frame::body, {}, {}};
  thrust.controls = {{add("thrust", Interpolation::clamped, Eigen::Vector3d(1.0, -0.5, 0.7)),
                      {0.2, -0.4, 1.0},
                      {0.0, 0.1, 0.3}}};
  MarkerLoadSpec steer{"steer", {"rod", "origin"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  steer.controls = {{wave, {0.0, 0.0, 0.4}, {0.2, 0.0, 0.1}}};
  spec.loads.insert(spec.loads.end(), {pull, thrust, steer});
  const int torque = add("torque", Interpolation::not_a_knot, Eigen::Vector4d(0.4, 0.6, -0.3, 0.1));
  spec.motors = {{"motor", {"two", "a"}, {"rod", "a"}, true, torque},
                 {"cylinder",
                  {"ground", "post"},
                  {"two", "b"},
                  false,
                  add("piston", Interpolation::constant, Eigen::Vector3d(2.0, -1.0, 0.5))}};
}

/// A share of a load as a function of the angle between two markers: 1.5 sin(angle + phase).
inline void add_over_angle(MarkerLoadSpec& load, std::size_t force_axis, std::size_t torque_axis,
                           const MarkerRef& from, const MarkerRef& to) {
  const HingeAngle angle{"hinge", from, to, 0.3};
  const double once_a_turn = 1.0 / (2.0 * std::numbers::pi);
  load.force[force_axis] = harmonic(1.5, once_a_turn, 0.4), load.force_over[force_axis] = angle;
  load.torque[torque_axis] = harmonic(0.7, once_a_turn, -1.0), load.torque_over[torque_axis] = angle;
}

/// The same mechanism, whose cylinder jumps at a third and at two thirds of a motion.
inline SystemSpec with_jumps(SystemSpec spec, double t1) {
  for (ControlSpec& control : spec.controls) {
    if (control.name == "piston") control.grid = ControlGrid(Interpolation::constant, 3, 0.0, t1);
  }
  return spec;
}

/// A drive by a table whose values are parameters, in half units.
inline DriveSpec table_drive(RelativeDof dof, const TimeFunction& motion,
                             TableInterpolation interpolation = TableInterpolation::natural) {
  TableSpec table{.times = {-0.2, 0.15, 0.4, 0.9, 2.0},
                  .values = VectorXd(5),
                  .unit = 0.5,
                  .interpolation = interpolation};
  for (Eigen::Index i = 0; i < 5; ++i)
    table.values[i] = motion.at(table.times[static_cast<std::size_t>(i)]).value / table.unit;
  table.basis = std::make_shared<SplineBasis>(table.times, interpolation, table.beyond);
  return {dof, nullptr, table};
}

/// The same mechanism, whose initial states are parameters, and whose drives are tables with such values.
inline SystemSpec with_every_parameter(SystemSpec spec) {
  for (BodySpec& body : spec.bodies) {
    for (const InitialPart& part : initial_parts) body.initial.parameters.*part.flag = true;
  }
  for (JointSpec& joint : spec.joints) {
    for (DriveSpec& drive : joint.drives) {
      if (!drive.motion) continue;
      drive =
          table_drive(drive.dof, *drive.motion,
                      is_rotation(drive.dof) ? TableInterpolation::not_a_knot : TableInterpolation::clamped);
    }
  }
  return spec;
}

/// Takes away all loads and controls.
inline void drop_loads(SystemSpec& spec) {
  spec.loads.clear(), spec.motors.clear(), spec.controls.clear();
}

/// Every feature at once: two flexible bodies and a rigid one, joints of several kinds with drives, springs,
/// loads, controls.
inline SystemSpec kitchen_sink() {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {
      make_sid_node("post", {0.2, -0.1, 0.3}, rotation_matrix(exp_quaternion<double>({0.3, 0.1, -0.2})), 0)};
  spec.bodies = {{"one", random_flexible_sid(1, 3, 50.0, Displacement::second_order), {}},
                 {"two", random_flexible_sid(2, 2), {}},
                 {"rod",
                  rigid_sid_with_markers(1.3, {0.1, 0.02, 0.0}, {0.02, 0.05, 0.04}, {0, 0, 0}, {0.5, 0.1, 0}),
                  {}}};
  std::array<bool, 6> locked{};
  locked_dofs_of("revolute", locked);
  spec.joints.push_back({"base",
                         {"ground", "post"},
                         {"one", "a"},
                         locked,
                         {{RelativeDof::rz, polynomial({0.0, {0.0, 0.5}}, {2.0, {3.0, 1.0}})}}});
  locked_dofs_of("universal", locked);
  spec.joints.push_back({"elbow", {"one", "b"}, {"two", "a"}, locked, {}});
  spec.joints.push_back({"slide",
                         {"rod", "b"},
                         {"ground", "origin"},
                         {true, false, false, false, false, false},
                         {{RelativeDof::ty, constant_rate(0.1, 0.4)}}});
  spec.joints.push_back({"wrist", {"two", "b"}, {"rod", "a"}, {false, true, false, false, true, false}, {}});
  spec.springs.push_back({"coil", {"one", "b"}, {"rod", "b"}, 40.0, 1.5, 0.3});
  spec.springs.push_back({"tether", {"ground", "post"}, {"two", "b"}, 30.0, 0.7, 0.2});
  spec.springs.push_back({"rubber", {"two", "b"}, {"ground", "post"}, 20.0, 0.6, 0.4});
  spec.springs.back().law = SpringLaw::green_lagrange, spec.springs.back().isotropic_damping = true;
  spec.springs.push_back({"band", {"one", "b"}, {"rod", "b"}, 15.0, 0.9});
  spec.springs.back().law = SpringLaw::linear;
  spec.torsion_springs.push_back({"twist", {"two", "a"}, {"rod", "a"}, 12.0, 0.4, 0.2});
  spec.torsion_springs.push_back({"hinge", {"ground", "post"}, {"one", "a"}, 2.0, 0.3, 5.0});
  MarkerLoadSpec push{"push", {"two", "b"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force = {constant_rate(1.0, 0.2), nullptr, constant_rate(-2.0, 0.0)};
  push.torque = {nullptr, constant_rate(0.5, 0.0), constant_rate(0.1, 0.3)};
  MarkerLoadSpec thrust = push;
  thrust.name = "thrust", thrust.marker = {"one", "b"}, thrust.frame = MarkerLoadSpec::Frame::body;
  spec.loads = {push, thrust};
  add_controls(spec);
  return spec;
}

/// A bushing all of whose numbers count.
inline BushingSpec bushing_between(const MarkerRef& from, const MarkerRef& to) {
  BushingSpec bushing{"mount", from, to};
  for (std::size_t i = 0; i < bushing.stiffness.size(); ++i) {
    const double x = static_cast<double>(i);
    bushing.stiffness[i] = (i < 6 ? 20.0 : 0.0) + 3.0 * std::sin(1.0 + 2.0 * x);
    bushing.damping[i] = (i < 6 ? 0.5 : 0.0) + 0.05 * std::cos(3.0 * x);
  }
  return bushing;
}

/// Stops that push: of a rotation where both limits are passed and smoothed, of a displacement far beyond one.
inline std::vector<StopSpec> pushing_stops(const MarkerRef& from, const MarkerRef& to) {
  StopSpec turn{"turn", from, to, RelativeDof::rz, 3.0, 0.4, 8.0};
  turn.lower = 4.0, turn.upper = -4.5;
  StopSpec slide{"slide", from, to, RelativeDof::ty, 2.0, 0.3, 0.5};
  slide.upper = -6.0;
  return {turn, slide};
}

/// The same with rods, from a flexible body to another one and from the origin of a rigid one to the ground, with
/// two tyres of one wheel on a wavy road, and with loads over angles.
inline SystemSpec everything() {
  SystemSpec spec = kitchen_sink();
  spec.joints.push_back({"strut", {"one", "b"}, {"two", "b"}, {}, {}, {}, 0.7});
  spec.joints.push_back({"stay", {"rod", "origin"}, {"ground", "post"}, {}, {}, {}, 0.4});
  spec.bodies.push_back(
      {"wheel",
       rigid_sid_with_markers(2.0, {0.0, 0.1, 0.0}, {0.2, 0.3, 0.2}, {0.05, 0.1, -0.02}, {0, 0.3, 0}),
       {}});
  spec.bodies.back().sid.frame[0].AP.M0 = rotation_matrix(exp_quaternion<double>({0.2, 0.1, -0.3}));
  spec.bodies.back().initial.position << 0.2, 0.4, 0.5;
  spec.bodies.push_back(
      {"upright",
       rigid_sid_with_markers(3.0, {0.0, -0.1, 0.0}, {0.1, 0.2, 0.1}, {0, 0, 0}, {0, 0.2, 0}),
       {}});
  std::array<bool, 6> locked{};
  locked_dofs_of("revolute", locked);
  spec.joints.push_back({"bearing", {"upright", "b"}, {"wheel", "b"}, locked, {}});
  spec.bushings = {bushing_between({"one", "b"}, {"rod", "b"})};
  spec.stops = pushing_stops({"two", "a"}, {"rod", "a"});
  spec.road.height = road_sine(0.2, 1.5, -2.0);
  TyreSpec tyre{"tread", {"wheel", "a"}, "upright", 0.6, 50.0, 3.0};
  tyre.friction = 0.8, tyre.slope = 2.0, tyre.shape = 1.2, tyre.smoothing = 0.1;
  spec.tyres = {tyre, tyre};
  add_over_angle(spec.loads[0], 1, 0, {"two", "a"}, {"rod", "a"});        // by a pair without the ground
  add_over_angle(spec.loads[1], 1, 0, {"ground", "post"}, {"one", "a"});  // by the angle of its own body
  spec.tyres[1].name = "twin", spec.tyres[1].wheel.marker = "origin", spec.tyres[1].radius = 0.9;
  return spec;
}

/// The kitchen sink near an assembled position, moving from the start.
inline SystemSpec moving_mechanism() {
  SystemSpec spec = kitchen_sink();
  InitialState &one = spec.bodies[0].initial, &two = spec.bodies[1].initial, &rod = spec.bodies[2].initial;
  one.position << -0.01, 0.19, 0.65, one.rotation << 0.93, 0.33, -0.75;
  one.angular_velocity << 0.2, -0.1, 0.5;
  one.q = Eigen::Vector3d(0.01, -0.02, 0.015);
  two.position << -0.53, 0.34, 0.35, two.rotation << -0.14, 0.53, 0.22;
  two.q_dot = Eigen::Vector2d(0.1, -0.2);
  rod.position << -0.27, 0.22, -0.06, rod.rotation << -0.26, 0.73, -0.88;
  rod.velocity << 0.1, 0.3, 0.2;
  return spec;
}

/// The same, given far from where its joints let it be.
inline SystemSpec scattered_mechanism() {
  SystemSpec spec = moving_mechanism();
  InitialState &one = spec.bodies[0].initial, &two = spec.bodies[1].initial, &rod = spec.bodies[2].initial;
  one.position << -0.15, -0.05, -0.04, one.rotation << 0.62, 0.13, -0.58;
  two.position << -0.25, 0.45, 0.41, two.rotation << 0.69, -0.04, -0.34;
  rod.position << -0.40, 0.17, -0.08, rod.rotation << -0.43, 0.44, -0.68;
  return spec;
}

/// Rods of 0.1 m in a row from the ground along x, hinged about z, that fall along y.
inline SystemSpec rigid_chain(int n) {
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  const Sid rod =
      rigid_sid_with_markers(1.0, {0.05, 0.0, 0.0}, {1e-4, 1e-3, 1e-3}, {0.0, 0.0, 0.0}, {0.1, 0.0, 0.0});
  for (int i = 0; i < n; ++i) {
    const std::string name = "rod " + std::to_string(i);
    const MarkerRef before = i == 0 ? MarkerRef{"ground"} : MarkerRef{spec.bodies.back().name, "b"};
    spec.joints.push_back({"hinge " + std::to_string(i), before, {name, "a"}, revolute, {}});
    spec.bodies.push_back({name, rod, {}});
    spec.bodies.back().initial.position << 0.1 * i, 0.0, 0.0;
  }
  return spec;
}

/// A chain whose base is driven, whose end is held on the x axis, and whose rods are braced by springs.
inline SystemSpec braced_chain(int n) {
  SystemSpec spec = rigid_chain(n);
  spec.joints[0].drives = {{RelativeDof::rz, polynomial({0.0, {0.0, 0.0, 0.0}}, {1.0, {0.0, 0.5, 1.0}})}};
  spec.joints.push_back(
      {"slider", {"ground"}, {spec.bodies.back().name, "b"}, {false, true, false, false, false, false}, {}});
  for (std::size_t i = 0; i + 2 < spec.bodies.size(); ++i) {
    spec.springs.push_back({"brace " + std::to_string(i),
                            {spec.bodies[i].name, "a"},
                            {spec.bodies[i + 2].name, "b"},
                            500.0,
                            1.0,
                            0.29});
  }
  return spec;
}

/// A drive pulls a two-bar linkage beyond its full extent, which it reaches at 0.245 s.
inline SystemSpec overextended_linkage() {
  SystemSpec spec;
  const Sid bar = rigid_sid_with_markers(1.0, {0.5, 0, 0}, {0.1, 0.1, 0.1}, {0, 0, 0}, {1, 0, 0});
  spec.bodies = {{"left", bar, {}}, {"right", bar, {}}};
  spec.bodies[0].initial.rotation << 0, 0, 0.5;
  spec.bodies[1].initial.position << 0.88, 0.48, 0.0;
  spec.bodies[1].initial.rotation << 0, 0, -0.5;
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints = {{"base", {"ground"}, {"left", "a"}, revolute, {}},
                 {"elbow", {"left", "b"}, {"right", "a"}, revolute, {}},
                 {"pull",
                  {"right", "b"},
                  {"ground"},
                  {false, true, false, false, false, false},
                  {{RelativeDof::tx, constant_rate(-1.755, -1.0)}}}};
  return spec;
}

}  // namespace kurbel::test
