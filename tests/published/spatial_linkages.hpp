/// @file
/// Spatial mechanisms of the library of computational benchmarks of M. Gonzalez, D. Dopico, U. Lugris and J. Cuadrado (Multibody
/// System Dynamics 16, 2006). Its solutions are plots and files of points. What these mechanisms are compared with here are the
/// equations below, in as few coordinates as they have, integrated to 1e-12 by other programs (SciPy, Radau and DOP853).
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <tuple>

namespace kurbel::test {

/// Problem A05, a stiff governor: on a shaft that turns freely, at first with one turn per second, slides a block of 3 kg, which
/// stiff springs with dampers hang on the middles of two rods with 5 kg at their ends. With the height s of the slider, the
/// angle b of both rods below the horizontal and the moment of inertia I(b) about the shaft, whose angular momentum
/// H = I w remains,
///     2 J b'' = I'(b) w^2 / 2 + 2 g cos(b) (0.3 / 2 + 5) - 2 F l_b,    3 s'' = -3 g - 2 F l_s,    F = k (l - 0.5) + c l'
///     l^2 = (cos(b) / 2)^2 + (1 - sin(b) / 2 - s)^2
struct Governor {
  double t, s, w;
};
constexpr std::array<Governor, 2> governor = {
    {{1.0, 0.501420922380, 6.271125741877}, {10.0, 0.619622917061, 5.548203622655}}};

/// @param integrator  the keys of its table
inline std::string governor_text(const char* formulation, const std::string& integrator) {
  std::string text = fmt::format(R"(formulation = "{}"
gravity = [0.0, 0.0, -9.81]
[integrator]
{}
[bodies.shaft]
type = "rigid"
mass = 0.3
inertia = [0.0250025, 0.0250025, 5e-6]
initial.position = [0.0, 0.0, 0.5]
initial.angular_velocity = [0.0, 0.0, 6.283185307179586]
markers.foot.position = [0.0, 0.0, -0.5]
[joints.bearing]
type = "revolute"
from = "ground"
to = "shaft.foot"
[bodies.slider]
type = "rigid"
mass = 3.0
inertia = [0.005, 0.005, 0.005]
initial.position = [0.0, 0.0, 0.5]
initial.angular_velocity = [0.0, 0.0, 6.283185307179586]
[joints.guide]
type = "prismatic"
from = "shaft"
to = "slider"
[outputs.s]
type = "position"
marker = "slider"
axes = ["z"]
[outputs.w]
type = "joint-rate"
joint = "bearing"
[objective]
type = "kinetic-energy"
time = "final"
)",
                                 formulation, integrator);
  // A rod with its point mass.
  constexpr double rod = 0.3, end = 5.0, mass = rod + end, centre = (0.5 * rod + end) / mass,
                   across = 0.0250025 + rod * (centre - 0.5) * (centre - 0.5) +
                            end * (1.0 - centre) * (1.0 - centre);
  for (const auto& [name, x, speed, turned, about_axis] :
       {std::tuple{"right", 0.05, 0.3141592653589793, 0.5235987755982988, 5.441398092702653},
        std::tuple{"left", -0.05, -0.3141592653589793, 2.6179938779914944, -5.441398092702653}}) {
    text += fmt::format(R"([bodies.shaft.markers.{0}]
position = [{1}, 0.0, 0.5]
rotation = [-1.5707963267948966, 0.0, 0.0]
[bodies.slider.markers.{0}]
position = [{1}, 0.0, 0.0]
[bodies.{0}]
type = "rigid"
mass = {4}
centre_of_mass = [{5}, 0.0, 0.0]
inertia = [5e-6, {6}, {6}]
initial.position = [{1}, 0.0, 1.0]
initial.rotation = [0.0, {3}, 0.0]
initial.velocity = [0.0, {2}, 0.0]
initial.angular_velocity = [-3.141592653589793, 0.0, {7}]
markers.pivot.rotation = [-1.5707963267948966, 0.0, 0.0]
markers.middle.position = [0.5, 0.0, 0.0]
[joints.{0}]
type = "revolute"
from = "shaft.{0}"
to = "{0}.pivot"
[springs.{0}]
from = "slider.{0}"
to = "{0}.middle"
stiffness = 8e5
damping = 4e4
free_length = 0.5
)",
                        name, x, speed, turned, mass, centre, across, about_axis);
  }
  return text;
}

