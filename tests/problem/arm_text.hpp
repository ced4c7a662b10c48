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

}  // namespace kurbel
