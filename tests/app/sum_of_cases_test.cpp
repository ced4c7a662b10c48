/// Sums over cases beside their true extremes.
#include <gtest/gtest.h>

#include "simulated.hpp"
#include "tests/problem/arm_text.hpp"

namespace kurbel {
namespace {

TEST(SumOfCases, StandsBesideTheSumOfTheExtremesByItsWeights) {
  const std::string text = std::string(arm_text) + R"(
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
[cases.light]
weight = 0.5
gravity = [0.0, -1.0, 0.0]
[cases.heavy]
weight = 2.0
gravity = [0.0, -9.81, 0.0]
)";
  const test::Simulated run(read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.2"})));
  const std::vector<CriterionValues> values = run.motion->values(run.trajectory, run.requested);
  ASSERT_EQ(values.size(), 4u);
  const CriterionValues &both = values[1], &light = values[2], &heavy = values[3];
  EXPECT_GT(heavy.high, 10.0 * light.high);
  EXPECT_NEAR(both.value, 0.5 * light.value + 2.0 * heavy.value, 1e-14 * both.value);
  EXPECT_NEAR(both.high, 0.5 * light.high + 2.0 * heavy.high, 1e-14 * both.high);
  EXPECT_NEAR(both.low, 0.5 * light.low + 2.0 * heavy.low, 1e-14 * both.high);
}

}  // namespace
}  // namespace kurbel
