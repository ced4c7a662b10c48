#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

OptimizerOptions oc_options() {
  OptimizerOptions options;
  options.method = "oc";
  options.design_change = 0.0;
  options.kkt_residual = 1e-8;
  return options;
}

TEST(OptimalityCriteria, KeepsTheMoveLimitAndALinearVolumeExactly) {
  ToyProblem p = with_positive_sensitivities();
  OptimizerOptions options = oc_options();
  options.move_limit = 0.05;
  VectorXd last = p.start;
  make_optimizer(options)->minimize(p, p.start, [&](const IterationReport& report) {
    // The linear equation for the multiplier is solved to rounding, a few units of a sum of 20 numbers
    // below 1.
    EXPECT_LE(report.evaluation->constraints[0], 1e-14);
    EXPECT_LE((*report.x - last).lpNorm<Eigen::Infinity>(), 0.05 * (1.0 + 1e-12));
    last = *report.x;
    return true;
  });
}

TEST(OptimalityCriteria, ReachesTheOptimumInOneStepWhereTheReciprocalModelIsExact) {
  ToyProblem p = reciprocal();
  OptimizerOptions options = oc_options();
  options.move_limit = 1.0;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
  EXPECT_EQ(result.iterations, 1);
  EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-12);  // bisection of the closed form
}

