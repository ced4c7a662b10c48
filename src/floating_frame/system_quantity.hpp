/// @file
/// The numbers of a mechanism that can be designed, other than those of a finite-element model.
#pragma once

#include <array>

#include "floating_frame/parameters.hpp"

namespace kurbel {

/// Names one number of a SystemSpec.
struct SystemQuantity {
  enum class Kind {
    mass,            ///< kg; of a rigid body, whose centre of mass and inertia about it keep their values
    centre_of_mass,  ///< m, component x, y, z; the inertia about it keeps its value
    inertia,         ///< kg m^2, about the centre of mass; components in the order of inertia_components
    marker,          ///< m, component x, y, z of a marker's position on a rigid body
    ground_marker,   ///< m, component x, y, z of the position of a marker of the ground
    part_number,     ///< a row of part_numbers(), of which `part` is the place
    // Of the initial state of a body, components x, y, z; what is not given in the input follows the joints.
    initial_position,          ///< m, in the inertial frame
    initial_rotation,          ///< rad, of the rotation vector
    initial_velocity,          ///< m/s, in the inertial frame
    initial_angular_velocity,  ///< rad/s, in the body's frame
    drive_value,               ///< in the unit of the drive: a value of its table; `component` says which
    planar_beam_number,  ///< in the unit of PlanarBeamSpec::Quantity, which `component` says; the length of `part` 0 is
                         ///< that of the whole beam
    end_of_motion,  ///< s, to which the nodes of controls keep their shares
  };
  Kind kind = Kind::mass;
  /// Position of the part, the body, the ground's marker or the joint.
  std::size_t owner = 0;
  /// Kind `marker`: position in the frame of the body's SID; kind `drive_value`: of the drive in its joint; kind
  /// `planar_beam_number`: 0 for all elements alike, or one more than that of the element.
  std::size_t part = 0;
  int component = 0;

  bool operator==(const SystemQuantity&) const = default;

  /// The number that a member of a part holds: of<&SpringSpec::stiffness>(i).
  template <auto member>
  static SystemQuantity of(std::size_t owner, int component = 0) {
    return {Kind::part_number, owner, row_of<member>(), component};
  }
  template <auto member>
  bool is() const {
    return kind == Kind::part_number && part == row_of<member>();
  }
};
inline constexpr std::array<const char*, 6> inertia_components = {"xx", "yy", "zz", "xy", "xz", "yz"};

/// Mass, centre of mass and inertia, which all are in the SID of a rigid body.
inline bool is_of_rigid_body(SystemQuantity::Kind kind) {
  using Kind = SystemQuantity::Kind;
  return kind == Kind::mass || kind == Kind::centre_of_mass || kind == Kind::inertia;
}

/// The numbers of a rigid body, from its SID and back.
struct RigidBody {
  double mass = 0.0;
  Vector3d centre_of_mass = Vector3d::Zero();  ///< in the body's frame
  Matrix3d inertia = Matrix3d::Zero();         ///< about the centre of mass, axes of the body's frame
};
RigidBody rigid_body_of(const Sid& sid);

/// The part of the initial state that a quantity varies.
/// @param kind  one of initial_*
const InitialPart& initial_part(SystemQuantity::Kind kind);

/// Makes the number one of the parameters of the mechanism, where it is none unless it varies.
void make_parameter(const SystemQuantity& quantity, SystemSpec& spec);

double value_of(const SystemQuantity& quantity, const SystemSpec& spec);
void set_value(const SystemQuantity& quantity, double value, SystemSpec& spec);

/// A parameter of the mechanism and its derivative.
struct ParameterDerivative {
  Eigen::Index place;
  double value;
};

/// d (parameters of the mechanism) / d (quantity), as far as they change. With J = J_c + m (c^2 E - c c^T) about
/// the frame's origin and mdCM = m c.
/// @param layout  of a mechanism in which the quantity is a parameter
std::vector<ParameterDerivative> parameter_derivatives(const SystemQuantity& quantity, const SystemSpec& spec,
                                                       const ParameterLayout& layout);

}  // namespace kurbel
