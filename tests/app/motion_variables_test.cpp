/// Initial states and values of drives as variables, in every formulation of bodies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "design_functions.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using Method = SensitivityOptions::Method;
using test::differences;
using test::Functions;
using test::functions_at;

const std::atomic<bool> interrupted{false};

/// A driven arm carries a rod on a universal joint, a slide is driven along a rail, and a free ball is tied to both.
/// The joint holds the rod elsewhere than where it is given.
const std::string mechanism = R"(
gravity = [0.0, -9.81, 0.0]
[bodies.arm]
type = "rigid"
mass = 1.0
centre_of_mass = [0.25, 0.0, 0.0]
inertia = [0.01, 0.03, 0.03]
markers.end = { position = [0.5, 0.0, 0.0], rotation = [0.2, 0.1, 0.0] }
initial = { rotation = [0.0, 0.0, 0.1] }
[bodies.rod]
type = "rigid"
mass = 0.5
centre_of_mass = [0.2, 0.01, 0.0]
inertia = [0.005, 0.01, 0.012]
markers.end = { position = [0.4, 0.0, 0.0] }
initial = { position = [0.5, 0.03, 0.01], rotation = [0.15, 0.9, 0.1], velocity = [0.1, 0.0, 0.2], angular_velocity = [0.5, 0.3, 1.0] }
[bodies.slide]
type = "rigid"
mass = 0.7
inertia = [0.01, 0.02, 0.02]
markers.hook = { position = [0.0, 0.1, 0.0] }
[bodies.ball]
type = "rigid"
mass = 0.6
inertia = [0.01, 0.02, 0.015]
markers.eye = { position = [0.1, 0.02, 0.0] }
initial = { position = [0.6, -0.8, 0.2], rotation = [0.3, -0.2, 0.4], velocity = [0.5, 0.2, -0.1], angular_velocity = [1.0, 2.0, 0.5] }
[ground.markers.rail]
position = [0.2, -0.5, 0.0]
rotation = [0.4, 0.2, 0.0]
[joints.base]
type = "revolute"
from = "ground"
to = "arm"
[[joints.base.drive]]
dof = "rz"
type = "table"
unit = "deg"
interpolation = "clamped"
t = [0.0, 0.1, 0.25, 0.4]
values = [5.0, 12.0, 30.0, 20.0]
[joints.wrist]
type = "universal"
from = "arm.end"
to = "rod"
[joints.rail]
type = "prismatic"
from = "ground.rail"
to = "slide"
[joints.rail.drive]
dof = "tz"
type = "table"
unit = "mm"
t = [0.0, 0.15, 0.4]
values = [0.0, 50.0, -20.0]
[springs.low]
from = "slide.hook"
to = "ball.eye"
stiffness = 40.0
damping = 0.5
free_length = 0.3
[springs.high]
from = "rod.end"
to = "ball.eye"
stiffness = 30.0
free_length = 0.5
[integrator]
t1 = 0.4
step = 0.01
[objective]
type = "position"
marker = "ball.eye"
time = "integral"
[constraints.criteria.torque]
type = "drive-torque"
joint = "base"
time = "p-norm"
exponent = 4
scaling = "none"
upper = 100.0
[constraints.criteria.speed]
type = "velocity"
marker = "rod.end"
time = "final"
upper = 100.0
)";

/// For implicit methods.
const std::string fine_newton = "integrator.newton_tolerance=1e-11";

std::string variables() {
  std::string text;
  for (const char* body : {"rod", "ball"}) {
    for (const char* part : {"position", "rotation", "velocity", "angular_velocity"}) {
      for (const char* axis : {"x", "y", "z"})
        text += fmt::format(
            "[variables.{0}_{1}_{2}]\nquantity = \"bodies.{0}.initial.{1}\"\ncomponent = \"{2}\"\n"
            "lower = -2.0\nupper = 2.0\n",
            body, part, axis);
    }
  }
  return text + R"(
[variables.arm]
quantity = "bodies.arm.initial.rotation"
component = "z"
lower = -1.0
upper = 1.0
[variables.swing]
quantity = "joints.base.drive.0.values"
times = [0.1, 0.25, 0.4]
lower = -90.0
upper = 90.0
[variables.glide]
quantity = "joints.rail.drive.values"
lower = -200.0
upper = 200.0
)";
}

