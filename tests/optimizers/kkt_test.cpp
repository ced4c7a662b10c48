#include "optimizers/kkt.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

KktResidual residual_at(ToyProblem p, const VectorXd& x, double scale = 1.0) {
  Evaluation e;
  EXPECT_FALSE(p.evaluate(x, e).failed());
  return kkt_residual(x, e, p.lower(), p.upper(), p.n_equalities(), scale);
}

/// A linear program at x in the unit square.
KktResidual linear(const VectorXd& x, const VectorXd& df, const VectorXd& g, const MatrixXd& dg,
                   Index n_equalities = 0, double scale = 1.0) {
  Evaluation e;
  e.gradient = df;
  e.constraints = g;
  e.constraint_gradients = dg;
  const Index n = x.size();
  return kkt_residual(x, e, VectorXd::Zero(n), VectorXd::Ones(n), n_equalities, scale);
}

VectorXd vec(std::initializer_list<double> values) {
  VectorXd v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.data());
  return v;
}

TEST(KktResidual, VanishesAtKnownOptima) {
  EXPECT_LT(residual_at(cantilever_beam(), cantilever_beam().optimum).total(), 1e-13);
  EXPECT_LT(residual_at(stiffest_beam(), stiffest_beam().optimum).total(), 1e-13);
  EXPECT_LT(residual_at(reciprocal(), reciprocal().optimum).total(), 1e-12);
  EXPECT_LT(residual_at(with_positive_sensitivities(), with_positive_sensitivities().optimum).total(), 1e-12);
  EXPECT_LT(residual_at(with_inactive_volume(), with_inactive_volume().optimum).total(), 1e-12);
  EXPECT_LT(residual_at(rosenbrock(0.5), rosenbrock(0.5).optimum).total(), 1e-13);
  // The published optimum has 9 digits, and second derivatives are of order 10.
  EXPECT_LT(residual_at(hock_schittkowski_71(), hock_schittkowski_71().optimum).total(), 1e-6);
}

TEST(KktResidual, IsLargeAwayFromThem) {
  EXPECT_GT(residual_at(cantilever_beam(), cantilever_beam().start).total(), 1e-2);
  EXPECT_GT(residual_at(reciprocal(), reciprocal().start).total(), 1e-1);
  EXPECT_GT(residual_at(rosenbrock(), rosenbrock().start).total(), 1.0);
  ToyProblem p = with_positive_sensitivities();
  VectorXd x = p.optimum;
  x[0] += 0.01;  // from its lower bound, where L is about 2 + mu
  x[1] -= 0.01;
  EXPECT_NEAR(residual_at(with_positive_sensitivities(), x).stationarity, 0.01, 1e-12);
}

// A variable near its lower bound counts as little as its range says: with L_1 > 0 and L_2 < 0 of the fit, the multiplier
// makes (w_1 (mu - 1))^2 + (w_2 (mu - 2))^2 least, where w_1 = 10/100 and w_2 = 1/2.
TEST(KktResidual, WeighsVariablesByTheirDistanceFromBoundsInRanges) {
  Evaluation e;
  e.gradient = vec({-1.0, -2.0});
  e.constraints = vec({0.0});
  e.constraint_gradients = MatrixXd::Ones(1, 2);
  const KktResidual residual = kkt_residual(vec({10.0, 0.5}), e, vec({0.0, 0.0}), vec({100.0, 1.0}), 0, 1.0);
  EXPECT_NEAR(residual.multipliers[0], (0.01 * 1.0 + 0.25 * 2.0) / (0.01 + 0.25), 1e-12);
}

// At its only bound a variable has a slope of its own, and does not count in the fit of multipliers.
TEST(KktResidual, LeavesOutVariablesAtTheirOnlyBound) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double side : {1.0, -1.0}) {
    Evaluation e;
    e.gradient = vec({-10.0 * side, -1.0});
    e.constraints = vec({0.0});
    e.constraint_gradients = MatrixXd::Ones(1, 2);
    const VectorXd lower = vec({side > 0.0 ? -inf : 0.0, -inf}), upper = vec({side > 0.0 ? 0.0 : inf, inf});
    EXPECT_NEAR(kkt_residual(vec({0.0, 0.5}), e, lower, upper, 1, 1.0).stationarity, 0.0, 1e-12) << side;
  }
}

