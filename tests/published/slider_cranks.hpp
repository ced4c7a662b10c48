/// @file
/// Slider-cranks with published numbers.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sid/sid.hpp"

namespace kurbel::test {

/// A slider-crank with a spring and a damper between the middles of crank and rod, pulled by a constant force, from rest. The
/// data are those of the example idasSlCrank_FSA_dns of SUNDIALS (R. Serban, C. Petra), after E. J. Haug, Computer Aided
/// Kinematics and Dynamics of Mechanical Systems, vol. I (1989). Its rod carries the mass of the slider.
/// psi = int T dt over 10 s.
inline const std::string sprung_slider_crank = R"(formulation = "joint-hamiltonian"
gravity = [0.0, 0.0, 0.0]
[integrator]
method = "runge-kutta-4"
t1 = 10.0
step = 0.005
[bodies.crank]
type = "rigid"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
initial.rotation = [0.0, 0.0, 1.5707963267948966]
markers.pin.position = [0.5, 0.0, 0.0]
markers.middle.position = [0.25, 0.0, 0.0]
[bodies.rod]
type = "rigid"
mass = 1.0
inertia = [2.0, 2.0, 2.0]
initial.position = [0.86602540378443865, 0.0, 0.0]
initial.rotation = [0.0, 0.0, -0.52359877559829887]
markers.pin.position = [-1.0, 0.0, 0.0]
markers.middle.position = [-0.5, 0.0, 0.0]
markers.end.position = [1.0, 0.0, 0.0]
[ground.markers.guide]
rotation = [0.0, 1.5707963267948966, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod.pin"
[joints.slider]
type = "in-line"
from = "rod"
to = "ground.guide"
[springs.middle]
from = "crank.middle"
to = "rod.middle"
stiffness = 1.0
damping = 1.0
free_length = 1.0
[loads.pull]
marker = "rod.end"
force = [1.0, 0.0, 0.0]
[variables.stiffness]
quantity = "springs.middle.stiffness"
lower = 0.5
upper = 1.5
[variables.damping]
quantity = "springs.middle.damping"
lower = 0.5
upper = 1.5
[objective]
type = "kinetic-energy"
time = "integral"
)";

/// The elastic rod of B. Simeon's planar slider-crank: two sines across and a quadratic bar along the chord, 4 elastic
/// coordinates. The data are those of the problem "Slider crank" of the Test Set for Initial Value Problem Solvers, release
/// 2.4, which have (8, 1; 1, 2) rho A L as the mass of the bar.
inline Sid elastic_rod() {
  constexpr double rho = 7870.0, modulus = 0.2e12, side = 0.008, length = 0.3, pi = 3.1415927;
  constexpr double volume = side * side * length, bending = (side / length) * (side / length);
  constexpr Eigen::Index n = 4;
  const auto axis = [](Eigen::Index k) { return Vector3d::Unit(k < 2 ? 1 : 0).eval(); };
  const Eigen::Vector4d moved = rho * volume * Eigen::Vector4d(2.0 / pi, 0.0, 2.0 / 3.0, 1.0 / 6.0),
                        turned = rho * volume * length *
                                 Eigen::Vector4d(1.0 / pi, -0.5 / pi, 1.0 / 3.0, 1.0 / 6.0);
  Sid sid = Sid::zeros({"q1", "q2", "q3", "q4"}, {"slider"});
  sid.refmod.mass = 0.151104;
  sid.mdCM.M0 = Vector3d(0.5 * length * sid.refmod.mass, 0.0, 0.0);
  sid.J.M0.diagonal() << 1e-6, 0.0045339259, 0.0045339259;
  sid.Me.M0 << 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 8.0, 1.0, 0.0, 0.0, 1.0, 2.0;
  sid.Me.M0 *= rho * volume;
  sid.Ke.M0 << std::pow(pi, 4) / 24.0 * bending, 0.0, 0.0, 0.0,  //
      0.0, std::pow(pi, 4) * 2.0 / 3.0 * bending, 0.0, 0.0,      //
      0.0, 0.0, 16.0 / 3.0, -8.0 / 3.0,                          //
      0.0, 0.0, -8.0 / 3.0, 7.0 / 3.0;
  sid.Ke.M0 *= modulus * side * side / length;
  // int rho a b over all pairs of shapes; those along and across are coupled where the rod turns.
  MatrixXd products = sid.Me.M0;
  products(0, 2) = products(2, 0) = rho * volume * 16.0 / std::pow(pi, 3);
  products(0, 3) = products(3, 0) = rho * volume * (1.0 / pi - 8.0 / std::pow(pi, 3));
  products(1, 3) = products(3, 1) = rho * volume * -0.5 / pi;
  // Integrals of shapes a and b are G = int rho a b^T; of the undeformed rod, a = r.
  const auto inertia = [](const Matrix3d& G) {
    return (G.trace() * Matrix3d::Identity() - G.transpose()).eval();
  };
  const auto centrifugal = [](const Matrix3d& G) {  // on (w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3)
    const double t = G.trace();
    return Eigen::RowVector<double, 6>(G(0, 0) - t, G(1, 1) - t, G(2, 2) - t, G(0, 1) + G(1, 0),
                                       G(1, 2) + G(2, 1), G(0, 2) + G(2, 0));
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const Matrix3d G = turned[k] * Vector3d::UnitX() * axis(k).transpose();
    sid.Ct.M0.row(k) = moved[k] * axis(k).transpose();
    sid.mdCM.M1[k] = moved[k] * axis(k);
    sid.Cr.M0.row(k) = turned[k] * Vector3d::UnitX().cross(axis(k)).transpose();
    sid.J.M1[k] = inertia(G) + inertia(G).transpose();
    sid.Gr.M0.middleCols(3 * k, 3) = 2.0 * inertia(G);
    sid.Oe.M0.row(k) = centrifugal(G);
    for (Eigen::Index l = 0; l < n; ++l) {
      const Matrix3d H = products(k, l) * axis(l) * axis(k).transpose();
      const Vector3d turning = products(k, l) * axis(l).cross(axis(k));
      sid.J.Mn[n * k + l] = 0.5 * (inertia(H) + inertia(H).transpose());
      sid.Cr.M1[l].row(k) = turning.transpose();
      sid.Ge.M0.row(k).segment(3 * l, 3) = 2.0 * turning.transpose();
      sid.Gr.M1[l].middleCols(3 * k, 3) = 2.0 * inertia(H);
      sid.Oe.M1[l].row(k) = centrifugal(H);
    }
  }
  SidNode& slider = sid.frame.front();
  slider.origin.M0 = Vector3d(length, 0.0, 0.0);
  slider.phi.M0(0, 3) = 1.0;
  slider.origin.M1[3] = Vector3d::UnitX();
  slider.AP.M0.setIdentity();
  return sid;
}

/// The mechanism with that rod, its crank at a constant rate.
/// @param file  of the rod's SID
inline std::string elastic_slider_crank(const std::string& file, int steps) {
  return fmt::format(R"(gravity = [0.0, 0.0, 0.0]
[integrator]
t1 = 0.1
step = {}
rho_inf = 1.0
newton_tolerance = 1e-12
[bodies.crank]
type = "rigid"
mass = 0.36
centre_of_mass = [0.075, 0.0, 0.0]
inertia = [7.02e-4, 7.02e-4, 7.02e-4]
initial.angular_velocity = [0.0, 0.0, 150.0]
markers.pin.position = [0.15, 0.0, 0.0]
[bodies.rod]
type = "sid"
file = "{}"
[bodies.rod.initial]
position = [0.15, 0.0, 0.0]
velocity = [0.0, 22.5, 0.0]
angular_velocity = [0.0, 0.0, -74.9957670]
q = [0.0, 0.0, 0.103339863e-4, 0.169327969e-4]
q_dot = [0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5]
[bodies.slider]
type = "rigid"
mass = 0.075552
inertia = [1e-5, 1e-5, 1e-5]
initial.position = [0.450016933, 0.0, 0.0]
[ground.markers.guide]
rotation = [0.0, 1.5707963267948966, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
drive = {{ dof = "rz", type = "constant-rate", rate = 150.0 }}
[joints.crank_pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.pin]
type = "revolute"
from = "rod.slider"
to = "slider"
[joints.guide]
type = "in-line"
from = "slider"
to = "ground.guide"
[outputs.turned]
type = "attitude"
body = "rod"
axes = ["z"]
[outputs.slider]
type = "position"
marker = "slider"
axes = ["x"]
[objective]
type = "position"
marker = "slider"
component = "x"
time = "final"
)",
                     0.1 / steps, file);
}

}  // namespace kurbel::test
