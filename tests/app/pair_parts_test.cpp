/// Bushings and stops: motions against closed forms, in every formulation alike, and gradients against differences.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "design_functions.hpp"

namespace kurbel {
namespace {

using test::functions_of;

/// A frame on a bushing that couples all six directions, and an arm hinged to it that falls onto the stops of its hinge.
std::string frame_and_arm(const std::string& formulation, const std::string& method, double h) {
  return fmt::format(R"(
formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[ground.markers.seat]
position = [0.1, 0.0, 0.5]
rotation = [0.1, -0.2, 0.3]
[bodies.frame]
type = "rigid"
mass = 2.0
inertia = [0.05, 0.06, 0.07]
initial.position = [0.12, 0.01, 0.48]
initial.rotation = [0.0, 0.0, 0.0]
markers.foot = {{ position = [0.02, 0.01, -0.01], rotation = [0.2, 0.1, 0.25] }}
markers.hinge.position = [0.2, 0.0, 0.0]
[bodies.arm]
type = "rigid"
mass = 0.5
centre_of_mass = [0.15, 0.0, 0.0]
inertia = [1e-3, 5e-3, 5e-3]
initial.position = [0.32, 0.01, 0.48]
initial.rotation = [0.0, 0.0, 0.0]
markers.tip.position = [0.3, 0.0, 0.05]
[joints.hinge]
type = "revolute"
from = "frame.hinge"
to = "arm"
[bushings.mount]
from = "ground.seat"
to = "frame.foot"
stiffness = [[900.0, 50.0, 0.0, 0.0, 4.0, 6.0],
             [50.0, 1100.0, 20.0, 3.0, 0.0, -5.0],
             [0.0, 20.0, 800.0, 0.0, 2.0, 0.0],
             [0.0, 3.0, 0.0, 20.0, 1.0, 0.0],
             [4.0, 0.0, 2.0, 1.0, 25.0, 2.0],
             [6.0, -5.0, 0.0, 0.0, 2.0, 30.0]]
damping = [8.0, 9.0, 7.0, 0.2, 0.3, 0.4]
[stops.elbow]
joint = "hinge"
dof = "rz"
lower = -0.25
upper = 0.2
stiffness = 30.0
damping = 0.05
smoothing = 0.1
[[objective]]
type = "relative-position"
marker = "arm.tip"
from = "frame.hinge"
target = [0.3, -0.05, 0.05]
form = "half-square"
time = "integral"
weight = 100.0
[constraints.criteria.angle]
type = "joint-angle"
joint = "hinge"
time = "instants"
intervals = 5
upper = 3.0
[constraints.criteria.energy]
type = "total-energy"
time = "mean"
upper = 90.0
scale = 1.0
[constraints.criteria.sway]
type = "relative-position"
marker = "frame"
from = "ground.seat"
component = "z"
time = "ks"
exponent = 30.0
upper = 1.0
scaling = "none"
[variables]
along = {{ quantity = "bushings.mount.stiffness", component = "tx", lower = 100.0, upper = 2000.0 }}
about = {{ quantity = "bushings.mount.stiffness", component = "rz", lower = 1.0, upper = 90.0 }}
coupled = {{ quantity = "bushings.mount.stiffness", component = "ty-rz", lower = -20.0, upper = 20.0 }}
damping = {{ quantity = "bushings.mount.damping", component = "ty", lower = 0.0, upper = 90.0 }}
stiff = {{ quantity = "stops.elbow.stiffness", lower = 1.0, upper = 90.0 }}
soft = {{ quantity = "stops.elbow.damping", lower = 0.0, upper = 1.0 }}
limit = {{ quantity = "stops.elbow.lower", lower = -0.5, upper = 0.0 }}
seat = {{ quantity = "ground.markers.seat.position", component = "y", lower = -0.1, upper = 0.1 }}
hinge = {{ quantity = "bodies.frame.markers.hinge.position", component = "x", lower = 0.1, upper = 0.3 }}
mass = {{ quantity = "bodies.arm.mass", lower = 0.1, upper = 1.0 }}
[integrator]
{}
t1 = 0.5
step = {}
)",
                     formulation, method, h);
}

struct Way {
  const char* formulation;
  const char* method;
};
const Way ways[] = {{"floating-frame", "method = \"generalized-alpha\"\nrho_inf = 0.9"},
                    {"semi-recursive", "method = \"trapezoidal\""},
                    {"natural-coordinates", "method = \"variational-midpoint\""},
                    {"hamiltonian", "method = \"runge-kutta-4\""},
                    {"joint-hamiltonian", "method = \"runge-kutta-4\""}};

class FrameAndArm : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Every, FrameAndArm, testing::ValuesIn(ways), [](const auto& info) {
  std::string name = info.param.formulation;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The steps have errors of second order at most.
TEST_P(FrameAndArm, MovesAsInFloatingFramesWithTheSameGradient) {
  const double h = 5e-4;
  const test::Functions a = functions_of(frame_and_arm(GetParam().formulation, GetParam().method, h)),
                        b = functions_of(frame_and_arm(ways[0].formulation, ways[0].method, h));
  for (Eigen::Index i = 0; i < b.values.size(); ++i) {
    EXPECT_NEAR(a.values[i], b.values[i], 1e-3 * std::max(1.0, std::abs(b.values[i]))) << i;
    const double size = b.gradients.row(i).norm();
    EXPECT_LE((a.gradients.row(i) - b.gradients.row(i)).norm(), 3e-3 * size) << i;
  }
}

TEST_P(FrameAndArm, HasGradientsOfDifferencesAlongRandomDirections) {
  test::ProgramOfText evaluated(frame_and_arm(GetParam().formulation, GetParam().method, 2e-3));
  const test::Functions at = test::functions_at(evaluated.nlp, evaluated.x);
  // The damping of a stop has second derivatives that jump at the limit and at the end of the smoothing. Differences over
  // which a step passes one of these are off by 1e-6 (differences of 5e-4) to 9e-6 (1e-3); those of 2.5e-4 agree to 4e-8.
  constexpr double difference = 2.5e-4, tolerance = 2e-7;
  for (int seed = 1; seed <= 2; ++seed) {
    const VectorXd d = VectorXd::NullaryExpr(
        evaluated.x.size(), [&](Eigen::Index i) { return std::sin(3.0 * seed + 7.0 * double(i)); });
    const VectorXd expected = test::differences(evaluated.nlp, evaluated.x, d, difference),
                   along = at.gradients * d;
    for (Eigen::Index j = 0; j < expected.size(); ++j) {
      const double size = std::max(1e-3, at.gradients.row(j).norm());
      EXPECT_NEAR(along[j], expected[j], tolerance * size)
          << j << ", relative " << std::abs(along[j] - expected[j]) / size;
    }
  }
}

/// The value of the only criterion.
double value_of(const std::string& text) {
  return functions_of(text).values[0];
}

/// A body on a bushing without coupling, displaced or turned, and what is seen of it at the end.
std::string on_bushing(const std::string& start, const std::string& observed, double t1) {
  return fmt::format(R"(
[bodies.block]
type = "rigid"
mass = 2.0
inertia = [0.02, 0.03, 0.04]
initial = {{ {} }}
[bushings.mount]
from = "ground"
to = "block"
stiffness = [200.0, 300.0, 400.0, 2.0, 3.0, 4.0]
damping = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
[objective]
{}
time = "final"
[variables.k]
quantity = "bushings.mount.stiffness"
component = "ty"
lower = 1.0
upper = 900.0
[integrator]
t1 = {}
step = {}
rho_inf = 1.0
)",
                     start, observed, t1, t1 / 2000.0);
}

// m x_ddot + d x_dot + k x = 0
TEST(Bushing, LetsABodyOscillateAsADampedSpringDoes) {
  const double m = 2.0, k = 200.0, d = 1.0, t = 0.7, delta = 0.5 * d / m,
               omega = std::sqrt(k / m - delta * delta);
  const double expected =
      0.01 * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  const std::string x = "type = \"position\"\nmarker = \"block\"\ncomponent = \"x\"";
  EXPECT_NEAR(value_of(on_bushing("position = [0.01, 0.0, 0.0]", x, t)), expected, 1e-7);
}

// J phi_ddot + k sin(phi) cos(phi) = 0 about an axis: with the potential k sin^2(phi) / 2. A quarter of its period is
// K(sin(a)) / sqrt(k / J) from the amplitude a on.
TEST(Bushing, TurnsABodyBackAsItsPotentialDoes) {
  const double J = 0.04, k = 4.0, a = 0.8;
  const double quarter = std::comp_ellint_1(std::sin(a)) / std::sqrt(k / J);
  const std::string yaw = "type = \"attitude\"\nbody = \"block\"\ncomponent = \"z\"";
  EXPECT_NEAR(value_of(on_bushing("rotation = [0.0, 0.0, 0.8]", yaw, quarter)), 0.0, 1e-6);
  EXPECT_NEAR(value_of(on_bushing("rotation = [0.0, 0.0, 0.8]", yaw, 2.0 * quarter)), -a, 1e-5);
}

/// A slider that flies against a stop.
std::string against_stop(double damping, const std::string& criterion, double t1) {
  return fmt::format(R"(
[bodies.slider]
type = "rigid"
mass = 0.5
inertia = [1e-3, 1e-3, 1e-3]
initial.velocity = [0.0, 0.0, 2.0]
initial.position = [0.0, 0.0, 0.0]
[joints.guide]
type = "prismatic"
from = "ground"
to = "slider"
[stops.end]
joint = "guide"
dof = "tz"
upper = 0.1
stiffness = 2e3
damping = {}
smoothing = 0.01
[objective]
{}
[variables.limit]
quantity = "stops.end.upper"
lower = 0.05
upper = 0.2
[integrator]
t1 = {}
step = 2e-5
rho_inf = 1.0
)",
                     damping, criterion, t1);
}

