/// Controls and loads that jump: every method meets the jumps, with its order and with right gradients.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "simulated.hpp"

namespace kurbel {
namespace {

using test::Method;
using test::Simulated;

struct Way {
  const char* formulation;
  const char* method;
  double order;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << way.formulation << " " << way.method;
}

std::vector<std::string> overrides_of(const Way& way) {
  std::vector<std::string> overrides = {fmt::format("formulation=\"{}\"", way.formulation),
                                        fmt::format("integrator.method=\"{}\"", way.method)};
  const std::string method = way.method;
  const bool is_explicit = method == "runge-kutta-4" || method == "dormand-prince";
  if (!is_explicit) overrides.emplace_back("integrator.newton_tolerance=1e-12");
  return overrides;
}

constexpr Way ways[] = {{"floating-frame", "generalized-alpha", 2.0},
                        {"floating-frame", "trapezoidal", 2.0},
                        {"semi-recursive", "generalized-alpha", 2.0},
                        {"semi-recursive", "trapezoidal", 2.0},
                        {"natural-coordinates", "generalized-alpha", 2.0},
                        {"natural-coordinates", "trapezoidal", 2.0},
                        {"natural-coordinates", "variational-midpoint", 2.0},
                        {"joint-hamiltonian", "runge-kutta-4", 4.0},
                        {"hamiltonian", "runge-kutta-4", 4.0},
                        {"joint-hamiltonian", "dormand-prince", 0.0},
                        {"hamiltonian", "dormand-prince", 0.0}};

/// A wheel of 0.1 kg m^2 on a hinge with a motor, whose torque is one constant after the other.
const std::string wheel = R"(
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[joints.j]
type = "revolute"
from = "ground"
to = "b"
[controls.c]
type = "torque"
joint = "j"
nodes = 5
start = [0.0, 0.0, 0.0, 0.0, 5.0]
interpolation = "constant"
[integrator]
t1 = 0.02
step = 0.001
[objective]
type = "kinetic-energy"
time = "final"
)";

/// The wheel as a pendulum, which swings for longer.
const std::vector<std::string> pendulum = {
    "gravity=[0.0, -9.81, 0.0]", "bodies.b.centre_of_mass=[0.3, 0.1, 0.0]",
    "controls.c.nodes=4",        "controls.c.start=[0.7, -1.5, 2.0, -0.4]",
    "integrator.t1=0.8",         "integrator.step=0.02"};

Simulated simulated(std::vector<std::string> overrides, const std::vector<std::string>& more = {}) {
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Simulated(read_problem(TomlDocument::parse(wheel, "wheel.toml", ".", overrides)));
}

class JumpingControl : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Methods, JumpingControl, testing::ValuesIn(ways));

TEST_P(JumpingControl, TurnsAWheelAsItsImpulseSays) {
  // 5 N m over the last 4 ms: 0.2 rad/s. Constant accelerations are exact by every method.
  EXPECT_NEAR(simulated(overrides_of(GetParam())).values[0], 0.002, 1e-9);
}

/// Largest difference between gradients by a method and by differences of order four, relative to the largest entry.
double largest_difference(Simulated& run, Method method) {
  constexpr double step = 1e-4;  // farther designs may have other independent coordinates
  const VectorXd gradient = run.gradients(method).col(0);
  VectorXd differences(gradient.size());
  for (Eigen::Index i = 0; i < gradient.size(); ++i) {
    const auto at = [&](double steps) {
      return run.simulate(run.z + steps * step * VectorXd::Unit(gradient.size(), i))[0];
    };
    differences[i] = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step);
  }
  run.simulate(run.z);
  return (gradient - differences).cwiseAbs().maxCoeff() / differences.cwiseAbs().maxCoeff();
}

TEST_P(JumpingControl, HasGradientsThatAgreeWithDifferences) {
  std::vector<std::string> varied = pendulum;
  varied.emplace_back("variables.m={quantity=\"bodies.b.mass\", lower=0.5, upper=2.0}");
  varied.emplace_back(
      "variables.x={quantity=\"bodies.b.centre_of_mass\", component=\"x\", lower=0.1, upper=0.5}");
  Simulated run = simulated(overrides_of(GetParam()), varied);
  ASSERT_EQ(run.z.size(), 6);
  EXPECT_LT(largest_difference(run, Method::discrete_adjoint), 3e-6);
  EXPECT_LT(largest_difference(run, Method::direct), 3e-6);
}

TEST_P(JumpingControl, HasGradientsWhereTheWheelHasNotMovedYet) {
  // d psi / d u_i = I omega (t_i+1 - t_i) / I at omega = 0.2 rad/s.
  Simulated run = simulated(overrides_of(GetParam()));
  const VectorXd gradient = run.gradients(Method::discrete_adjoint).col(0);
  EXPECT_LT((gradient.array() - 0.2 * 0.004).abs().maxCoeff(), 1e-9);
}

