/// [outputs] of a mechanism in the floating frame, and constraints on their rows. Those of points and planar beams:
/// point_motion_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "evaluation/evaluation_chain.hpp"
#include "tests/problem/arm_text.hpp"

namespace kurbel {
namespace {

const std::string outputs_text = R"(
[outputs.tip]
type = "position"
marker = "arm.tip"
axes = ["x", "y"]
[outputs.height]
type = "position"
marker = "arm.tip"
axes = ["y"]
[outputs.energy]
type = "kinetic-energy"
[outputs.hold]
type = "reaction-force"
joint = "hinge"
[objective]
type = "output"
output = "tip"
target = [0.1, { type = "constant-rate", rate = 0.4 }]
time = "integral"
[constraints.criteria.arrival]
type = "output"
output = "tip"
time = "final"
equals = [0.2, 0.3]
[constraints.criteria.way]
type = "velocity"
marker = "arm.tip"
time = "instants"
intervals = 2
lower = [-9.0, -8.0, -7.0]
upper = 5.0
scale = [1.0, 2.0, 3.0]
[constraints.criteria.low]
type = "output"
output = "height"
time = "ks"
exponent = -50
lower = -1.0
[constraints.criteria.mild]
type = "output"
output = "energy"
time = "p-norm"
exponent = 4
upper = 2.0
[constraints.criteria.fall]
type = "output"
output = "height"
time = "p-norm"
exponent = 4
upper = 0.35
[constraints.criteria.spent]
type = "output"
output = "energy"
time = "mean"
upper = 3.0
[constraints.criteria.near]
type = "output"
output = "tip"
time = "mean"
upper = 0.5
[constraints.criteria.near_by_its_square]
type = "output"
output = "tip"
form = "half-square"
time = "mean"
upper = 0.5
)";

using Method = SensitivityOptions::Method;

/// The arm, simulated.
struct Outputs : testing::Test {
  explicit Outputs(const std::vector<std::string>& overrides = {"integrator.t1=0.2"})
      : problem(read_problem(TomlDocument::parse(
            "gravity = [0.0, -9.81, 0.0]\n" + (std::string(arm_text) + motor_text + outputs_text), "arm.toml",
            ".", overrides))),
        chain(problem) {
    EXPECT_FALSE(chain.reduce(chain.nominal(BodyFields(chain.n_bodies())), at).failed());
    EXPECT_FALSE(chain.simulate(at).failed());
  }
  double value(const std::string& label) const {
    const auto& functions = chain.model().functions();
    const auto is_it = [&](const CriterionConstraint& c) { return c.label() == label; };
    const auto found = std::ranges::find_if(functions, is_it);
    if (found == functions.end()) throw std::runtime_error("no constraint " + label);
    return at.criteria[found - functions.begin()];
  }
  Problem problem;
  EvaluationChain chain;
  ChainResult at;
};

TEST_F(Outputs, AreTimeHistoriesOfTheirRows) {
  const std::vector<OutputHistory> outputs = at.motion->outputs(at.trajectory);
  ASSERT_EQ(outputs.size(), 4);
  const OutputHistory &tip = outputs[0], &energy = outputs[2], &hold = outputs[3];
  EXPECT_EQ(tip.name, "tip");
  EXPECT_EQ(tip.unit, "m");
  EXPECT_EQ(tip.rows, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(tip.values.rows(), 2);
  ASSERT_EQ(tip.values.cols(), 21);
  EXPECT_NEAR(tip.values(0, 0), 0.4, 1e-15);
  for (Eigen::Index k = 0; k <= 20; ++k) EXPECT_NEAR(tip.values.col(k).norm(), 0.4, 1e-12) << "on a circle";
  EXPECT_EQ(outputs[1].values.row(0), tip.values.row(1));
  EXPECT_TRUE(energy.rows.empty());
  EXPECT_EQ(energy.unit, "J");
  EXPECT_EQ(energy.values(0, 0), 0.0);
  EXPECT_GT(energy.values(0, 20), 0.0);
  EXPECT_EQ(hold.values.rows(), 3);
  EXPECT_EQ(hold.unit, "N");
}

TEST_F(Outputs, ShowTheLimitsThatConstraintsSet) {
  const std::vector<OutputHistory> outputs = at.motion->outputs(at.trajectory);
  EXPECT_EQ(outputs[0].limits, (std::vector<double>{0.2, 0.3, -1.0, 0.35}));
  EXPECT_EQ(outputs[1].limits, (std::vector<double>{0.3, -1.0, 0.35}));
  EXPECT_EQ(outputs[2].limits, std::vector<double>{2.0}) << "of the peak, and not of the mean";
  EXPECT_TRUE(outputs[3].limits.empty());
}

/// A p-norm is of the magnitude.
struct FallingArm : Outputs {
  FallingArm() : Outputs({"integrator.t1=0.2", "controls.motor.start=-3.0"}) {}
};

TEST_F(FallingArm, ShowsTheLimitOfAMagnitudeBelowToo) {
  const OutputHistory height = at.motion->outputs(at.trajectory)[1];
  EXPECT_LT(height.values.minCoeff(), -0.01);
  EXPECT_EQ(height.limits, (std::vector<double>{0.3, -1.0, 0.35, -0.35}));
}

TEST_F(Outputs, AreBoundedRowByRowByLists) {
  const auto& all = problem.constraints.criteria;
  ASSERT_EQ(all.size(), 2 + 3 * 3 + 6);
  const MatrixXd tip = at.motion->outputs(at.trajectory)[0].values;
  EXPECT_DOUBLE_EQ(value("arrival.x"), tip(0, 20));
  EXPECT_DOUBLE_EQ(value("arrival.y"), tip(1, 20));
  EXPECT_EQ(all[0].equals, 0.2);
  EXPECT_EQ(all[1].equals, 0.3);
  EXPECT_EQ(all[2].label(), "way.x@0");
  EXPECT_EQ(all[4].label(), "way.x@0.2");
  EXPECT_EQ(all[5].label(), "way.y@0");
  EXPECT_EQ(all[6].lower, -8.0);
  EXPECT_EQ(all[6].upper, 5.0) << "a number beside a list";
  EXPECT_EQ(all[10].scale, 3.0);
  EXPECT_NEAR(value("way.z@0.1"), 0.0, 1e-14);
}

TEST_F(Outputs, OfOneRowEnterWithTheirSignAndOthersByTheirMagnitude) {
  const MatrixXd tip = at.motion->outputs(at.trajectory)[0].values;
  EXPECT_EQ(problem.constraints.criteria[11].label(), "low");
  EXPECT_TRUE(problem.constraints.criteria[11].adaptive);
  EXPECT_NEAR(at.values[12].high, tip.row(1).minCoeff(), 1e-15) << "the true extreme";
  EXPECT_NEAR(value("near"), 0.4, 1e-12);
  EXPECT_NEAR(value("near_by_its_square"), 0.5 * 0.4 * 0.4, 1e-12);
}

TEST_F(Outputs, HaveGradientsThatEqualDifferences) {
  std::vector<Design> exact, found;
  ASSERT_FALSE(chain.gradients(at, true, Method::discrete_adjoint, exact).failed());
  ASSERT_FALSE(chain.gradients(at, true, Method::finite_differences, found).failed());
  ASSERT_EQ(exact.size(), 1 + problem.constraints.criteria.size());
  for (std::size_t j = 0; j < exact.size(); ++j) {
    // Differences of numbers of order one over 2e-5, and what Newton's iteration leaves.
    EXPECT_LT((found[j].system - exact[j].system).norm(), 1e-6 * (1.0 + exact[j].system.norm())) << j;
  }
  EXPECT_GT(exact[0].system.norm(), 1e-4);
}

}  // namespace
}  // namespace kurbel
