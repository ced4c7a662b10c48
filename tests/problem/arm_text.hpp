/// @file
/// A rigid arm on a hinge, for the tests to add to.
#pragma once

namespace kurbel {

inline constexpr const char* arm_text = R"(
[bodies.arm]
type = "rigid"
mass = 1.0
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [1e-3, 1e-2, 1e-2]
[bodies.arm.markers.tip]
position = [0.4, 0.0, 0.0]
[joints.hinge]
type = "revolute"
from = "ground"
to = "arm"
[integrator]
t1 = 2.0
step = 0.01
)";

/// A motor for it, and its mass as a variable.
inline constexpr const char* motor_text = R"(
[controls.motor]
type = "torque"
joint = "hinge"
nodes = 4
start = [3.0, 2.0, 1.0, 2.0]
[variables.mass]
quantity = "bodies.arm.mass"
lower = 0.5
upper = 2.0
)";

}  // namespace kurbel
