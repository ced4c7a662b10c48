/// @file
/// A mechanism as data: bodies, joints, drives, loads. Plain values, checked where they enter.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "integration/controls.hpp"
#include "mechanism/laws.hpp"
#include "mechanism/road.hpp"
#include "mechanism/spline.hpp"
#include "sid/sid.hpp"

namespace kurbel {

/// A marker by name. The body "ground" is the inertial frame; its markers are those of SystemSpec::ground.
/// The marker "origin" is the reference frame of any body, ground included.
struct MarkerRef {
  std::string body;
  std::string marker = "origin";

  bool operator==(const MarkerRef&) const = default;
};

/// "body.marker", or of an origin "body".
std::string text_of(const MarkerRef& marker);

/// A static load at a marker of a body, along the axes of the body's frame.
struct StaticLoad {
  std::string name, marker;
  Vector3d force = Vector3d::Zero();   ///< N
  Vector3d moment = Vector3d::Zero();  ///< N m
};

/// Pose and velocity at the start; corrected to satisfy the constraints before the first step. What is given
/// moves only where the joints leave no other way.
struct InitialState {
  struct Parts {
    bool position = false, rotation = false, velocity = false, angular_velocity = false;
  };
  Vector3d position = Vector3d::Zero();          ///< of the reference frame, in the inertial frame, m
  Vector3d rotation = Vector3d::Zero();          ///< rotation vector, rad
  Vector3d velocity = Vector3d::Zero();          ///< in the inertial frame, m/s
  Vector3d angular_velocity = Vector3d::Zero();  ///< in the body's frame, rad/s
  VectorXd q;                                    ///< elastic coordinates; empty means zero
  VectorXd q_dot;                                ///< 1/s times those; empty means zero
  std::vector<StaticLoad> loads{};               ///< in place of q: Ke q = sum(Phi^T force + Psi^T moment)
  Parts given;                                   ///< besides q and q_dot, which are if they are not empty
  Parts parameters{};                            ///< which of them are parameters of the mechanism