TEST_P(JumpingControl, LeavesTheMethodItsOrder) {
  const Way& way = GetParam();
  if (way.order == 0.0) return;  // steps follow the tolerance
  std::vector<std::string> exact = pendulum;
  exact.emplace_back("integrator.tolerance=1e-13");
  const double reference =
      simulated(overrides_of({"joint-hamiltonian", "dormand-prince", 0.0}), exact).values[0];
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> overrides = pendulum;
    overrides.push_back(fmt::format("integrator.step={}", i == 0 ? 0.01 : 0.005));
    errors[i] = std::abs(simulated(overrides_of(way), overrides).values[0] - reference);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), way.order, 0.25) << errors[0] << " " << errors[1];
}

constexpr Way explicit_ways[] = {{"joint-hamiltonian", "runge-kutta-4", 4.0},
                                 {"hamiltonian", "runge-kutta-4", 4.0},
                                 {"joint-hamiltonian", "dormand-prince", 0.0},
                                 {"hamiltonian", "dormand-prince", 0.0}};

TEST(JumpsWithinSteps, DivideTheStepsOfExplicitMethods) {
  // 20 steps and three intervals of 20/3 ms: (1 + 2 + 3) N m make 0.4 rad/s.
  const std::vector<std::string> three = {"controls.c.nodes=3", "controls.c.start=[1.0, 2.0, 3.0]"};
  for (const Way& way : explicit_ways) {
    Simulated run = simulated(overrides_of(way), three);
    EXPECT_NEAR(run.values[0], 0.008, 1e-10) << testing::PrintToString(way);
    const VectorXd gradient = run.gradients(Method::discrete_adjoint).col(0);
    EXPECT_LT((gradient.array() - 0.4 * 0.02 / 3.0).abs().maxCoeff(), 1e-9) << testing::PrintToString(way);
    EXPECT_TRUE(run.motion->warnings(run.trajectory).empty());
  }
}

// Without a step that ends at the kink, its error is of second order in the step, and its estimate is too small.
TEST(KinksWithinSteps, DivideTheStepsOfExplicitMethods) {
  // 20 steps and three intervals of 20/3 ms, whose torque is linear: (3/2 + 3/2 + 3/2) N m make 0.3 rad/s.
  const std::vector<std::string> four = {"controls.c.nodes=4", "controls.c.start=[0.0, 3.0, 0.0, 3.0]",
                                         "controls.c.interpolation=\"linear\""};
  const VectorXd weights = (VectorXd(4) << 0.5, 1.0, 1.0, 0.5).finished();
  for (const Way& way : explicit_ways) {
    Simulated run = simulated(overrides_of(way), four);
    EXPECT_NEAR(run.values[0], 0.0045, 1e-12) << testing::PrintToString(way);
    const VectorXd gradient = run.gradients(Method::discrete_adjoint).col(0);
    EXPECT_LT((gradient - 0.3 * 0.02 / 3.0 * weights).cwiseAbs().maxCoeff(), 1e-11)
        << testing::PrintToString(way);
  }
}

TEST(KinksWithinSteps, DivideStepsThatPassTheOutputs) {
  const std::vector<std::string> four = {"controls.c.nodes=4", "controls.c.start=[0.0, 3.0, 0.0, 3.0]",
                                         "controls.c.interpolation=\"linear\"",
                                         "integrator.dense_output=true"};
  for (const char* formulation : {"joint-hamiltonian", "hamiltonian"}) {
    const Simulated run = simulated(overrides_of({formulation, "dormand-prince", 0.0}), four);
    EXPECT_NEAR(run.values[0], 0.0045, 1e-12) << formulation;
  }
}

TEST(JumpsWithinSteps, AreNamedWhereAMethodDoesNotMeetThem) {
  Simulated run = simulated(overrides_of({"floating-frame", "generalized-alpha", 2.0}),
                            {"controls.c.nodes=3", "controls.c.start=[1.0, 2.0, 3.0]"});
  const std::vector<std::string> warnings = run.motion->warnings(run.trajectory);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0],
              testing::HasSubstr("controls.c jumps within steps, at t = 0.00666667, 0.0133333 s"));
  // Its gradient is that of the steps all the same.
  EXPECT_LT(largest_difference(run, Method::discrete_adjoint), 1e-6);
  Simulated met = simulated(overrides_of({"floating-frame", "generalized-alpha", 2.0}));
  EXPECT_TRUE(met.motion->warnings(met.trajectory).empty());
}

TEST(JumpingControl, IsMetByStepsThatPassTheOutputs) {
  const Simulated run =
      simulated(overrides_of({"joint-hamiltonian", "dormand-prince", 0.0}), {"integrator.dense_output=true"});
  EXPECT_NEAR(run.values[0], 0.002, 1e-9);
}

