/// @file
/// Input texts of responses to harmonic loads and drives.
#pragma once

#include "arm_text.hpp"
#include "modes_text.hpp"

namespace kurbel::test {

inline std::string response(const std::string& formulation, const std::string& text) {
  return "analysis = \"frequency-response\"\nformulation = \"" + formulation + "\"\n" + text;
}

inline const std::string response_range = "[frequency_response]\nfrom = 0.5\nto = 12.0\npoints = 24\n";

/// A mass of 2 kg on a spring of 900 N/m with a damper of 7 N s/m to a base, which a drive moves.
inline std::string oscillator(const std::string& drive, const std::string& more) {
  return R"([bodies.base]
type = "rigid"
mass = 5.0
inertia = [0.1, 0.1, 0.1]
[bodies.base.markers.anchor]
position = [-1.0, 0.0, 0.0]
[bodies.mass]
type = "rigid"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[joints.table]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "base"
drive = {dof = "tx", )" +
         drive + R"(}
[joints.slide]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "base"
to = "mass"
[springs.coil]
from = "base.anchor"
to = "mass"
stiffness = 900.0
damping = 7.0
free_length = 1.0
)" + more;
}

/// Harmonic forces and a torque on the hand of an arm.
inline const std::string shaken_hand = R"([loads.shake]
marker = "forearm.hand"
force = [{type = "harmonic", amplitude = 0.7, phase = 0.5}, {type = "harmonic", amplitude = 2.0}, 0.0]
torque = [0.0, 0.0, {type = "harmonic", amplitude = 0.3, phase = 1.2}]
)";

}  // namespace kurbel::test