Problem read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(text, "arm.toml", ".", overrides));
}

/// All functions by all variables, scaled to their bounds.
MatrixXd gradients(const Problem& problem) {
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  return functions_at(nlp, space.start()).gradients;
}

struct Variant {
  const char* name;
  std::vector<std::string> overrides;
  double order = 2.0;  ///< of the continuous adjoint
};
void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

class MotionVariables : public testing::TestWithParam<Variant> {
 protected:
  std::vector<std::string> with(const std::vector<std::string>& more) const {
    std::vector<std::string> all = GetParam().overrides;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_P(MotionVariables, HaveGradientsThatEqualDifferences) {
  const Problem problem = read(mechanism + variables(), GetParam().overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ASSERT_EQ(space.variables().size(), 24 + 1 + 3 + 3);
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = space.start();
  const Functions at = functions_at(nlp, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd expected = differences(nlp, x, VectorXd::Unit(x.size(), i), 1e-3);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, i), expected[j], 1e-7 * at.gradients.row(j).cwiseAbs().maxCoeff())
          << "function " << j << " by " << space.name_of(i);
  }
  // The drive says where the arm is. All else matters, where the rod is given as well.
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double largest = at.gradients.col(i).cwiseAbs().maxCoeff();
    if (space.name_of(i) == "arm") {
      EXPECT_LT(largest, 1e-11 * at.gradients.cwiseAbs().maxCoeff());
    } else {
      EXPECT_GT(largest, 1e-7) << space.name_of(i);
    }
  }
}

TEST_P(MotionVariables, HaveOneGradientForwardsAndBackwards) {
  const MatrixXd adjoint = gradients(read(mechanism + variables(), GetParam().overrides)),
                 direct = gradients(read(mechanism + variables(), with({"sensitivity.method=\"direct\""})));
  EXPECT_LT((adjoint - direct).cwiseAbs().maxCoeff(), 1e-10 * adjoint.cwiseAbs().maxCoeff());
}

TEST_P(MotionVariables, HaveAContinuousAdjointOfTheOrderOfTheMethod) {
  const auto error = [&](const char* step) {
    const auto of = [&](const char* method) {
      return gradients(read(mechanism + variables(), with({step, method, "constraints={}"})));
    };
    const MatrixXd discrete = of("sensitivity.method=\"discrete-adjoint\"");
    return (of("sensitivity.method=\"continuous-adjoint\"") - discrete).norm() / discrete.norm();
  };
  const double coarse = error("integrator.step=2e-3"), fine = error("integrator.step=1e-3");
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), GetParam().order, 0.15 * GetParam().order);
}

TEST_P(MotionVariables, AreSharedByCases) {
  const std::string cases = "[cases.calm]\n[cases.windy]\ngravity = [0.0, -9.81, 3.0]\nweight = 2.0\n";
  const MatrixXd calm = gradients(read(mechanism + variables(), with({"constraints={}"}))),
                 windy = gradients(
                     read(mechanism + variables(), with({"gravity=[0.0, -9.81, 3.0]", "constraints={}"}))),
                 both = gradients(read(mechanism + variables() + cases, with({"constraints={}"})));
  const MatrixXd expected = calm + 2.0 * windy;
  // The objective is scaled by its size in neither.
  EXPECT_LT((both - expected).cwiseAbs().maxCoeff(), 1e-11 * expected.cwiseAbs().maxCoeff());
}