// m v^2 / 2 = k int_0^delta h: with delta beyond the smoothing, ((delta - w/2)^2 - w^2/4) / 2 + 0.15 w^2.
TEST(Stop, TakesTheEnergyOfABodyAndGivesItBack) {
  const double m = 0.5, v = 2.0, k = 2e3, w = 0.01;
  const double h = std::sqrt(m * v * v / k - 0.3 * w * w + 0.25 * w * w), deepest = 0.1 + h + 0.5 * w;
  const std::string highest =
      "type = \"position\"\nmarker = \"slider\"\ncomponent = \"z\"\ntime = \"p-norm\"\nexponent = 3000.0";
  // The p-norm over time is below the maximum by its exponent.
  EXPECT_NEAR(value_of(against_stop(0.0, highest, 0.1)), deepest, 5e-4);
  const std::string rebound = "type = \"velocity\"\nmarker = \"slider\"\ncomponent = \"z\"\ntime = \"final\"";
  EXPECT_NEAR(value_of(against_stop(0.0, rebound, 0.15)), -v, 1e-5);
  EXPECT_GT(value_of(against_stop(5.0, rebound, 0.15)), -0.95 * v);
}

/// A wheel that turns away from its only stop, in a formulation.
std::string away_from_stop(const std::string& formulation) {
  return fmt::format(R"(
formulation = "{}"
[bodies.wheel]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial.angular_velocity = [0.0, 0.0, -4.0]
[joints.hinge]
type = "revolute"
from = "ground"
to = "wheel"
[stops.end]
joint = "hinge"
upper = 0.2
stiffness = 50.0
smoothing = 0.05
[objective]
type = "kinetic-energy"
time = "final"
[variables.limit]
quantity = "stops.end.upper"
lower = 0.1
upper = 0.3
[integrator]
t1 = 1.0
step = 1e-3
)",
                     formulation);
}

