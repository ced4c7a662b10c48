/// @file
/// A two-link arm that torsion springs hold in a working pose under gravity, with its frequencies in closed form.
#pragma once

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "base/types.hpp"

namespace kurbel::test {

/// Links along x of their frames, joints about z; angles q_1 from the x axis, q_2 of the elbow; gravity along -y.
struct Arm {
  double m1 = 1.2, c1 = 0.15, l1 = 0.3, I1 = 0.012, m2 = 0.8, c2 = 0.11, I2 = 0.006;  ///< kg, m, kg m^2
  double k1 = 60.0, k2 = 25.0, d1 = 0.0, d2 = 0.0;                                    ///< N m/rad, N m s/rad
  double q1 = 0.5, q2 = -0.9, g = 9.81;                                               ///< of the equilibrium

  Eigen::Matrix2d M() const {
    const double c = l1 * c2 * std::cos(q2), of_2 = I2 + m2 * c2 * c2;
    Eigen::Matrix2d M;
    M << I1 + m1 * c1 * c1 + m2 * l1 * l1 + of_2 + 2.0 * m2 * c, of_2 + m2 * c, of_2 + m2 * c, of_2;
    return M;
  }
  Eigen::Matrix2d K() const {
    const double of_2 = -g * m2 * c2 * std::sin(q1 + q2), of_1 = -g * (m1 * c1 + m2 * l1) * std::sin(q1);
    Eigen::Matrix2d K;
    K << k1 + of_1 + of_2, of_2, of_2, k2 + of_2;
    return K;
  }
  /// Eigenvalues s with Im s > 0, by their size.
  Eigen::Vector2cd poles() const {
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A.topRightCorner<2, 2>().setIdentity();
    A.bottomLeftCorner<2, 2>() = -M().inverse() * K();
    A.bottomRightCorner<2, 2>() = -M().inverse() * Eigen::Vector2d(d1, d2).asDiagonal();
    const Eigen::Vector4cd all = Eigen::EigenSolver<Eigen::Matrix4d>(A).eigenvalues();
    Eigen::Vector2cd s = Eigen::Vector2cd::Zero();
    Eigen::Index n = 0;
    for (const auto& one : all) {
      if (one.imag() > 0.0) s[n++] = one;
    }
    if (std::abs(s[1]) < std::abs(s[0])) std::swap(s[0], s[1]);
    return s;
  }
  /// Free angles of the springs, with which the arm is in equilibrium.
  Eigen::Vector2d free_angles() const {
    const double of_2 = g * m2 * c2 * std::cos(q1 + q2), of_1 = g * (m1 * c1 + m2 * l1) * std::cos(q1) + of_2;
    return {q1 + of_1 / k1, q2 + of_2 / k2};
  }

  /// @param off  from the equilibrium, of both angles as they are given, rad
  std::string text(const std::string& more, double off = 0.0) const {
    const double a = q1 + off, b = a + q2 + off;
    const Eigen::Vector2d free = free_angles();
    return fmt::format(R"(gravity = [0.0, {}, 0.0]
[bodies.upper]
type = "rigid"
mass = {}
centre_of_mass = [{}, 0.0, 0.0]
inertia = [1.0e-3, {}, {}]
[bodies.upper.markers.elbow]
position = [{}, 0.0, 0.0]
[bodies.upper.initial]
rotation = [0.0, 0.0, {}]
[bodies.forearm]
type = "rigid"
mass = {}
centre_of_mass = [{}, 0.0, 0.0]
inertia = [1.0e-3, {}, {}]
[bodies.forearm.markers.hand]
position = [0.25, 0.0, 0.0]
[bodies.forearm.initial]
position = [{}, {}, 0.0]
rotation = [0.0, 0.0, {}]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper"
[joints.elbow]
type = "revolute"
from = "upper.elbow"
to = "forearm"
[torsion_springs.shoulder]
from = "ground"
to = "upper"
stiffness = {}
damping = {}
free_angle = {}
[torsion_springs.elbow]
from = "upper.elbow"
to = "forearm"
stiffness = {}
damping = {}
free_angle = {}
)",
                       -g, m1, c1, I1, I1, l1, a, m2, c2, I2, I2, l1 * std::cos(a), l1 * std::sin(a), b, k1,
                       d1, free[0], k2, d2, free[1]) +
           more;
  }
};

/// Numbers of the arm that vary: stiffness, damping, mass and places.
inline const std::string arm_variables = R"([variables.shoulder_stiffness]
quantity = "torsion_springs.shoulder.stiffness"
lower = 1.0
upper = 1000.0
[variables.elbow_damping]
quantity = "torsion_springs.elbow.damping"
lower = 0.01
upper = 10.0
[variables.forearm_mass]
quantity = "bodies.forearm.mass"
lower = 0.1
upper = 10.0
[variables.centre]
quantity = "bodies.forearm.centre_of_mass"
component = "x"
lower = 0.01
upper = 1.0
[variables.elbow]
quantity = "bodies.upper.markers.elbow.position"
component = "x"
lower = 0.1
upper = 1.0
)";

}  // namespace kurbel::test
