/// @file
/// Mechanisms whose motions are elliptic functions.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/types.hpp"

namespace kurbel::test {

/// The place x in [lower, upper] where an increasing function has a value.
template <class F>
double inverse(const F& function, double value, double lower, double upper) {
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (lower + upper);
    (function(middle) < value ? lower : upper) = middle;
  }
  return 0.5 * (lower + upper);
}

/// Problem A01 of the same library as below: a point of 1 kg at 1 m from its bearing falls from (-1 m, 0) for 10 s. With the angle a
/// from the lowest place sin(a / 2) = k cd(sqrt(g / l) t; k), k = sin(45 deg); the place at the end, by mpmath:
constexpr std::array<double, 2> simple_pendulum_end = {-0.27508746257611686, -0.96141920509912506};

inline std::string simple_pendulum(const char* formulation, const char* method, double step) {
  return fmt::format(R"(formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[integrator]
method = "{}"
t1 = 10.0
step = {}
[bodies.pendulum]
type = "rigid"
mass = 1.0
centre_of_mass = [1.0, 0.0, 0.0]
inertia = [1e-12, 1e-12, 1e-12]
initial.rotation = [0.0, 0.0, 3.141592653589793]
markers.mass.position = [1.0, 0.0, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "pendulum"
[outputs.mass]
type = "position"
marker = "pendulum.mass"
axes = ["x", "y"]
[objective]
type = "kinetic-energy"
time = "final"
)",
                     formulation, method, step);
}

/// Problem A02 of the library of computational benchmarks of M. Gonzalez, D. Dopico, U. Lugris and J. Cuadrado (Multibody
/// System Dynamics 16, 2006) for N = 2: three upright links and two couplers of 1 m and 1 kg, which start with 1 m/s and turn
/// over. All links turn alike: with the angle a from the upright, a'^2 = 1 + n sin^2(a / 2).
struct FourBars {
  /// A way to integrate them, and its error after 10 s.
  struct Way {
    const char *formulation, *method;
    double step, tolerance;
  };
  static constexpr Way ways[] = {{"joint-hamiltonian", "runge-kutta-4", 0.01, 1e-6},
                                 {"semi-recursive", "trapezoidal", 0.01, 1e-3},
                                 {"natural-coordinates", "variational-midpoint", 0.005, 1e-3}};

  static constexpr double n = 4.0 / 3.0 * 3.5 * 9.81;

  /// Time from the start to an angle.
  static double time(double angle) {
    const double k = std::sqrt(n / (1.0 + n));
    return 2.0 / std::sqrt(1.0 + n) * (std::comp_ellint_1(k) - std::ellint_1(k, 0.5 * (EIGEN_PI - angle)));
  }
  static double angle(double t) {
    return inverse([](double a) { return time(a); }, t, 0.0, 100.0);
  }
};

inline std::string two_four_bars(const char* formulation, const char* method, double step) {
  std::string text = fmt::format(R"(formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[integrator]
method = "{}"
t1 = 10.0
step = {}
)",
                                 formulation, method, step);
  for (int i = 0; i < 3; ++i) {
    text += fmt::format(R"([ground.markers.A{0}]
position = [{0}.0, 0.0, 0.0]
[bodies.link{0}]
type = "rigid"
mass = 1.0
centre_of_mass = [0.0, 0.5, 0.0]
inertia = [0.083333333333333333, 1e-3, 0.083333333333333333]
initial.position = [{0}.0, 0.0, 0.0]
initial.angular_velocity = [0.0, 0.0, -1.0]
markers.B.position = [0.0, 1.0, 0.0]
[joints.A{0}]
type = "revolute"
from = "ground.A{0}"
to = "link{0}"
)",
                        i);
  }
  for (int i = 0; i < 2; ++i) {
    text += fmt::format(R"([bodies.coupler{0}]
type = "rigid"
mass = 1.0
centre_of_mass = [0.5, 0.0, 0.0]
inertia = [1e-3, 0.083333333333333333, 0.083333333333333333]
initial.position = [{0}.0, 1.0, 0.0]
initial.velocity = [1.0, 0.0, 0.0]
markers.B.position = [1.0, 0.0, 0.0]
[joints.left{0}]
type = "revolute"
from = "link{0}.B"
to = "coupler{0}"
[joints.right{0}]
type = "revolute"
from = "coupler{0}.B"
to = "link{1}.B"
)",
                        i, i + 1);
  }
  return text + R"([outputs.B0]
type = "position"
marker = "link0.B"
axes = ["x", "y"]
[objective]
type = "kinetic-energy"
time = "final"
)";
}

/// The top of O. Brüls and A. Cardona (Journal of Computational and Nonlinear Dynamics 5, 2010): 15 kg at 1 m from a ball joint,
/// its axis level at the start, 150 rad/s about it.
struct HeavyTop {
  static constexpr double mass = 15.0, arm = 1.0, about_axis = 0.46875, across = 0.234375 + mass * arm * arm,
                          spin = 150.0, precession = -4.61538;

  /// Height of the centre of mass, u arm. The integrals of energy and angular momentum give, with roots u1 < 0 < u3,
  ///     u'^2 = beta u (u - u1) (u - u3),  u = u1 - u1 sn^2( K(k) - sqrt(beta (u3 - u1)) t / 2; k ),  k^2 = -u1 / (u3 - u1)
  double height(double t) const {
    const double a = about_axis * spin / across, b = precession, beta = 2.0 * mass * 9.81 * arm / across;
    const double p = b * b + a * a, q = 2.0 * a * b - beta;  // beta u^2 - p u + q
    const double root = std::sqrt(p * p - 4.0 * beta * q);
    const double u1 = (p - root) / (2.0 * beta), u3 = (p + root) / (2.0 * beta);
    const double k = std::sqrt(-u1 / (u3 - u1));
    const double phase = std::comp_ellint_1(k) - 0.5 * std::sqrt(beta * (u3 - u1)) * t;
    const double amplitude = inverse([k](double x) { return std::ellint_1(k, x); }, phase, -1000.0, 1000.0);
    const double sn = std::sin(amplitude);
    return arm * u1 * (1.0 - sn * sn);
  }
};

inline const std::string heavy_top = R"(formulation = "joint-hamiltonian"
gravity = [0.0, 0.0, -9.81]
[integrator]
method = "runge-kutta-4"
t1 = 1.0
step = 1e-4
[bodies.top]
type = "rigid"
mass = 15.0
centre_of_mass = [0.0, 1.0, 0.0]
inertia = [0.234375, 0.46875, 0.234375]
initial.angular_velocity = [0.0, 150.0, -4.61538]
markers.centre.position = [0.0, 1.0, 0.0]
[joints.tip]
type = "spherical"
from = "ground"
to = "top"
[outputs.centre]
type = "position"
marker = "top.centre"
axes = ["z"]
[objective]
type = "kinetic-energy"
time = "final"
)";

}  // namespace kurbel::test