  bool gives_deformation() const { return q.size() > 0 || !loads.empty(); }
};

/// A rigid (n_q = 0) or flexible body. The SID may be replaced between runs of the same mechanism.
struct BodySpec {
  std::string name;
  Sid sid;
  InitialState initial;
};

/// The relative degrees of freedom between two markers, in the order in which they can be locked:
/// displacement of "to" relative to "from" along the axes of "to" [P0, eq. 33], and rotation of "to" relative
/// to "from" about the axes [P0, eq. 34]. The seventh, the distance of the markers, is held by rods alone.
enum class RelativeDof { tx = 0, ty, tz, rx, ry, rz, distance };
inline constexpr std::array<const char*, 7> relative_dof_names = {"tx", "ty", "tz",      "rx",
                                                                  "ry", "rz", "distance"};
inline constexpr bool is_rotation(RelativeDof dof) {
  return dof >= RelativeDof::rx && dof <= RelativeDof::rz;
}

/// A table of values at given times.
struct TableSpec {
  std::vector<double> times;  ///< s, ascending
  VectorXd values;            ///< of the unit
  double unit = 1.0;          ///< in m or rad
  TableInterpolation interpolation = TableInterpolation::natural;
  Beyond beyond = Beyond::refused;
  std::shared_ptr<const SplineBasis> basis{};  ///< if the values are parameters of the mechanism
};

/// A free relative degree of freedom that follows a function of time (m or rad): a rheonomic constraint.
struct DriveSpec {
  RelativeDof dof = RelativeDof::rz;
  TimeFunctionPtr motion;            ///< none: that of the table, whose values are parameters
  std::optional<TableSpec> table{};  ///< what the motion is, if it is a table
};

/// Locks 1 to 6 relative degrees of freedom between two markers; or holds their distance, as a massless rod
/// with a ball at either end does.
/// One locked rotation leaves two free: those of a universal joint, one axis fixed in each marker.
struct JointSpec {
  std::string name;
  MarkerRef from, to;
  std::array<bool, 6> locked{};
  std::vector<DriveSpec> drives;
  /// Locked or driven degrees of freedom whose constraints are redundant, and are removed.
  std::array<bool, relative_dof_names.size()> redundant{};
  /// Length of a rod, which locks and drives nothing else, m. Zero: the distance of the markers at the
  /// start, yet to be found.
  std::optional<double> length{};
  /// True if this length is the distance of its ends at the start wherever they are (free_lengths.hpp).
  bool length_follows = false;
  /// In natural coordinates: has no multipliers, and so no reactions that are known, where one side can be expressed
  /// by the other.
  bool shares_coordinates = false;
};

/// A force or torque whose time history is to be found: the values at its nodes are parameters.
/// [P2, section 3.1]
struct ControlSpec {
  std::string name;
  ControlGrid grid;  ///< how it runs between its nodes
  VectorXd nodes;    ///< u_bar, N or N m
};

/// Force k (l - l0) + d l_dot along the line between two markers, attractive when positive; or by another law
/// (laws.hpp).
struct SpringSpec {
  std::string name;
  MarkerRef from, to;
  double stiffness = 0.0;    ///< k, N/m
  double damping = 0.0;      ///< d, N s/m
  double free_length = 0.0;  ///< l0, m
  /// Force at the start, N, from which the free length follows (free_lengths.hpp), if given.
  std::optional<double> preload{};
  /// True if the damper acts on the relative velocity in every direction, rather than along the line.   [P1, eq. 65]
  bool isotropic_damping = false;
  SpringLaw law = SpringLaw::hooke;
};

/// Torque k (angle - angle0) + d angle_dot about the z axis of the markers of a revolute or cylindrical
/// joint; the angle of "to" relative to "from" is taken in (-pi, pi] about angle0.
struct TorsionSpringSpec {
  std::string name;
  MarkerRef from, to;
  double stiffness = 0.0;   ///< N m/rad
  double damping = 0.0;     ///< N m s/rad
  double free_angle = 0.0;  ///< rad
};

/// Force and moment linear in the six displacements of "to" against "from" and in their rates (bushing.hpp).
struct BushingSpec {
  /// A symmetric matrix: xx, yy, zz of translations and rotations, then what is above the diagonal row by row.
  using Matrix = std::array<double, 21>;
  std::string name;
  MarkerRef from, to;
  Matrix stiffness{};  ///< N/m, N or N/rad, N m/rad
  Matrix damping{};    ///< the same times s
};

/// Pushes a free degree of freedom of a joint back between limits (stop.hpp).
struct StopSpec {
  std::string name;
  MarkerRef from, to;  ///< those of the joint
  RelativeDof dof = RelativeDof::rz;
  double stiffness = 0.0;                                   ///< k, N/m or N m/rad
  double damping = 0.0;                                     ///< d, N s/m or N m s/rad
  double smoothing = 0.0;                                   ///< w, m or rad
  double lower = -std::numeric_limits<double>::infinity();  ///< m or rad
  double upper = std::numeric_limits<double>::infinity();
};

/// A control between two markers: about the z axis of a hinge a torque that turns "to" forwards, otherwise a
/// force along the line between them that pushes them apart.
struct MotorSpec {
  std::string name;
  MarkerRef from, to;
  bool is_rotary = true;
  int control = 0;  ///< index in SystemSpec::controls
};

/// A product of axes in a row that locks a rotation: coefficient a_i^from . a_j^to.
struct AxisProduct {
  int i, j;
  double coefficient;
};
/// The sum of products that locks the rotation about axis k, to first order in a rotation theta of "to" relative to "from"
/// theta_k.                                                                                      [P0, eq. 34]
/// @param locked  about which axes rotations are locked, k among them
std::vector<AxisProduct> rotation_row(const std::array<bool, 3>& locked, int k);

/// True if a joint turns about the z axis of its markers: it locks rx and ry and leaves rz free.
inline bool is_hinge(const JointSpec& joint) {
  return joint.locked[3] && joint.locked[4] && !joint.locked[5];
}

/// A control's share in a load: the force u(t) force and the torque u(t) torque.
struct ControlledLoad {
  int control = 0;                     ///< index in SystemSpec::controls
  Vector3d force = Vector3d::Zero();   ///< per N
  Vector3d torque = Vector3d::Zero();  ///< per N m
};

/// The angle of a hinge that no drive turns, as the argument of a load: that of "to" against "from" in (-pi, pi] about
/// `around`. Where the function has other values half a turn before it than behind it, the load jumps there.
struct HingeAngle {
  std::string joint;
  MarkerRef from, to;   ///< those of the joint
  double around = 0.0;  ///< rad
};

/// A force and a torque at a marker; each component a function of time, absent components are zero.
struct MarkerLoadSpec {
  enum class Frame { inertial, body };
  using Angles = std::array<std::optional<HingeAngle>, 3>;
  std::string name;
  MarkerRef marker;
  Frame frame = Frame::inertial;
  std::array<TimeFunctionPtr, 3> force;   ///< N
  std::array<TimeFunctionPtr, 3> torque;  ///< N m
  Angles force_over{}, torque_over{};     ///< what the function of a component is over, in place of time
  std::vector<ControlledLoad> controls{};
};

/// True if a component of the load is a function of the angle of a hinge.
bool goes_over_angle(const MarkerLoadSpec& load);

/// A tyre on the road: a vertical force that presses only, and friction by a simple magic formula; the law is in
/// floating_frame/tyre.hpp.
struct TyreSpec {
  std::string name;
  MarkerRef wheel;           ///< its centre; it spins about the y axis of this marker
  std::string carrier;       ///< the body whose material approaches the road: the upright
  double radius = 0.0;       ///< R0, of the free tyre, m
  double stiffness = 0.0;    ///< k, N/m
  double damping = 0.0;      ///< d, N s/m
  double friction = 1.0;     ///< mu
  double slope = 10.0;       ///< B, stiffness factor
  double shape = 1.3;        ///< C, shape factor
  double smoothing = 0.002;  ///< of the first touch, m
  double slip_speed = 0.5;   ///< below which slip is no longer by the speed of the wheel, m/s
};

/// A beam of equal elements between two places, in natural coordinates alone. Its markers are "start", "end" and
/// "node1", "node2", ... between them.
struct BeamSpec {
  enum class Kind {
    cable,   ///< slender, bending the same about every axis, without torsion     [P1, eqs 28-35]
    spatial  ///< with shear, torsion and two bendings
  };
  enum class Shape { square, rectangle, circle, tube };
  /// Elastic energy of a cable.                                                                 [P1, eqs 32-34]
  enum class Energy { green, second_derivative, chord, linearized };
  std::string name;
  Kind kind = Kind::cable;
  Energy energy = Energy::green;
  Shape shape = Shape::square;
  /// Side; width along the section's y axis and height; diameter; outer and inner diameter; m.
  std::array<double, 2> dimensions{};
  Vector3d start = Vector3d::Zero(), end = Vector3d::Zero();  ///< at t = 0, m
  std::optional<Vector3d> through{};                          ///< of an arc without stress, m
  Vector3d side = Vector3d::UnitY();  ///< where its y axis points, about; of arcs 0: normal to them
  int n_elements = 4;
  double youngs_modulus = 0.0;  ///< Pa
  double poisson_ratio = 0.3;
  double density = 0.0;                          ///< kg/m^3
  double damping = 0.0;                          ///< of Kelvin and Voigt: stress E (eps + damping eps_dot), s
  Vector3d velocity = Vector3d::Zero();          ///< of its start, at t = 0, m/s
  Vector3d angular_velocity = Vector3d::Zero();  ///< of the whole beam, in the inertial frame, rad/s
};

/// A straight row of shear-deformable elements (ANCF) in the plane z = 0, at rest and undeformed at t = 0, in natural
/// coordinates alone. Its markers are "start" and "end".
struct PlanarBeamSpec {
  enum Quantity { width, height, length, youngs_modulus, poisson_ratio, density, n_quantities };
  std::string name;
  std::optional<Eigen::Vector2d> start{};  ///< m; not given: where a joint puts it
  double angle = 0.0;                      ///< of its axis to the x axis, rad
  std::size_t n_elements = 1;
  std::array<std::vector<double>, n_quantities> elements{};  ///< one value per element
  PoissonCoupling coupling = PoissonCoupling::full;
};

/// A mass in one point, a body that does not turn, in natural coordinates alone.
struct PointMassSpec {
  std::string name;
  Vector3d position = Vector3d::Zero(), velocity = Vector3d::Zero();  ///< at t = 0; m, m/s
  std::array<bool, 3> free = {true, true, true};                      ///< directions in which it moves
  double mass = 0.0;                                                  ///< kg; none if it is held

