/// Sums over cases beside their true extremes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulated.hpp"
#include "study/study.hpp"
#include "tests/input_error.hpp"
#include "tests/problem/arm_text.hpp"

namespace kurbel {
namespace {

/// Kinetic energies over all cases together and in each.
const std::string energies = R"(
[objective]
type = "kinetic-energy"
time = "mean"
[constraints.criteria.both]
type = "kinetic-energy"
time = "p-norm"
exponent = 8
upper = 10.0
cases = "sum"
[constraints.criteria.each]
type = "kinetic-energy"
time = "p-norm"
exponent = 8
upper = 10.0
)";

const std::string light_and_heavy = R"([cases.light]
weight = 0.5
gravity = [0.0, -1.0, 0.0]
[cases.heavy]
weight = 2.0
gravity = [0.0, -9.81, 0.0]
)";

TEST(SumOfCases, StandsBesideTheSumOfTheExtremesByItsWeights) {
  const std::string text = arm_text + energies + light_and_heavy;
  const test::Simulated run(read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.2"})));
  const std::vector<CriterionValues> values = run.motion->values(run.trajectory, run.requested);
  ASSERT_EQ(values.size(), 4u);
  const CriterionValues &both = values[1], &light = values[2], &heavy = values[3];
  EXPECT_GT(heavy.high, 10.0 * light.high);
  EXPECT_NEAR(both.value, 0.5 * light.value + 2.0 * heavy.value, 1e-14 * both.value);
  EXPECT_NEAR(both.high, 0.5 * light.high + 2.0 * heavy.high, 1e-14 * both.high);
  EXPECT_NEAR(both.low, 0.5 * light.low + 2.0 * heavy.low, 1e-14 * both.high);
  EXPECT_EQ(both.low, both.high) << "a norm has one extreme";
  EXPECT_GT(both.low, 1.01 * both.value);
}

// At instants both ends of the range count.
TEST(SumOfCases, HasTheRangeOfAHeightBetweenTheInstants) {
  const std::string text = std::string(arm_text) + R"(
[objective]
type = "kinetic-energy"
time = "mean"
[constraints.criteria.height]
type = "position"
marker = "arm.tip"
component = "y"
time = "instants"
intervals = 2
upper = 1.0
cases = "sum"
[cases.light]
weight = 0.5
gravity = [0.0, -1.0, 0.0]
[cases.heavy]
gravity = [0.0, -9.81, 0.0]
)";
  const test::Simulated run(read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.2"})));
  const std::vector<CriterionValues> values = run.motion->values(run.trajectory, run.requested);
  EXPECT_NEAR(values.back().high, 0.0, 1e-12) << "where it starts";
  EXPECT_NEAR(values.back().low, values.back().value, 1e-12) << "where it ends";
  EXPECT_LT(values.back().low, -0.1);
}

/// The arm with a motor, in two cases of their own weights and gravity.
const std::string two_loads = std::string(arm_text) + motor_text + R"(
[outputs.tip]
type = "position"
marker = "arm.tip"
)" + energies + R"([over_cases]
objective = "p-norm"
exponent = 6
)" + light_and_heavy;

/// Central differences of a vector function at z, of order four.
template <class Function>
MatrixXd differences(const Function& f, const VectorXd& z) {
  constexpr double h = 1e-4;
  MatrixXd slopes(z.size(), f(z).size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const auto change = [&](double step) {
      const VectorXd move = step * VectorXd::Unit(z.size(), i);
      return VectorXd(f(z + move) - f(z - move));
    };
    slopes.row(i) = (8.0 * change(h) - change(2.0 * h)) / (12.0 * h);
  }
  return slopes;
}

// Weights count in the norm and in the sum, and each case has its own function and its own motion.
TEST(GradientsOverCases, AreThoseOfDifferences) {
  test::Simulated run(read_problem(TomlDocument::parse(two_loads, "arm.toml", ".", {"integrator.t1=0.2"})));
  ASSERT_EQ(run.values.size(), 4);
  const MatrixXd adjoint = run.gradients(test::Method::discrete_adjoint),
                 direct = run.gradients(test::Method::direct);
  const VectorXd light = run.values.segment(2, 1), heavy = run.values.segment(3, 1);
  EXPECT_NEAR(run.values[1], 0.5 * light[0] + 2.0 * heavy[0], 1e-14 * run.values[1]);
  const MatrixXd found = differences([&](const VectorXd& z) { return run.simulate(z); }, run.z);
  EXPECT_LT((adjoint - found).norm(), 1e-7 * found.norm());
  EXPECT_LT((direct - adjoint).norm(), 1e-11 * found.norm());
}