// With outputs at other instants, steps are the same, and motions between their ends, too.
TEST(StepsThatPassTheOutputs, AreInterpolatedWhereTheOutputsAre) {
  const auto mean = [](const std::string& dense_output) {
    std::vector<std::string> overrides = pendulum;
    overrides.emplace_back("objective.time=\"mean\"");
    overrides.emplace_back("integrator.tolerance=1e-8");
    overrides.emplace_back("integrator.dense_output=" + dense_output);
    return simulated(overrides_of({"joint-hamiltonian", "dormand-prince", 0.0}), overrides).values[0];
  };
  EXPECT_NEAR(mean("true"), mean("false"), 1e-5 * mean("false"));
}

TEST(JumpingControl, HasContinuousAdjointsThatSeeBothSidesOfTheJumps) {
  for (const Way& way :
       {Way{"joint-hamiltonian", "dormand-prince", 0.0}, Way{"semi-recursive", "trapezoidal", 2.0}}) {
    Simulated run = simulated(overrides_of(way));
    const VectorXd gradient = run.gradients(Method::continuous_adjoint).col(0);
    EXPECT_LT((gradient.array() - 0.2 * 0.004).abs().maxCoeff(), 1e-8) << testing::PrintToString(way);
  }
}

// The mean of the kinetic energy depends on the mass explicitly, too, and once where the torque jumps.
TEST(JumpingControl, HasContinuousAdjointsThatCountAnInstantOfAJumpOnce) {
  std::vector<std::string> mean = pendulum;
  mean.emplace_back("objective.time=\"mean\"");
  mean.emplace_back("integrator.step=0.005");
  mean.emplace_back("variables.m={quantity=\"bodies.b.mass\", lower=0.5, upper=2.0}");
  for (const char* formulation : {"joint-hamiltonian", "hamiltonian"}) {
    Simulated run = simulated(overrides_of({formulation, "runge-kutta-4", 4.0}), mean);
    const VectorXd discrete = run.gradients(Method::discrete_adjoint).col(0),
                   continuous = run.gradients(Method::continuous_adjoint).col(0);
    EXPECT_LT((continuous - discrete).norm(), 1e-4 * discrete.norm())
        << formulation << ": rules for the mean over time differ by O(h^2)";
  }
}

TEST_P(JumpingControl, ActsAsALoadByATableOfSteps) {
  std::vector<std::string> as_load = overrides_of(GetParam());
  as_load.insert(as_load.end(),
                 {"controls.c.start=[0.0, 0.0, 0.0, 0.0, 0.0]",
                  "loads.l={marker=\"b\", torque=[0.0, 0.0, {type=\"table\", interpolation=\"constant\", "
                  "t=[0.0, 0.016, 0.02], values=[0.0, 5.0, 0.0]}]}"});
  EXPECT_NEAR(simulated(as_load).values[0], 0.002, 1e-9);
}

/// A body that a smooth drive moves from rest, in the plane of a turned frame.
const std::string from_rest = R"(
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [0.3, 0.3, 0.1]
[ground.markers.g]
rotation = [-0.45, 0.62, 0.0]
[joints.j]
type = "planar"
from = "b"
to = "ground.g"
[joints.j.drive]
dof = "tx"
type = "polynomial"
begin = { t = 0.0, derivatives = [0.0, 0.0, 0.0] }
end = { t = 0.7, derivatives = [0.1, 0.0, 0.0] }
[integrator]
method = "dormand-prince"
t1 = 0.02
step = 0.001
[objective]
type = "kinetic-energy"
time = "final"
)";

TEST(DormandPrince, LeavesRestUnderASmoothDrive) {
  for (const char* formulation : {"semi-recursive", "joint-hamiltonian", "hamiltonian"}) {
    const Simulated run(read_problem(
        TomlDocument::parse(from_rest, "rest.toml", ".", {fmt::format("formulation=\"{}\"", formulation)})));
    const Simulated fine(read_problem(
        TomlDocument::parse(from_rest, "rest.toml", ".",
                            {"formulation=\"floating-frame\"", "integrator.method=\"generalized-alpha\"",
                             "integrator.step=1e-5"})));
    EXPECT_NEAR(run.values[0], fine.values[0], 1e-3 * fine.values[0]) << formulation;
  }
}

TEST(DormandPrince, LeavesRestUnderALoadThatSetsInSmoothly) {
  // T = A w(t / t_f) sin(2 pi f t) grows with t^4, and what two methods of orders 4 and 5 say differs by a fixed share.
  const std::vector<std::string> load = {"controls.c.start=0.0", "integrator.t1=0.2",
                                         "loads.l={marker=\"b\", torque=[0.0, 0.0, {type=\"harmonic\", "
                                         "amplitude=2.0, frequency=2.0, fade_in=0.1}]}"};
  std::vector<std::string> fine = load;
  fine.emplace_back("integrator.step=1e-4");
  const double expected =
      simulated(overrides_of({"joint-hamiltonian", "runge-kutta-4", 4.0}), fine).values[0];
  for (const char* formulation : {"joint-hamiltonian", "hamiltonian"})
    EXPECT_NEAR(simulated(overrides_of({formulation, "dormand-prince", 0.0}), load).values[0], expected,
                1e-7 * expected);
}

}  // namespace
}  // namespace kurbel
