// The parts of MMA: its convex approximations, the curvature of the Lagrangian that they may have, and the solution of their subproblem.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "optimizers/mma_approximation.hpp"
#include "optimizers/mma_subproblem.hpp"

namespace kurbel {
namespace {

/// The group of two variables.
const VariableGroups one_group({0, 0});

// A constraint that depends on nothing has no gradient from which rho could begin.
TEST(MmaApproximation, IsFreeUntilItBecomesMoreConservative) {
  const VectorXd x = VectorXd::Constant(2, 0.5), lower = VectorXd::Zero(2), upper = VectorXd::Ones(2);
  MmaFunctions functions{VectorXd::Zero(2), MatrixXd::Zero(2, 2), 0};
  functions.gradients.row(0) << 1.0, -2.0;
  MmaAsymptotes asymptotes(0.5);
  asymptotes.update(x);
  for (const bool is_conservative : {false, true}) {
    MmaApproximation approximation(x, functions, one_group, is_conservative, {});
    EXPECT_TRUE(approximation.is_free());
    const MmaTrial trial = approximation.minimize({lower, upper, asymptotes, 0.5});
    approximation.become_more_conservative(trial, {VectorXd::Constant(2, 1.0), functions.gradients, 0});
    EXPECT_FALSE(approximation.is_free());
  }
}

// At a stationary point the step is zero, and the tangent plane has the multiplier of its equality.
TEST(MmaApproximation, HasTheMultipliersOfEqualitiesWithTheirSigns) {
  const VectorXd x = VectorXd::Constant(2, 0.5), lower = VectorXd::Zero(2), upper = VectorXd::Ones(2);
  for (const double multiplier : {3.0, -7.0}) {
    MmaFunctions functions{VectorXd::Zero(2), MatrixXd(2, 2), 1};
    functions.gradients.row(1) << 1.0, 2.0;
    functions.gradients.row(0) = -multiplier * functions.gradients.row(1);
    MmaAsymptotes asymptotes(0.5);
    asymptotes.update(x);
    const MmaTrial trial =
        MmaApproximation(x, functions, one_group, false, {}).minimize({lower, upper, asymptotes, 0.5});
    EXPECT_LT((trial.x - x).lpNorm<Eigen::Infinity>(), 1e-6);
    EXPECT_NEAR(trial.lambda[0], multiplier, 1e-4);
  }
}

// A linear equality is approximated by itself, wherever the step ends.
TEST(MmaApproximation, KnowsTheGradientOfALinearEquality) {
  const VectorXd x = VectorXd::Constant(2, 0.5), lower = VectorXd::Zero(2), upper = VectorXd::Ones(2);
  MmaFunctions functions{VectorXd::Zero(2), MatrixXd(2, 2), 1};
  functions.gradients << 1.0, -2.0, 1.0, 2.0;
  MmaAsymptotes asymptotes(0.5);
  asymptotes.update(x);
  MmaApproximation approximation(x, functions, one_group, false, {});
  const MmaTrial trial = approximation.minimize({lower, upper, asymptotes, 0.5});
  ASSERT_GT(std::abs(trial.lambda[0]), 0.1);
  EXPECT_LT(approximation.gradient_difference(trial, functions).norm(), 1e-12);
}

TEST(LagrangianCurvature, SatisfiesTheSecantEquationAndStaysPositiveDefinite) {
  const Eigen::Index n = 12;
  std::srand(3);
  LagrangianCurvature B;
  EXPECT_TRUE(B.empty());
  B.add(VectorXd::Ones(n), -VectorXd::Ones(n));
  EXPECT_TRUE(B.empty()) << "nothing is known where the first curvature is negative";
  const MatrixXd root = MatrixXd::Random(n, n), H = root * root.transpose() + MatrixXd::Identity(n, n);
  const auto matrix = [&] {
    MatrixXd all(n, n);
    for (Eigen::Index i = 0; i < n; ++i) all.col(i) = B.times(VectorXd::Unit(n, i));
    return all;
  };
  for (int k = 0; k < 40; ++k) {
    const VectorXd s = VectorXd::Random(n), y = H * s;
    B.add(s, y);
    EXPECT_LT((B.times(s) - y).norm(), 1e-9 * y.norm()) << k;
  }
  // A negative curvature leaves a fifth of that of B.
  const VectorXd step = VectorXd::Ones(n);
  const double expected = step.dot(B.times(step));
  B.add(step, -step);
  EXPECT_NEAR(step.dot(B.times(step)), 0.2 * expected, 1e-9 * expected);
  const MatrixXd all = matrix();
  EXPECT_LT((all - all.transpose()).norm(), 1e-9 * all.norm());
  EXPECT_GT(all.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
  const VectorXd a = VectorXd::LinSpaced(n, 0.5, 2.0);
  const MatrixXd R = MatrixXd::Random(n, 3), sum = all + MatrixXd(a.asDiagonal());
  EXPECT_LT((sum * B.solve(a, R) - R).norm(), 1e-9 * R.norm());
  B.clear();
  EXPECT_TRUE(B.empty());
}

TEST(LagrangianCurvature, ForgetsTheOldestSteps) {
  constexpr int remembered = 30;
  const Eigen::Index n = 40;
  std::srand(5);
  // Close to the identity, so that no pair is moved towards what B had before.
  const VectorXd H = VectorXd::LinSpaced(n, 0.9, 1.1);
  LagrangianCurvature with_older_steps, without;
  for (int k = -5; k < remembered; ++k) {
    const VectorXd s = VectorXd::Random(n), y = H.cwiseProduct(s);
    with_older_steps.add(s, y);
    if (k >= 0) without.add(s, y);
  }
  const VectorXd d = VectorXd::Random(n);
  EXPECT_LT((with_older_steps.times(d) - without.times(d)).norm(), 1e-12 * d.norm());
}

/// A linear objective and a linear constraint of two variables in the unit square.
class MmaOfTwoVariables : public testing::Test {
 protected:
  MmaOfTwoVariables() : asymptotes_(0.5) {
    functions_.values = Eigen::Vector2d(1.0, -1.0);
    functions_.gradients = (MatrixXd(2, 2) << 1.0, 2.0, 1.0, -1.0).finished();
    asymptotes_.update(x_);
  }
  const VectorXd x_ = VectorXd::Constant(2, 0.5), lower_ = VectorXd::Zero(2), upper_ = VectorXd::Ones(2);
  MmaFunctions functions_;
  MmaAsymptotes asymptotes_;
};

// The curvature of the Lagrangian may be too large, so that a small step with it tells nothing.
TEST_F(MmaOfTwoVariables, IsFreeUnlessTheObjectiveHasACurvature) {
  LagrangianCurvature B;
  EXPECT_TRUE(MmaApproximation(x_, functions_, one_group, false, {}, &B).is_free());
  B.add(VectorXd::Ones(2), VectorXd::Ones(2));
  EXPECT_FALSE(MmaApproximation(x_, functions_, one_group, false, {}, &B).is_free());
}

// rho of MMA is far below that of GCMMA, from which on it grows by ten at most.
TEST_F(MmaOfTwoVariables, BecomesConservativeFromRhoOfGcmmaOn) {
  MmaApproximation approximation(x_, functions_, one_group, false, {});
  const MmaTrial trial = approximation.minimize({lower_, upper_, asymptotes_, 0.5});
  approximation.become_more_conservative(trial, {Eigen::Vector2d(1e3, -1.0), functions_.gradients, 0});
  EXPECT_NEAR(approximation.rho()(0, 0), 10.0 * 0.1 / 2.0 * 3.0, 1e-12);
}

/// The optimality conditions of a subproblem with random data.
TEST(MmaSubproblem, SolutionSatisfiesItsOptimalityConditions) {
  const Eigen::Index n = 50, m = 3;
  std::srand(7);
  const auto positive = [](Eigen::Index rows, Eigen::Index columns) {
    return MatrixXd((MatrixXd::Random(rows, columns).array() + 1.0).matrix());
  };
  MmaSubproblem s;
  s.L = VectorXd::Constant(n, -1.0), s.U = VectorXd::Constant(n, 2.0);
  s.alpha = VectorXd::Zero(n), s.beta = VectorXd::Ones(n);
  s.p0 = positive(n, 1), s.q0 = positive(n, 1);
  s.P = positive(m, n), s.Q = positive(m, n);
  // The third constraint cannot be met: its artificial variable has to be positive.
  const VectorXd middle = s.P * VectorXd::Constant(n, 1.0 / 1.5) + s.Q * VectorXd::Constant(n, 1.0 / 1.5);
  s.b = middle;
  s.b[0] *= 0.98, s.b[2] *= 0.5;
  s.c = VectorXd::Constant(m, 1000.0);
  const MmaSolution found = solve(s);

  const auto from_U = (s.U - found.x).cwiseInverse().eval(), from_L = (found.x - s.L).cwiseInverse().eval();
  const VectorXd gradient = (s.p0 + s.P.transpose() * found.lambda).cwiseProduct(from_U.cwiseAbs2()) -
                            (s.q0 + s.Q.transpose() * found.lambda).cwiseProduct(from_L.cwiseAbs2());
  // The barrier parameter ends at 1e-10: distances to bounds and slacks of 1e-10 over multipliers of order one.
  const double scale = gradient.cwiseAbs().maxCoeff();
  for (Eigen::Index j = 0; j < n; ++j) {
    if (found.x[j] > 1e-6) {
      EXPECT_LT(gradient[j], 1e-6 * (1.0 + scale)) << j;
    }
    if (found.x[j] < 1.0 - 1e-6) {
      EXPECT_GT(gradient[j], -1e-6 * (1.0 + scale)) << j;
    }
  }
  const VectorXd slack = s.b + found.y - s.P * from_U - s.Q * from_L;
  for (Eigen::Index i = 0; i < m; ++i) {
    EXPECT_GT(slack[i], -1e-6);
    EXPECT_NEAR(found.lambda[i] * slack[i], 0.0, 1e-6);
    EXPECT_NEAR(found.y[i], std::max(0.0, found.lambda[i] - s.c[i]), 1e-6);
  }
  EXPECT_GT(found.y[2], 0.1);
}

}  // namespace
}  // namespace kurbel
