/// A slider-crank in every formulation that represents it: same motion and same gradient, to O(h^2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "disagreement.hpp"

namespace kurbel {
namespace {

/// A planar slider-crank of rigid bodies and four plain joints, two of whose constraints are redundant; a torque
/// that is found turns it against a spring and its weight. Its steps are those of `method`.
std::string slider_crank(const std::string& formulation, const std::string& method, double h) {
  const double r = 0.15, l = 0.4, angle = 1.0, tilt = -std::asin(r * std::sin(angle) / l);
  const double pin_x = r * std::cos(angle), pin_y = r * std::sin(angle), end = pin_x + l * std::cos(tilt);
  return fmt::format(R"(
formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[bodies.crank]
type = "rigid"
mass = 0.6
centre_of_mass = [0.05, 0.0, 0.0]
inertia = [1e-3, 2e-3, 3e-3]
initial.rotation = [0.0, 0.0, {}]
initial.angular_velocity = [0.0, 0.0, 6.0]
markers.pin.position = [0.15, 0.0, 0.0]
[bodies.rod]
type = "rigid"
mass = 0.4
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [1e-3, 6e-3, 6e-3]
initial.position = [{}, {}, 0.0]
initial.rotation = [0.0, 0.0, {}]
markers.end.position = [0.4, 0.0, 0.0]
[bodies.slider]
type = "rigid"
mass = 0.8
inertia = [1e-3, 1e-3, 1e-3]
initial.position = [{}, 0.0, 0.0]
markers.guide.rotation = [0.0, 1.5707963267948966, 0.0]
[ground.markers.guide]
rotation = [0.0, 1.5707963267948966, 0.0]
[ground.markers.wall]
position = [0.9, 0.1, 0.0]
[joints]
bearing = {{ type = "revolute", from = "ground", to = "crank", damping = 0.02 }}
pin = {{ type = "revolute", from = "crank.pin", to = "rod" }}
slider_pin = {{ type = "revolute", from = "rod.end", to = "slider" }}
guide = {{ type = "prismatic", from = "ground.guide", to = "slider.guide" }}
[springs.wall]
from = "ground.wall"
to = "slider"
stiffness = 80.0
damping = 2.0
free_length = 0.4
[controls.motor]
type = "torque"
joint = "bearing"
nodes = 4
start = [0.5, -0.5, 1.0, 0.2]
[outputs.end]
type = "position"
marker = "rod.end"
[[objective]]
type = "output"
output = "end"
target = [0.4, 0.0, 0.0]
form = "half-square"
time = "integral"
[[objective]]
type = "velocity"
marker = "slider"
component = "x"
time = "final"
weight = 0.2
[constraints.criteria.seen_from_the_rod]
type = "relative-position"
marker = "crank.pin"
from = "slider"
component = "y"
time = "mean"
upper = 1.0
scale = 1.0
[constraints.criteria.energy]
type = "total-energy"
time = "mean"
upper = 9.0
scale = 1.0
[constraints.criteria.turn]
type = "joint-rate"
joint = "bearing"
time = "p-norm"
exponent = 4.0
upper = 90.0
scaling = "none"
[constraints.criteria.way]
type = "position"
marker = "crank.pin"
component = "y"
time = "instants"
intervals = 4
upper = 1.0
[variables.mass]
quantity = "bodies.rod.mass"
lower = 0.1
upper = 1.0
[variables.crank]
quantity = "bodies.crank.markers.pin.position"
component = "x"
lower = 0.1
upper = 0.2
[variables.stiffness]
quantity = "springs.wall.stiffness"
lower = 10.0
upper = 200.0
[variables.damping]
quantity = "joints.bearing.damping"
lower = 0.0
upper = 0.1
[variables.wall]
quantity = "ground.markers.wall.position"
component = "x"
lower = 0.8
upper = 1.0
[integrator]
{}
t1 = 0.6
step = {}
)",
                     formulation, angle, pin_x, pin_y, tilt, end, method, h);
}

TEST(Formulations, AgreeOnMotionAndGradientOfASliderCrank) {
  const auto in_frames = [](double h) {
    return test::functions_of(
        slider_crank("floating-frame", "method = \"generalized-alpha\"\nrho_inf = 0.9", h));
  };
  const test::Functions coarse = in_frames(1e-3), fine = in_frames(5e-4);
  for (const auto& [formulation, method] :
       {std::pair("semi-recursive", "method = \"trapezoidal\""),
        std::pair("natural-coordinates", "method = \"variational-midpoint\"")}) {
    SCOPED_TRACE(formulation);
    test::expect_order_2(
        test::disagreement(coarse, test::functions_of(slider_crank(formulation, method, 1e-3))),
        test::disagreement(fine, test::functions_of(slider_crank(formulation, method, 5e-4))));
  }
}

}  // namespace
}  // namespace kurbel