INSTANTIATE_TEST_SUITE_P(
    Of, MotionVariables,
    testing::Values(
        Variant{"FloatingFrame", {fine_newton}},
        Variant{"FloatingFrameMatrixR", {fine_newton, "integrator.method=\"trapezoidal\""}},
        Variant{"SemiRecursive", {fine_newton, "formulation=\"semi-recursive\""}},
        Variant{"SemiRecursiveMatrixR",
                {fine_newton, "formulation=\"semi-recursive\"", "integrator.method=\"trapezoidal\""}},
        Variant{"JointHamiltonian", {"formulation=\"joint-hamiltonian\"", "integrator.step=2e-2"}, 4.0},
        Variant{"Hamiltonian", {"formulation=\"hamiltonian\"", "integrator.step=2e-2"}, 4.0}),
    [](const auto& info) { return info.param.name; });

TEST(MotionVariable, OfACaseIsRefusedByName) {
  const auto message = [](const std::string& own) {
    return input_error_message([&] { read(mechanism + variables() + own); });
  };
  EXPECT_THAT(
      message("[cases.fast.bodies.ball.initial]\nvelocity = [1.0, 0.0, 0.0]\n"),
      testing::HasSubstr("cases.fast.bodies.ball.initial.velocity is designed by variables.ball_velocity_x"));
  EXPECT_THAT(message("[cases.fast.joints.rail.drive]\nvalues = [0.0, 1.0, 2.0]\n"),
              testing::HasSubstr("cases.fast.joints.rail.drive.values is designed by variables.glide"));
  EXPECT_THAT(message("[[cases.fast.joints.base.drive]]\ndof = \"rz\"\ntype = \"constant\"\nvalue = 1.0\n"),
              testing::HasSubstr("cases.fast.joints.base.drive is designed by variables.swing"));
}

TEST(MotionVariable, OfAFlexibleBodyGoesTogetherWithItsDensities) {
  std::vector<std::string> overrides = {"integrator.t1=0.03",
                                        "integrator.step=1e-3",
                                        "bodies.plate.mesh.divisions=[6,4,1]",
                                        "objective.type=\"integral-compliance\"",
                                        "objective.body=\"plate\"",
                                        "design.bodies=[\"plate\"]"};
  for (const char* axis : {"x", "y", "z"})
    overrides.push_back(
        fmt::format("variables.{0}={{quantity=\"bodies.plate.initial.angular_velocity\", "
                    "component=\"{0}\", lower=-100.0, upper=100.0}}",
                    axis));
  const Problem problem =
      read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/validation/free_plate.toml", overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ASSERT_EQ(space.n_densities(), 24);
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = space.start();
  const Functions at = functions_at(nlp, x);
  for (Eigen::Index i = 24; i < x.size(); ++i) {
    const VectorXd expected = differences(nlp, x, VectorXd::Unit(x.size(), i), 8e-3);
    EXPECT_NEAR(at.gradients(0, i), expected[0], 1e-7 * std::abs(expected[0])) << space.name_of(i);
  }
}

TEST(MotionVariable, TiesTheValuesOfTwoDrives) {
  const std::string other = R"(
[joints.wrist.drive]
dof = "rx"
type = "table"
t = [0.0, 0.2, 0.4]
values = [0.0, -0.05, 0.02]
)";
  const std::string tied = R"(
[variables.both]
quantity = ["joints.rail.drive.values", "-joints.wrist.drive.values"]
lower = -1.0
upper = 1.0
)";
  const Problem problem = read(mechanism + other + tied, {"joints.rail.drive.unit=\"m\"",
                                                          "joints.rail.drive.values=[0.0, 0.05, -0.02]"});
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ASSERT_EQ(space.variables().size(), 3);
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = space.start();
  const Functions at = functions_at(nlp, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd expected = differences(nlp, x, VectorXd::Unit(x.size(), i), 1e-3);
    EXPECT_LT((at.gradients.col(i) - expected).cwiseAbs().maxCoeff(),
              1e-7 * at.gradients.cwiseAbs().maxCoeff());
  }
  EXPECT_THAT(input_error_message([&] { read(mechanism + other + tied); }),
              testing::HasSubstr("ties numbers that differ in the file, 50 and 0.05"));
}

}  // namespace
}  // namespace kurbel
