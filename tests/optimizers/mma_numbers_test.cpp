// MMA of few numbers, which takes the curvature of the last steps after some iterations.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

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

/// The least x.x whose 11 quadratic functions of 23 variables stay within a narrow corridor: -w <= c_k(x) <= w.
ToyProblem corridor() {
  constexpr Index n = 23, m = 11;
  constexpr double w = 0.005;
  MatrixXd A(m, n);
  VectorXd t(m);
  std::vector<MatrixXd> B;
  for (Index k = 0; k < m; ++k) {
    const auto i = static_cast<double>(k);
    t[k] = 2.0 * std::sin(3.0 * i + 0.4);
    MatrixXd b(n, n);
    for (Index l = 0; l < n; ++l) {
      const auto j = static_cast<double>(l);
      A(k, l) = std::sin(1.0 + 7.3 * i + 3.1 * j * j + 0.7 * i * j);
      for (Index r = 0; r < n; ++r) {
        const auto q = static_cast<double>(r);
        b(r, l) = 0.42 * std::sin(2.0 + 5.1 * q * q + 1.3 * j + 0.9 * q * j + 11.0 * i);
      }
    }
    B.push_back(0.5 * (b + b.transpose()));
  }
  ToyProblem p(VectorXd::Constant(n, -2.0), VectorXd::Constant(n, 2.0), 2 * m, 0,
               [=](const VectorXd& x, Evaluation& e) {
                 e.objective = x.squaredNorm();
                 e.gradient = 2.0 * x;
                 for (Index k = 0; k < m; ++k) {
                   const VectorXd Bx = B[static_cast<std::size_t>(k)] * x;
                   const double c = A.row(k).dot(x) + 0.5 * x.dot(Bx) - t[k];
                   const VectorXd slope = (A.row(k).transpose() + Bx) / w;
                   e.constraints.segment<2>(2 * k) << c / w - 1.0, -c / w - 1.0;
                   e.constraint_gradients.row(2 * k) = slope;
                   e.constraint_gradients.row(2 * k + 1) = -slope;
                 }
                 return Status{};
               });
  p.start = VectorXd::Zero(n);
  return p;
}

// The curvature makes steps too short beside curved constraints: with it alone the search ends 6 % above the optimum.
TEST(MmaOfFewNumbers, GoesOnWithoutTheCurvatureWhereItHoldsStepsBack) {
  const auto run = [](std::optional<int> curvature_after) {
    ToyProblem problem = corridor();
    OptimizerOptions options;
    options.max_iterations = 400;
    options.design_change = 0.0;
    options.kkt_residual = 1e-3;
    options.curvature_after = curvature_after;
    return make_optimizer(options)->minimize(problem, problem.start, {});
  };
  const OptimizerResult separable = run({}), with_curvature = run(10);
  EXPECT_TRUE(with_curvature.feasible);
  EXPECT_LE(with_curvature.kkt_residual, 1e-3) << with_curvature.message;
  EXPECT_NEAR(with_curvature.evaluation.objective, separable.evaluation.objective, 1e-3);
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
