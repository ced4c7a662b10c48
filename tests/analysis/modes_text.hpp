/// @file
/// Mechanisms at rest as inputs of analysis = "modes".
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/types.hpp"

namespace kurbel::test {

inline constexpr const char* formulations[] = {"floating-frame", "semi-recursive", "natural-coordinates"};

inline std::string in(const std::string& formulation, const std::string& text) {
  return "analysis = \"modes\"\nformulation = \"" + formulation + "\"\n" + text;
}

inline const std::string in_equilibrium = "[initial]\nstate = \"static-equilibrium\"\n";

/// A rod of 2 kg, its centre of mass 0.4 m below its bearing.
inline std::string pendulum(const std::string& more = "", double angle = -0.5 * EIGEN_PI) {
  return fmt::format(R"(gravity = [0.0, -9.81, 0.0]
[bodies.rod]
type = "rigid"
mass = 2.0
centre_of_mass = [0.4, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]
[bodies.rod.initial]
rotation = [0.0, 0.0, {}]
[joints.bearing]
type = "revolute"
from = "ground"
to = "rod"
)",
                     angle) +
         more;
}

/// A beam of 1 m and 20 mm in the plane, clamped at its left end in its frame.
inline std::string beam(const std::string& more, const std::string& analysis = "modes") {
  return "analysis = \"" + analysis + R"("
[bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "rectangle"
origin = [0.0, -0.01]
size = [1.0, 0.02]
divisions = [40, 2]
element = "incompatible"
thickness = 0.01
[bodies.beam.material]
youngs_modulus = 7e10
poisson_ratio = 0.0
density = 2700.0
[bodies.beam.clamp]
x = 0.0
[bodies.beam.markers.tip]
x = 1.0
[bodies.beam.modes]
normal = 8
)" + more;
}

}  // namespace kurbel::test
