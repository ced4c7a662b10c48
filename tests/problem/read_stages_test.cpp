/// [stages.*] of a mechanism in the floating frame. Those of points and planar beams: control_problem_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arm_text.hpp"
#include "problem/stage_sequence.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using ::testing::ElementsAre;

const std::string controlled_text = R"(
[controls.c]
type = "torque"
joint = "hinge"
nodes = 5
[variables.mass]
quantity = "bodies.arm.mass"
lower = 0.5
upper = 2.0
[objective]
type = "mass"
body = "arm"
[constraints.criteria.height]
type = "position"
marker = "arm.tip"
component = "y"
time = "final"
equals = 0.1
[constraints.criteria.energy]
type = "kinetic-energy"
time = "final"
upper = 1.0
[optimizer]
method = "ipopt"
[optimizer.stop]
iterations = 50
)";

Problem read_with(const std::string& stages, const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(arm_text + controlled_text + stages, "arm.toml", ".", overrides));
}

const std::string lift = R"(
[stages.lift]
vary = "controls"
objective = { type = "control-energy", time = "integral" }
constraints = ["energy"]
iterations = 7
)";

TEST(ReadStages, ComeBeforeTheProblemItself) {
  const std::vector<Stage> stages = read_with(lift).stages();
  ASSERT_EQ(stages.size(), 2);
  EXPECT_EQ(stages[0].name, "lift");
  EXPECT_EQ(stages[0].vary, Vary::controls);
  ASSERT_EQ(stages[0].objective.size(), 1);
  EXPECT_EQ(stages[0].objective[0].quantity, Quantity::control_energy);
  EXPECT_THAT(stages[0].constraints, ElementsAre(1));
  EXPECT_EQ(stages[0].optimizer.max_iterations, 7);
  EXPECT_EQ(stages[0].optimizer.method, "ipopt");
  EXPECT_EQ(stages[1].vary, Vary::all);
  EXPECT_EQ(stages[1].objective[0].quantity, Quantity::mass);
  EXPECT_THAT(stages[1].constraints, ElementsAre(0, 1));
  EXPECT_EQ(stages[1].optimizer.max_iterations, 50);
}

// Beta doubles until it is the largest. Steps before the last one end after 20 iterations or where they make little
// progress; the last one ends as the problem says.
TEST(StageSequence, SharpensInEveryStage) {
  Problem problem = read_with(lift);
  ASSERT_EQ(sequence_of(problem).size(), 2);
  EXPECT_EQ(sequence_of(problem)[1].optimizer.max_iterations, 50);
  EXPECT_EQ(sequence_of(problem)[1].steepness, 0.0);
  problem.projection = {
      .type = ProjectionOptions::Type::heaviside, .beta_start = 1.0, .beta_max = 3.0, .beta_interval = 20};
  problem.optimizer.progress = 1e-6;
  std::vector<std::pair<double, int>> steps;
  for (const StageStep& step : sequence_of(problem)) {
    if (step.stage != 1) continue;
    steps.emplace_back(step.steepness, step.optimizer.max_iterations);
    EXPECT_EQ(step.count, 3);
    EXPECT_EQ(step.optimizer.near_optimum, !step.is_first());
    if (step.is_last()) {
      EXPECT_EQ(step.optimizer.progress, 1e-6);
    } else {
      EXPECT_GT(step.optimizer.progress, 1e-3);
    }
  }
  EXPECT_EQ(steps, (std::vector<std::pair<double, int>>{{1.0, 20}, {2.0, 20}, {3.0, 50}}));
  const StageStep first = sequence_of(problem).front();
  EXPECT_TRUE(first.is_first());
  EXPECT_EQ(first.steepness, 1.0);
}

TEST(StageSequence, SharpensNothingWhereControlsAloneVary) {
  Problem problem = read_with(lift +
                              "[stages.again]\nvary = \"controls\"\nconstraints = [\"height\"]\n"
                              "objective = { type = \"control-energy\", time = \"integral\" }\n");
  problem.projection = {.type = ProjectionOptions::Type::heaviside, .beta_start = 1.0, .beta_max = 4.0};
  std::map<std::size_t, std::vector<double>> steepness;
  for (const StageStep& step : sequence_of(problem)) steepness[step.stage].push_back(step.steepness);
  EXPECT_EQ(steepness[0], std::vector<double>{1.0});
  EXPECT_EQ(steepness[1], std::vector<double>{1.0});
  EXPECT_EQ(steepness[2], (std::vector<double>{1.0, 2.0, 4.0}));
}

TEST(StageSequence, KeepsTheSharpnessReachedWhereControlsVaryNext) {
  Problem problem = read_with(
      "[stages.shape]\nvary = \"parameters\"\nconstraints = [\"height\"]\n"
      "objective = { type = \"mass\", body = \"arm\" }\n" +
      lift);
  problem.projection = {.type = ProjectionOptions::Type::heaviside, .beta_start = 1.0, .beta_max = 4.0};
  std::map<std::size_t, std::vector<double>> steepness;
  for (const StageStep& step : sequence_of(problem)) steepness[step.stage].push_back(step.steepness);
  EXPECT_EQ(steepness[0], (std::vector<double>{1.0, 2.0, 4.0}));
  EXPECT_EQ(steepness[1], std::vector<double>{4.0});
}

TEST(ReadStages, RefuseWhatDoesNotExist) {
  expect_input_error(
      [] { read_with(lift, {"stages.lift.constraints=[\"enery\"]"}); },
      {"stages.lift.constraints.0 = \"enery\" is none of [constraints.criteria.*]; did you mean "
       "\"energy\"?"});
  expect_input_error([] { read_with(lift, {"stages.lift.objective={type=\"mass\", body=\"leg\"}"}); },
                     {"stages.lift.objective", "\"leg\""});
  expect_input_error([] { read_with("[stages.s]\nconstraints = []\n"); }, {"stages.s.objective is missing"});
}

// One of several stages may be what an optimizer cannot treat.
TEST(ReadStages, AreCheckedAgainstTheOptimizer) {
  const std::vector<std::string> without_equality = {"constraints.criteria.height.equals=0.1",
                                                     "optimizer.method=\"nlopt-mma\""};
  expect_input_error([&] { require_optimization_problem(read_with(lift, without_equality)); },
                     {"optimizer.method = \"nlopt-mma\" does not fit [constraints]"});
}

TEST(ReadSensitivity, RefusesDifferencesWhereElementsAreDesigned) {
  const std::string file = std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks/flexible_crank_small.toml";
  expect_input_error([&] { read_problem(file, {"sensitivity.method=\"finite-differences\""}); },
                     {"sensitivity.method = \"finite-differences\"", "elements are designed"});
  EXPECT_EQ(read_with("[sensitivity]\nmethod = \"finite-differences\"").sensitivity.method,
            SensitivityOptions::Method::finite_differences);
}

}  // namespace
}  // namespace kurbel