TEST(OptimalityCriteria, BecomesFeasibleFromAnInfeasibleStart) {
  ToyProblem p = reciprocal();
  const OptimizerResult result = make_optimizer(oc_options())->minimize(p, VectorXd::Ones(20), {});
  EXPECT_TRUE(result.feasible);
  EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(OptimalityCriteria, TakesMaterialFromVariablesThatDoNotMatter) {
  Separable s = reciprocal_data(20);
  s.c[5] = s.c[6] = 0.0;
  s.volume = 4.0;
  ToyProblem p = separable(s);
  const OptimizerResult result = make_optimizer(oc_options())->minimize(p, p.start, {});
  EXPECT_DOUBLE_EQ(result.x[5], 0.01);
  EXPECT_DOUBLE_EQ(result.x[6], 0.01);
  EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(OptimalityCriteria, MovesWhatTheConstraintDoesNotCountToItsBounds) {
  ToyProblem p(VectorXd::Constant(4, 0.01), VectorXd::Ones(4), 1, 0, [](const VectorXd& x, Evaluation& e) {
    e.objective = 1.0 / x[0] + 1.0 / x[1] - x[2] + x[3];
    e.gradient = Eigen::Vector4d(-1.0 / (x[0] * x[0]), -1.0 / (x[1] * x[1]), -1.0, 1.0);
    e.constraints[0] = x[0] + x[1] - 1.0;
    e.constraint_gradients = Eigen::RowVector4d(1.0, 1.0, 0.0, 0.0);
    return Status{};
  });
  const OptimizerResult result = make_optimizer(oc_options())->minimize(p, VectorXd::Constant(4, 0.4), {});
  EXPECT_LT((result.x - Eigen::Vector4d(0.5, 0.5, 1.0, 0.01)).lpNorm<Eigen::Infinity>(), 1e-6);
}

/// minimize sum (x_i - target_i)^2 under sum x_i <= 1.2: optimum target - 0.1.
ToyProblem nearest_to_a_target() {
  const VectorXd target = (VectorXd(3) << 0.6, 0.5, 0.4).finished();
  return {VectorXd::Zero(3), VectorXd::Ones(3), 1, 0, [target](const VectorXd& x, Evaluation& e) {
            e.objective = 1.0 + (x - target).squaredNorm();
            e.gradient = 2.0 * (x - target);
            e.constraints[0] = x.sum() / 1.2 - 1.0;
            e.constraint_gradients.setConstant(1.0 / 1.2);
            return Status{};
          }};
}
const VectorXd nearest = (VectorXd(3) << 0.5, 0.4, 0.3).finished();

TEST(OptimalityCriteria, LeavesALowerBoundOfZero) {
  ToyProblem p = nearest_to_a_target();
  OptimizerOptions options = oc_options();
  options.kkt_residual = 1e-6;
  const OptimizerResult result =
      make_optimizer(options)->minimize(p, (VectorXd(3) << 0.0, 0.0, 1.0).finished(), {});
  EXPECT_EQ(result.reason, StopReason::kkt_residual);
  EXPECT_LT((result.x - nearest).lpNorm<Eigen::Infinity>(), 1e-5);
}

TEST(OptimalityCriteria, TakesTheCurvatureAlongItsLastStep) {
  ToyProblem p = nearest_to_a_target();
  const OptimizerResult result =
      make_optimizer(oc_options())->minimize(p, (VectorXd(3) << 0.1, 0.2, 0.9).finished(), {});
  EXPECT_LT((result.x - nearest).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_LE(result.iterations, 15) << "with twice the curvature it takes 29";
}

TEST(OptimalityCriteria, HasTheCurvatureOfItsFirstStepInTheSecond) {
  // f = 1 + (x - 0.5)^2 from 0.9. The first step goes down by the move limit, to x = 0.7, where df = 0.4. The constraint is
  // not active and L = 0, so x becomes x sqrt(1 - df / (nu dg)), and 2 (nu dg - df) / x is the curvature of f, which is 2.
  ToyProblem p(VectorXd::Constant(1, 0.1), VectorXd::Ones(1), 1, 0, [](const VectorXd& x, Evaluation& e) {
    e.objective = 1.0 + std::pow(x[0] - 0.5, 2);
    e.gradient = 2.0 * (x.array() - 0.5);
    e.constraints[0] = x[0] / 0.95 - 1.0;
    e.constraint_gradients.setConstant(1.0 / 0.95);
    return Status{};
  });
  OptimizerOptions options = oc_options();
  options.move_limit = 0.2;
  options.max_iterations = 2;
  std::vector<double> x;
  make_optimizer(options)->minimize(p, VectorXd::Constant(1, 0.9), [&](const IterationReport& report) {
    x.push_back((*report.x)[0]);
    return true;
  });
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[1], 0.7, 1e-14);
  EXPECT_NEAR(x[2], 0.7 * std::sqrt(0.7 / 1.1), 1e-14);  // rounding of a few products
}

TEST(OptimalityCriteria, FollowsAMildlyNonlinearConstraint) {
  // sum x_i^2 <= 1 with weights c_i / x_i: x_i ~ c_i^(1/3).
  const VectorXd c = (VectorXd(3) << 1.0, 0.125, 0.064).finished();
  ToyProblem p(VectorXd::Constant(3, 0.01), VectorXd::Ones(3), 1, 0, [c](const VectorXd& x, Evaluation& e) {
    e.objective = (c.array() / x.array()).sum();
    e.gradient = -c.array() / x.array().square();
    e.constraints[0] = x.squaredNorm() - 1.0;
    e.constraint_gradients = 2.0 * x.transpose();
    return Status{};
  });
  const VectorXd direction = c.array().pow(1.0 / 3.0);
  OptimizerOptions options = oc_options();
  options.feasibility = 1e-14;  // else the best design is one that gains from a violation of 1e-6
  const OptimizerResult result = make_optimizer(options)->minimize(p, VectorXd::Constant(3, 0.5), {});
  EXPECT_TRUE(result.feasible);
  EXPECT_LT((result.x - direction.normalized()).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(OptimalityCriteria, RefusesAConstraintThatFallsWithAVariable) {
  ToyProblem beam = cantilever_beam();
  try {
    make_optimizer(oc_options())->minimize(beam, beam.start, {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("falls with variable 0"), std::string::npos) << error.what();
  }
}

TEST(OptimalityCriteria, RefusesInfiniteLowerBounds) {
  Separable s = reciprocal_data(3);
  s.lower[1] = -infinity;
  ToyProblem p = separable(s);
  EXPECT_THROW(make_optimizer(oc_options())->minimize(p, p.start, {}), InputError);
}

}  // namespace
}  // namespace kurbel