/// Problem A04, Bricard's mechanism: five bars of 1 kg and 1 m with a section of 0.1 m x 0.1 m and the frame, along the edges of a
/// cube, with six hinges, each across both of its bars. Six hinges leave six bars no freedom in general, but these move: turned
/// by a, b, a, b, a, b from the cube they close with
///     (1 + sin a) (1 + sin b) = 1
/// With the length of the way along this curve, a'^2 + b'^2 = u^2, energy m(a, b) u^2 / 2 + V(a, b) gives the motion from rest,
/// and P3, the end of the third bar.
struct Bricard {
  double t;
  std::array<double, 3> P3;
};
constexpr std::array<Bricard, 3> bricard = {{{1.0, {0.510501461187, -1.649167599395, 0.140123114553}},
                                             {3.0, {-0.967199800049, -1.228020214674, 0.745983176176}},
                                             {10.0, {0.999999963806, -1.000269012696, 0.999730951120}}}};

/// @param integrator  the keys of its table
inline std::string bricard_text(const char* formulation, const std::string& integrator) {
  constexpr std::array<std::array<int, 3>, 6> corners = {
      {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
  constexpr std::array<const char*, 3> hinges = {"-1.5707963267948966, 0.0, 0.0", "0.0, 0.0, 0.0",
                                                 "0.0, 1.5707963267948966, 0.0"};
  constexpr std::array<const char*, 3> inertias = {
      "0.0016666666666666668, 0.08416666666666667, 0.08416666666666667",
      "0.08416666666666667, 0.0016666666666666668, 0.08416666666666667",
      "0.08416666666666667, 0.08416666666666667, 0.0016666666666666668"};
  std::string text = fmt::format(R"(formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[integrator]
{}
[ground.markers.first]
rotation = [{}]
[ground.markers.last]
position = [0.0, 0.0, 1.0]
rotation = [{}]
)",
                                 formulation, integrator, hinges[0], hinges[2]);
  std::string from = "ground.first";
  for (std::size_t i = 0; i < 5; ++i) {
    std::array<int, 3> along;
    std::size_t axis = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      along[j] = corners[i + 1][j] - corners[i][j];
      if (along[j]) axis = j;
    }
    text += fmt::format(R"([bodies.bar{0}]
type = "rigid"
mass = 1.0
centre_of_mass = [{1}, {2}, {3}]
inertia = [{4}]
initial.position = [{5}.0, {6}.0, {7}.0]
markers.begin.rotation = [{8}]
markers.end.position = [{9}.0, {10}.0, {11}.0]
markers.end.rotation = [{12}]
[joints.hinge{0}]
type = "revolute"
from = "{13}"
to = "bar{0}.begin"
)",
                        i + 1, 0.5 * along[0], 0.5 * along[1], 0.5 * along[2], inertias[axis], corners[i][0],
                        corners[i][1], corners[i][2], hinges[i % 3], along[0], along[1], along[2],
                        hinges[(i + 1) % 3], from);
    from = fmt::format("bar{}.end", i + 1);
  }
  return text + R"([joints.last]
type = "revolute"
from = "bar5.end"
to = "ground.last"
[outputs.P3]
type = "position"
marker = "bar3.end"
[objective]
type = "kinetic-energy"
time = "final"
)";
}

