/// @file
/// Andrews' squeezing mechanism: seven bodies in a plane, driven by a constant torque from rest. Data and solution are those
/// of F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, release 2.4, University of Bari (2008), problem
/// "Andrews' squeezing mechanism", after E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

namespace kurbel::test {

/// Angles of the test set in its order and with its names: at the start, and after 0.03 s.
struct SqueezerAngle {
  const char* name;
  double start, end;
};

inline constexpr std::array<SqueezerAngle, 7> squeezer_angles = {{
    {"beta", -0.0617138900142764496358948458001, 0.1581077119629904e2},
    {"theta", 0.0, -0.1575637105984298e2},
    {"gamma", 0.455279819163070380255912382449, 0.4082224013073101e-1},
    {"phi", 0.222668390165885884674473185609, -0.5347301163226948},
    {"delta", 0.487364979543842550225598953530, 0.5244099658805304},
    {"omega", -0.222668390165885884674473185609, 0.5347301163226948},
    {"epsilon", 1.23054744454982119249735015568, 0.1048080741042263e1},
}};

/// A body in the plane whose frame is at its first joint.
/// @param centre   of mass, in its frame
/// @param inertia  about it
/// @param markers  "name = [x, y, 0.0]" tables
inline std::string squeezer_body(const std::string& name, double mass, const std::array<double, 2>& centre,
                                 double inertia, double angle, const std::string& markers) {
  return fmt::format(R"([bodies.{0}]
type = "rigid"
mass = {1}
centre_of_mass = [{2}, {3}, 0.0]
inertia = [{4}, {4}, {4}]
initial.rotation = [0.0, 0.0, {5:.17g}]
{6}
)",
                     name, mass, centre[0], centre[1], inertia, angle, markers);
}

inline std::string squeezer_hinge(const std::string& name, const std::string& from, const std::string& to) {
  return fmt::format(R"([joints.{0}]
type = "revolute"
from = "{1}"
to = "{2}"
[outputs.{0}]
type = "joint-angle"
joint = "{0}"
)",
                     name, from, to);
}

/// @param integrator  formulation and method; tables of the file
inline std::string squeezer_text(const std::string& formulation, const std::string& integrator) {
  const auto start = [](int i) { return squeezer_angles.at(i).start; };
  std::string text = fmt::format(R"(formulation = "{}"
gravity = [0.0, 0.0, 0.0]
[integrator]
t1 = 0.03
{}
[ground.markers.A]
position = [-0.06934, -0.00227, 0.0]
[ground.markers.B]
position = [-0.03635, 0.03273, 0.0]
[ground.markers.C]
position = [0.014, 0.072, 0.0]
[springs.CD]
from = "ground.C"
to = "k3.D"
stiffness = 4530.0
free_length = 0.07785
[loads.motor]
marker = "k1"
torque = [0.0, 0.0, 0.033]
[objective]
type = "kinetic-energy"
time = "final"
)",
                                 formulation, integrator);
  text += squeezer_body("k1", 0.04325, {0.00092, 0.0}, 2.194e-6, start(0),
                        "markers.P2.position = [0.007, 0.0, 0.0]");
  text += squeezer_body("k2", 0.00365, {-0.0115, 0.0}, 4.410e-7, start(0) + start(1),
                        "markers.P.position = [-0.028, 0.0, 0.0]");
  text += squeezer_body("k3", 0.02373, {0.01874, -0.01043}, 5.255e-6, start(2),
                        "markers.P.position = [0.0, -0.035, 0.0]\nmarkers.D.position = [0.02, -0.018, 0.0]");
  text += squeezer_body("k5", 0.0705, {0.02308, 0.00916}, 1.169e-5, start(4),
                        "markers.Q.position = [0.04, 0.0, 0.0]");
  text += squeezer_body("k4", 0.00706, {0.0, -0.00579}, 5.667e-7, start(3) + start(4),
                        "markers.P.position = [0.0, -0.02, 0.0]");
  text += squeezer_body("k7", 0.05498, {0.01228, -0.00449}, 1.912e-5, start(6),
                        "markers.S.position = [0.0, -0.04, 0.0]");
  text += squeezer_body("k6", 0.00706, {0.00579, 0.0}, 5.667e-7, start(5) + start(6),
                        "markers.P.position = [0.02, 0.0, 0.0]");
  text += squeezer_hinge("beta", "ground", "k1") + squeezer_hinge("theta", "k1.P2", "k2") +
          squeezer_hinge("gamma", "ground.B", "k3") + squeezer_hinge("delta", "ground.A", "k5") +
          squeezer_hinge("phi", "k5.Q", "k4") + squeezer_hinge("epsilon", "ground.A", "k7") +
          squeezer_hinge("omega", "k7.S", "k6");
  for (const char* body : {"k3", "k4", "k6"})
    text += fmt::format("[joints.P_{0}]\ntype = \"revolute\"\nfrom = \"k2.P\"\nto = \"{0}.P\"\n", body);
  return text;
}

}  // namespace kurbel::test
