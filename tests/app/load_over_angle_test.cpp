/// Loads over the angle of a joint that no drive turns: against the springs that they are, and against differences.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "design_functions.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

/// A double pendulum in a plane, with something in its elbow.
std::string pendulum(const std::string& formulation, const std::string& integrator,
                     const std::string& elbow) {
  return fmt::format(R"(
formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[bodies.upper]
type = "rigid"
mass = 1.0
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [1e-3, 2e-2, 2e-2]
markers.elbow.position = [0.4, 0.0, 0.0]
[bodies.lower]
type = "rigid"
mass = 0.6
centre_of_mass = [0.15, 0.02, 0.0]
inertia = [1e-3, 1e-2, 1e-2]
markers.hand.position = [0.3, 0.0, 0.0]
initial.position = [0.4, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 0.5]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper"
[joints.elbow]
type = "revolute"
from = "upper.elbow"
to = "lower"
{}
[[objective]]
type = "position"
marker = "lower.hand"
component = "y"
time = "integral"
[constraints.criteria.angle]
type = "joint-angle"
joint = "elbow"
time = "final"
upper = 3.0
[variables]
length = {{ quantity = "bodies.upper.markers.elbow.position", component = "x", lower = 0.3, upper = 0.5 }}
beside = {{ quantity = "bodies.upper.markers.elbow.position", component = "y", lower = -0.1, upper = 0.1 }}
mass = {{ quantity = "bodies.lower.mass", lower = 0.3, upper = 1.0 }}
[integrator]
{}
t1 = 0.5
step = 2.5e-3
)",
                     formulation, elbow, integrator);
}

const char* const spring = R"(
[torsion_springs.elbow]
from = "upper.elbow"
to = "lower"
stiffness = 2.0
)";

/// The torque of that spring on both bodies.
std::string as_loads(const std::string& angles = "[-3.0, 3.0]") {
  const auto on = [&](const char* name, const char* values) {
    return fmt::format(
        "[loads.{0}]\nmarker = \"{0}\"\nframe = \"body\"\ntorque = [0.0, 0.0, {{ type = \"table\", joint = "
        "\"elbow\", angle = {1}, values = {2}, beyond = \"hold\", interpolation = \"linear\" }}]\n",
        name, angles, values);
  };
  return on("lower", "[6.0, -6.0]") + on("upper", "[-6.0, 6.0]");
}

struct Way {
  const char* formulation;
  const char* integrator;
};
const Way ways[] = {{"floating-frame", "method = \"generalized-alpha\"\nrho_inf = 0.9"},
                    {"semi-recursive", "method = \"trapezoidal\""},
                    {"hamiltonian", "method = \"runge-kutta-4\""},
                    {"joint-hamiltonian", "method = \"runge-kutta-4\""}};

class LoadsOfASpring : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Every, LoadsOfASpring, testing::ValuesIn(ways), [](const auto& info) {
  std::string name = info.param.formulation;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The equations are the same, so that Newton's tolerance is all that is between the two.
TEST_P(LoadsOfASpring, MoveAsItDoesWithTheSameGradient) {
  const auto functions = [&](const std::string& elbow) {
    test::ProgramOfText program(pendulum(GetParam().formulation, GetParam().integrator, elbow));
    return test::functions_at(program.nlp, program.x);
  };
  const test::Functions a = functions(as_loads()), b = functions(spring), without = functions("");
  EXPECT_LT((a.values - b.values).norm(), 1e-8 * b.values.norm());
  EXPECT_LT((a.gradients - b.gradients).norm(), 1e-7 * b.gradients.norm());
  EXPECT_GT((without.values - b.values).norm(), 1e-2 * b.values.norm()) << "it matters";
}

/// A flexible arm swings about its bearing while a force over the angle of the bearing pulls at its tip.
const char* const arm = R"(
[bodies.arm]
type = "flexible"
mesh = { shape = "rectangle", origin = [0.0, -0.02], size = [0.3, 0.04], divisions = [12, 3], thickness = 0.004 }
material = { youngs_modulus = 2e9, poisson_ratio = 0.33, density = 1200.0 }
clamp.x = 0.0
markers.tip.x = 0.3
modes.normal = 2
[joints.hub]
type = "revolute"
from = "ground"
to = "arm"
[loads.pull]
marker = "arm.tip"
frame = "body"
force = [0.0, { type = "table", joint = "hub", angle = "[0, 60, 120, 180] deg", values = [1.0, 3.0, -2.0, 1.0], beyond = "repeat" }, 0.0]
[objective]
type = "integral-compliance"
body = "arm"
[constraints.criteria.deflection]
type = "displacement"
marker = "arm.tip"
component = "y"
time = "mean"
upper = 1.0
scaling = "none"
[design]
start = 0.6
[integrator]
t1 = 0.2
step = 4e-3
)";

TEST(LoadOverAngle, HasGradientsByDensitiesOfDifferences) {
  test::ProgramOfText program(arm);
  const test::Functions at = test::functions_at(program.nlp, program.x);
  const VectorXd d =
      VectorXd::NullaryExpr(program.x.size(), [](Eigen::Index i) { return std::sin(3.0 + 7.0 * double(i)); });
  const VectorXd expected = test::differences(program.nlp, program.x, d, 2e-2), along = at.gradients * d;
  for (Eigen::Index j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(along[j], expected[j], 1e-6 * at.gradients.row(j).norm()) << j;
}

TEST(LoadOverAngle, EndsWhereItWouldJump) {
  test::ProgramOfText program(pendulum("floating-frame", "rho_inf = 0.9", as_loads("[3.2, 3.4]")));
  Evaluation at;
  const Status status = program.nlp.evaluate(program.x, at);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), HasSubstr("passes half a turn from the middle of its table"));
}

TEST(LoadOverAngle, IsRefusedInNaturalCoordinatesByName) {
  expect_input_error(
      [] {
        test::ProgramOfText program(
            pendulum("natural-coordinates", "method = \"variational-midpoint\"", as_loads()));
      },
      {"loads.lower goes over the angle of a joint without a drive"});
}

}  // namespace
}  // namespace kurbel