// At half a turn from its limit the torque would jump: 0.2 - pi rad are reached after 0.735 s.
TEST(Stop, EndsAMotionThatPassesHalfATurnFromIt) {
  for (const char* formulation :
       {"floating-frame", "semi-recursive", "natural-coordinates", "joint-hamiltonian"}) {
    test::ProgramOfText evaluated(away_from_stop(formulation));
    Evaluation at;
    const Status status = evaluated.nlp.evaluate(evaluated.x, at);
    ASSERT_TRUE(status.failed()) << formulation;
    EXPECT_THAT(status.message(), testing::HasSubstr("the stop end passes half a turn from its only limit"));
    EXPECT_NEAR(status.failure().time, (std::numbers::pi - 0.2) / 4.0, 1e-3);
  }
}

// At the rebound's end the slider is where the limit sends it: z = 2 limit + const - v t.
TEST(Stop, SendsABodyBackLaterWhereItsLimitIsFarther) {
  const test::Functions f = functions_of(against_stop(
      0.0, "type = \"position\"\nmarker = \"slider\"\ncomponent = \"z\"\ntime = \"final\"", 0.15));
  constexpr double range = 0.15;  // of the variable, by which the optimizer's is scaled
  EXPECT_NEAR(f.gradients(0, 0), 2.0 * range, 1e-5);
}

}  // namespace
}  // namespace kurbel