  bool moves() const { return free[0] || free[1] || free[2]; }
};

/// A mass that moves with a marker, in natural coordinates alone.
struct AttachedMassSpec {
  std::string name;
  MarkerRef marker;
  double mass = 0.0;  ///< kg
};

/// A part that is at a named point at the start.
struct PointUse {
  enum class Kind { marker, ground_marker, beam_start, beam_end, beam_through };
  Kind kind = Kind::marker;
  std::size_t owner = 0;  ///< index of the body, of the marker of the ground, or of the beam
  std::size_t part = 0;   ///< kind `marker`: index in the frame of the body's SID

  bool operator==(const PointUse&) const = default;
};

/// A place with a name. It is where its users are at the start, and no more a part of the mechanism.
struct NamedPoint {
  std::string name;
  Vector3d position = Vector3d::Zero();  ///< at t = 0, in the inertial frame, m
  std::vector<PointUse> uses{};
};

/// The coordinates, of those that joints leave free, that start in equilibrium: without acceleration, at a
/// position to be found, with the given velocities.
enum class InitialEquilibrium {
  none,     ///< all start at their given positions
  elastic,  ///< the elastic ones, with the inertia forces of the moving mechanism: quasi-static
  all       ///< static, if the mechanism is at rest
};

/// The interval in which it moves, s.
struct MotionTime {
  double t0 = 0.0, t1 = 0.0;
  bool varies = false;  ///< whether t1 is a parameter of the mechanism