TEST(KktResidual, GrowsInProportionToTheDistance) {
  const ToyProblem p = stiffest_beam();
  const VectorXd d = vec({1.0, -1.0, 1.0, -1.0, 0.0});  // along the volume
  const double near = residual_at(stiffest_beam(), p.optimum + 1e-4 * d).stationarity;
  const double far = residual_at(stiffest_beam(), p.optimum + 2e-4 * d).stationarity;
  EXPECT_GT(near, 1e-6);
  EXPECT_NEAR(far / near, 2.0, 1e-2);  // second order terms: 4 * 2e-4 / 2
}

TEST(KktResidual, FindsTheMultiplier) {
  // x_i = sqrt(c_i / (d_i + mu / V)) for variables inside the bounds.
  const Separable s = reciprocal_data(20);
  const VectorXd x = s.optimum();
  Index inside = 0;
  while (x[inside] == 1.0) ++inside;
  const double expected = s.volume * s.c[inside] / (x[inside] * x[inside]);
  EXPECT_NEAR(residual_at(reciprocal(), x).multipliers[0], expected, 1e-10 * expected);
}

TEST(KktResidual, FindsAMultiplierWhereAllVariablesAreOnTheirBounds) {
  // minimize -3 x0 - x1 under x0 + x1 <= 1: optimum (1, 0) with 1 <= mu <= 3.
  const KktResidual r = linear(vec({1.0, 0.0}), vec({-3.0, -1.0}), vec({0.0}), MatrixXd::Ones(1, 2));
  EXPECT_EQ(r.total(), 0.0);
  EXPECT_GE(r.multipliers[0], 1.0);
  EXPECT_LE(r.multipliers[0], 3.0);
  // minimize -x0 - 3 x1: (1, 0) is a vertex, but the worst one.
  EXPECT_GT(linear(vec({1.0, 0.0}), vec({-1.0, -3.0}), vec({0.0}), MatrixXd::Ones(1, 2)).stationarity, 0.5);
}

TEST(KktResidual, GivesMultipliersToInequalitiesThatAreNearlyActive) {
  Evaluation e;
  e.gradient = vec({-1.0, -1.0});
  e.constraints = vec({-5e-3});
  e.constraint_gradients = MatrixXd::Ones(1, 2);
  const VectorXd x = vec({0.4, 0.6}), lower = VectorXd::Zero(2), upper = VectorXd::Ones(2);
  EXPECT_DOUBLE_EQ(kkt_residual(x, e, lower, upper, 0, 1.0).stationarity, 0.6);
  const KktResidual wide = kkt_residual(x, e, lower, upper, 0, 1.0, vec({1e-2}));
  EXPECT_LT(wide.stationarity, 1e-14);
  EXPECT_DOUBLE_EQ(wide.total(), 5e-3) << "the distance from the bound counts";
}

TEST(KktResidual, GivesInequalitiesNoNegativeMultiplier) {
  // The objective pulls into the feasible side: with mu = -1 the gradient would vanish.
  const VectorXd x = vec({0.5, 0.5}), df = vec({1.0, 1.0});
  const KktResidual inequality = linear(x, df, vec({0.0}), MatrixXd::Ones(1, 2), 0, 4.0);
  EXPECT_EQ(inequality.multipliers[0], 0.0);
  EXPECT_DOUBLE_EQ(inequality.stationarity, 0.25);
  const KktResidual equality = linear(x, df, vec({0.0}), MatrixXd::Ones(1, 2), 1, 4.0);
  EXPECT_DOUBLE_EQ(equality.multipliers[0], -1.0);
  EXPECT_LT(equality.total(), 1e-15);
}

TEST(KktResidual, GivesInactiveConstraintsNoMultiplier) {
  const VectorXd x = vec({0.5, 0.5}), df = vec({-1.0, -1.0});
  const KktResidual r = linear(x, df, vec({-0.2}), MatrixXd::Ones(1, 2), 0, 4.0);
  EXPECT_EQ(r.multipliers[0], 0.0);
  EXPECT_DOUBLE_EQ(r.stationarity, 0.25);
}

TEST(KktResidual, CountsTheGapOfANearlyActiveConstraint) {
  const KktResidual r = linear(vec({0.5, 0.5}), vec({-1.0, -1.0}), vec({-1e-4}), MatrixXd::Ones(1, 2));
  EXPECT_NEAR(r.multipliers[0], 1.0, 1e-14);
  EXPECT_DOUBLE_EQ(r.complementarity, 1e-4);
  EXPECT_DOUBLE_EQ(r.total(), 1e-4);
}

// What a multiplier weighs does not depend on the unit of its constraint, whose gradient is 1e4 here.
TEST(KktResidual, WeighsMultipliersByTheGradientsOfTheirConstraints) {
  const KktResidual r =
      linear(vec({0.5, 0.5}), vec({-1.0, -1.0}), vec({-5e-4}), 1e4 * MatrixXd::Ones(1, 2), 0, 2.0);
  EXPECT_NEAR(r.multipliers[0], 1e-4, 1e-16);
  EXPECT_DOUBLE_EQ(r.complementarity, 5e-4);  // of 1e-4 * 1e4 / 2
}

