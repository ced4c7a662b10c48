// MMA of few numbers, which takes the curvature of the last steps after some iterations.
#include <gtest/gtest.h>

#include <optional>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

// The curved valley of Rosenbrock, in which separable approximations take many short steps.
TEST(MmaOfFewNumbers, FollowsANarrowValleyWithTheCurvatureOfTheLastSteps) {
  const auto run = [](std::optional<int> curvature_after) {
    ToyProblem problem = rosenbrock();
    OptimizerOptions options;
    options.max_iterations = 300;
    options.design_change = 0.0;
    options.kkt_residual = 1e-6;
    options.curvature_after = curvature_after;
    return make_optimizer(options)->minimize(problem, problem.start, {});
  };
  const OptimizerResult separable = run({}), with_curvature = run(10);
  EXPECT_LT(with_curvature.evaluation.objective, 1e-8);
  EXPECT_LT(2 * with_curvature.evaluations, separable.evaluations);
}

// With more variables than the matrix has pairs, the steps are those of MMA, to the bit.
TEST(MmaOfFewNumbers, LeavesManyVariablesToSeparableApproximations) {
  const auto run = [](std::optional<int> curvature_after) {
    ToyProblem problem = reciprocal(40);
    OptimizerOptions options;
    options.curvature_after = curvature_after;
    return make_optimizer(options)->minimize(problem, problem.start, {});
  };
  const OptimizerResult separable = run({}), asked = run(1);
  EXPECT_GT(separable.iterations, 3);
  EXPECT_EQ(asked.x, separable.x);
}

}  // namespace
}  // namespace kurbel