  double span() const { return t1 - t0; }
};

/// The whole mechanism.
struct SystemSpec {
  std::vector<SidNode> ground;  ///< markers of the inertial frame
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;
  std::vector<SpringSpec> springs;
  std::vector<TorsionSpringSpec> torsion_springs;
  std::vector<MarkerLoadSpec> loads;
  std::vector<ControlSpec> controls;
  std::vector<MotorSpec> motors;
  RoadSpec road{};
  std::vector<TyreSpec> tyres{};
  std::vector<BeamSpec> beams{};
  std::vector<NamedPoint> points{};
  std::vector<PlanarBeamSpec> planar_beams{};
  std::vector<PointMassSpec> point_masses{};
  std::vector<AttachedMassSpec> attached_masses{};
  std::vector<BushingSpec> bushings{};
  std::vector<StopSpec> stops{};
  MotionTime time{};
  Vector3d gravity = Vector3d::Zero();  ///< m/s^2, in the inertial frame
  InitialEquilibrium initial_equilibrium = InitialEquilibrium::none;
  bool planar =
      false;  ///< in natural coordinates: moves in the plane z = 0, with parts x and y as coordinates
};

/// An instant at which a control or a load jumps.
struct NamedJump {
  std::string key;  ///< "controls.motor", "loads.push"
  double t = 0.0;   ///< s
};
/// The jumps within [from, to). A control jumps at its nodes, whatever their values.
std::vector<NamedJump> jumps_of(const SystemSpec& spec, double from, double to);

/// A usual name for a set of locked degrees of freedom.
struct JointType {
  std::string name;  ///< "revolute"
  std::array<bool, 6> locked;
  const char* meaning;  ///< what it locks, in words: "all but rz"
};
const std::vector<JointType>& joint_types();

/// @return false if the name is unknown; joint_type_names() lists them
bool locked_dofs_of(const std::string& joint_type, std::array<bool, 6>& locked);
/// The names in alphabetical order.
std::vector<std::string> joint_type_names();
/// The joint type that holds a distance, and locks none of them.
inline constexpr const char* rod_type = "distance";

}  // namespace kurbel