TEST(KktResidual, CountsViolations) {
  const VectorXd x = vec({0.5, 0.5}), zero = VectorXd::Zero(2);
  EXPECT_DOUBLE_EQ(linear(x, zero, vec({0.3}), MatrixXd::Ones(1, 2)).total(), 0.3);
  EXPECT_DOUBLE_EQ(linear(x, zero, vec({-0.3}), MatrixXd::Ones(1, 2), 1).total(), 0.3);
  EXPECT_DOUBLE_EQ(linear(x, zero, vec({-0.3}), MatrixXd::Ones(1, 2), 0).total(), 0.0);
}

TEST(KktResidual, CopesWithSeveralAndWithDependentConstraints) {
  // df = -(2, 1, 0): multipliers 2, 1 of the first two; the third would have to be negative.
  const VectorXd x = VectorXd::Constant(3, 0.5), df = vec({-2.0, -1.0, 1.0});
  const KktResidual r = linear(x, df, VectorXd::Zero(3), MatrixXd::Identity(3, 3));
  EXPECT_NEAR((r.multipliers - vec({2.0, 1.0, 0.0})).norm(), 0.0, 1e-14);
  EXPECT_DOUBLE_EQ(r.stationarity, 0.5);  // projected onto the lower bound
  MatrixXd twice(2, 3);
  twice << 1.0, 1.0, 1.0, 2.0, 2.0, 2.0;
  EXPECT_LT(linear(x, VectorXd::Constant(3, -4.0), VectorXd::Zero(2), twice).total(), 1e-14);
}

// Instants of a path constraint next to each other: gradients a and a + w b. Normal equations resolve w^2
// only.
TEST(KktResidual, CopesWithNearlyDependentConstraints) {
  constexpr double w = 1e-6;
  MatrixXd J(2, 4);
  J.row(0) = vec({0.7, -0.4, 0.9, 0.3}).transpose();
  J.row(1) = J.row(0) + w * vec({0.2, 0.8, -0.5, 0.6}).transpose();
  const KktResidual r =
      linear(VectorXd::Constant(4, 0.5), -J.transpose() * vec({3e4, 1e4}), VectorXd::Zero(2), J, 2);
  EXPECT_LT(r.stationarity, 1e-10);  // multipliers of 4e4 times the rounding unit, with a factor of ten
}

/// The least residual of stationarity with multipliers that are not negative: its slopes are zero or point inwards.
TEST(KktResidual, HasTheBestMultipliersOfInequalitiesThatOpposeEachOther) {
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  const auto random = [&] { return normal(engine); };
  for (int trial = 0; trial < 100; ++trial) {
    const Index n = 6, m = 5;
    Evaluation e;
    e.gradient = VectorXd::NullaryExpr(n, random);
    e.constraints = VectorXd::Zero(m);
    const VectorXd common = VectorXd::NullaryExpr(n, random);
    e.constraint_gradients = common.transpose().replicate(m, 1) + 0.5 * MatrixXd::NullaryExpr(m, n, random);
    const VectorXd far = VectorXd::Constant(n, std::numeric_limits<double>::infinity());
    const VectorXd mu = kkt_residual(VectorXd::Zero(n), e, -far, far, 0, 1.0, {}).multipliers;
    const VectorXd slopes = e.constraint_gradients * (e.gradient + e.constraint_gradients.transpose() * mu);
    EXPECT_GE(mu.minCoeff(), 0.0) << trial;
    EXPECT_GE(slopes.minCoeff(), -1e-9) << trial;
    EXPECT_LT(slopes.cwiseProduct(mu).cwiseAbs().maxCoeff(), 1e-9) << trial;
  }
}

TEST(KktResidual, NeedsNoConstraints) {
  EXPECT_DOUBLE_EQ(linear(vec({0.5}), vec({0.1}), VectorXd(), MatrixXd(0, 1), 0, 2.0).total(), 0.05);
  EXPECT_DOUBLE_EQ(linear(vec({0.0}), vec({0.1}), VectorXd(), MatrixXd(0, 1), 0, 2.0).total(), 0.0);
  EXPECT_NEAR(linear(vec({1.0}), vec({0.1}), VectorXd(), MatrixXd(0, 1), 0, 2.0).total(), 0.05, 1e-15);
}

}  // namespace
}  // namespace kurbel
