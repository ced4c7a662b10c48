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
    spring_stiffness,
    spring_damping,
    free_length,  ///< N/m, N s/m, m
    torsion_stiffness,
    torsion_damping,
    free_angle,    ///< N m/rad, N m s/rad, rad
    control_node,  ///< N or N m; `component` is the node
    rod_length,    ///< m, of a joint
    tyre_radius,
    tyre_stiffness,
    tyre_damping,  ///< m, N/m, N s/m
    tyre_friction,
    tyre_slope,
    tyre_shape,
  };
  Kind kind = Kind::mass;
  std::size_t owner = 0;  ///< position of the body, the ground's marker, the spring, torsion spring, control,
                          ///< joint or tyre
  std::size_t marker = 0;  ///< kind `marker` only: position in the frame of the body's SID
  int component = 0;

  bool operator==(const SystemQuantity&) const = default;
};
inline constexpr std::array<const char*, 6> inertia_components = {"xx", "yy", "zz", "xy", "xz", "yz"};

/// What a rigid body is made of, from its SID and back.
struct RigidBody {
  double mass = 0.0;
  Vector3d centre_of_mass = Vector3d::Zero();  ///< in the body's frame
  Matrix3d inertia = Matrix3d::Zero();         ///< about the centre of mass, axes of the body's frame
};
RigidBody rigid_body_of(const Sid& sid);

double value_of(const SystemQuantity& quantity, const SystemSpec& spec);
void set_value(const SystemQuantity& quantity, double value, SystemSpec& spec);

/// d psi / d (quantity) from d psi / d (parameters of the mechanism). With J = J_c + m (c^2 E - c c^T) about
/// the frame's origin and mdCM = m c.
/// @param p_bar  (layout.size())
double pullback(const SystemQuantity& quantity, const SystemSpec& spec, const ParameterLayout& layout,
                const VectorXd& p_bar);

}  // namespace kurbel