// The function has outputs of both cases.
TEST(GradientsOverCases, AreThoseOfDifferencesOfOutputs) {
  test::Simulated run(read_problem(TomlDocument::parse(two_loads, "arm.toml", ".", {"integrator.t1=0.2"})));
  OutputSeeds seeds;
  for (const OutputHistory& output : run.motion->outputs(run.trajectory)) {
    const Eigen::Index n = output.values.cols();
    const double of_case = seeds.empty() ? 1.0 : -3.0;
    seeds.emplace_back(of_case * VectorXd::LinSpaced(3, 1.0, 2.0) *
                       VectorXd::LinSpaced(n, 0.5, 1.0).transpose());
  }
  ASSERT_EQ(seeds.size(), 2u);
  const VectorXd exact =
      run.motion->output_gradients(run.trajectory, seeds, run.motion->directions({}).p_dot).along;
  const auto psi = [&](const VectorXd& z) {
    run.simulate(z);
    const std::vector<OutputHistory> outputs = run.motion->outputs(run.trajectory);
    return VectorXd::Constant(
        1, seeds[0].cwiseProduct(outputs[0].values).sum() + seeds[1].cwiseProduct(outputs[1].values).sum());
  };
  const VectorXd found = differences(psi, run.z);
  EXPECT_LT((exact - found).norm(), 1e-7 * found.norm());
}

class CasesOfUnequalLength : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Cases, CasesOfUnequalLength,
                         testing::Values("[cases.far]\ngravity = [0.0, -9.81, 0.0]\n"
                                         "[cases.near]\ngravity = [0.0, -1e-3, 0.0]\n",
                                         "[cases.a_near]\ngravity = [0.0, -1e-3, 0.0]\n"
                                         "[cases.far]\ngravity = [0.0, -9.81, 0.0]\n"));

// The arm of one case passes half a turn from the free angle of its spring; the other one hardly moves.
TEST_P(CasesOfUnequalLength, HaveThatOfTheShortestMotion) {
  const std::string text = std::string(arm_text) + R"(
[torsion_springs.spring]
from = "ground"
to = "arm"
stiffness = 1e-6
free_angle = 3.0
[objective]
type = "kinetic-energy"
time = "mean"
)" + GetParam();
  const Problem problem = read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.5"}));
  const StressSets stress(problem);
  const auto model = make_motion_model(problem, stress);
  std::unique_ptr<Motion> motion;
  ASSERT_FALSE(model->make({model->numbers(), {nullptr}, {}}, motion).failed());
  Trajectory<double> trajectory;
  const Status status = motion->simulate(trajectory);
  ASSERT_TRUE(status.failed());
  EXPECT_NE(status.message().find("case far"), std::string::npos) << status.message();
  EXPECT_GT(trajectory.n_stored, 1);
  EXPECT_LT(trajectory.n_stored, 30);
}

// Of a height that is negative in both cases the larger fall counts.
TEST(NormOverCases, StandsBesideTheLargestSize) {
  const std::string text = std::string(arm_text) + R"(
[objective]
type = "position"
marker = "arm.tip"
component = "y"
time = "final"
[constraints.criteria.height]
type = "position"
marker = "arm.tip"
component = "y"
time = "final"
upper = 1.0
[over_cases]
objective = "p-norm"
exponent = 6
[cases.light]
gravity = [0.0, -1.0, 0.0]
[cases.heavy]
gravity = [0.0, -9.81, 0.0]
)";
  const test::Simulated run(read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.2"})));
  const std::vector<CriterionValues> values = run.motion->values(run.trajectory, run.requested);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_LT(values[2].value, 5.0 * values[1].value);
  EXPECT_LT(values[1].value, 0.0);
  EXPECT_NEAR(values[0].high, -values[2].value, 1e-14);
}

/// A stone that falls, slowly in one case and as stated in the other one.
Problem stone(const std::string& fast, const std::string& more) {
  const std::string text = R"(formulation = "semi-recursive"
gravity = [0.0, -9.81, 0.0]
[bodies.stone]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial.position = [1.0, 0.0, 0.0]
[integrator]
t1 = 0.2
step = 0.01
[objective]
type = "position"
marker = "stone"
component = "y"
time = "mean"
[cases.slow]
[cases.fast.bodies.stone.initial]
)";
  return read_problem(TomlDocument::parse(text + fast + more, "stone.toml", ".", {}));
}

// A criterion of one case alone is judged in that case, and named with it.
TEST(Cases, NameTheFunctionThatIsNotFiniteInOneOfThem) {
  const Problem problem = stone("velocity = [0.0, 1e155, 0.0]\n", R"([constraints.criteria.energy]
type = "kinetic-energy"
time = "mean"
upper = 1e9
cases = ["fast"]
)");
  Study study(problem, Study::Variables::to_evaluate);
  ChainResult result;
  const Status status = study.simulate(study.space().start(), result);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(),
              testing::HasSubstr("energy is not a finite number, in mean of kinetic-energy, case fast"));
}

TEST(Cases, RefuseASpringWithoutLengthInOneOfThem) {
  const std::string spring =
      "[springs.line]\nfrom = \"ground\"\nto = \"stone\"\nstiffness = 10.0\nfree_length = 0.5\n";
  const auto simulate = [&](const std::string& fast) {
    const Problem problem = stone(fast, spring);
    Study study(problem, Study::Variables::to_evaluate);
    ChainResult result;
    EXPECT_FALSE(study.simulate(study.space().start(), result).failed());
  };
  simulate("position = [0.5, 0.0, 0.0]\n");
  expect_input_error([&] { simulate("position = [0.0, 0.0, 0.0]\n"); }, {"springs.line: its ends coincide"});
}

}  // namespace
}  // namespace kurbel