/// The spatial rigid slider-crank mechanism of the library of multibody benchmarks of IFToMM: a crank of 80 mm that turns about x at
/// 6 rad/s at first, a rod of 0.3 m with a ball joint at the crank and a universal joint at the slider, whose cross has one pin
/// along the way of the slider and one across the rod. With the angle a of the crank from z, and the rod R(a) that
///     B = (0, 0.1 - 0.08 sin a, 0.12 + 0.08 cos a),    C = (x, 0, 0),    |C - B| = 0.3,    d = (C - B) / 0.3
///     R = [d, e, d x e],    e = (1, 0, 0) x d / |(1, 0, 0) x d|
/// give, m(a) a'^2 / 2 + V(a) remains, and t = int da / a'. This quadrature of SciPy, to 1e-13, is `x`; `published` are places of
/// the slider that M. Gonzalez submitted to the library (kept with Exudyn's verification, in six to nine digits).
struct SpatialSliderCrank {
  double t, x, published;
};
constexpr std::array<SpatialSliderCrank, 4> spatial_slider_crank = {{{0.2, 0.263038972581, 0.263034975},
                                                                     {0.5, 0.184952629778, 0.184952803},
                                                                     {1.0, 0.211721661393, 0.211754668},
                                                                     {5.0, 0.240719573730, 0.240761815}}};

/// @param integrator  the keys of its table
inline std::string spatial_slider_crank_text(const char* formulation, const std::string& integrator) {
  // The rod's frame has the axes of the inertial frame at first. Its moments of inertia are 4e-4 kg m^2 along and 4e-3 across it.
  // Axes y of the cross: along the way of the slider, x across the rod.
  return fmt::format(R"(formulation = "{}"
gravity = [0.0, 0.0, -9.81]
[integrator]
{}
[ground.markers.A]
position = [0.0, 0.1, 0.12]
rotation = [0.0, 1.5707963267948966, 0.0]
[ground.markers.guide]
rotation = [0.0, 1.5707963267948966, 0.0]
[bodies.crank]
type = "rigid"
mass = 0.12
centre_of_mass = [0.0, 0.0, 0.04]
inertia = [1e-4, 1e-4, 1e-5]
initial.position = [0.0, 0.1, 0.12]
initial.angular_velocity = [6.0, 0.0, 0.0]
markers.A.rotation = [0.0, 1.5707963267948966, 0.0]
markers.B.position = [0.0, 0.0, 0.08]
[bodies.rod]
type = "rigid"
mass = 0.5
centre_of_mass = [0.1, -0.05, -0.1]
inertia = [2.4e-3, 3.6e-3, 2.4e-3, 8e-4, 1.6e-3, -8e-4]
initial.position = [0.0, 0.1, 0.2]
initial.velocity = [0.0, -0.48, 0.0]
initial.angular_velocity = [1.92, -0.96, 0.48]
markers.C.position = [0.2, -0.1, -0.2]
markers.C.rotation = [1.9634981493006531, 1.9634981493006531, -0.4635190369299853]
[bodies.slider]
type = "rigid"
mass = 2.0
inertia = [1e-4, 1e-4, 1e-4]
initial.position = [0.2, 0.0, 0.0]
initial.velocity = [0.24, 0.0, 0.0]
markers.guide.rotation = [0.0, 1.5707963267948966, 0.0]
markers.C.rotation = [1.9634981493006531, 1.9634981493006531, -0.4635190369299853]
[joints.bearing]
type = "revolute"
from = "ground.A"
to = "crank.A"
[joints.ball]
type = "spherical"
from = "crank.B"
to = "rod"
[joints.cross]
type = "universal"
from = "rod.C"
to = "slider.C"
[joints.guide]
type = "prismatic"
from = "ground.guide"
to = "slider.guide"
[outputs.x]
type = "position"
marker = "slider"
axes = ["x"]
[objective]
type = "kinetic-energy"
time = "final"
)",
                     formulation, integrator);
}

}  // namespace kurbel::test
