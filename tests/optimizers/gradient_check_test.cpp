#include "optimizers/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "base/errors.hpp"
#include "checked_functions.hpp"
#include "optimizers/extrapolation.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using test::large_steps, test::lower, test::middle, test::n, test::smooth, test::upper, test::verdict_on;

ScalarFunction values() {
  return [](const VectorXd& x) { return std::optional(smooth.value(x)); };
}

GradientCheckOptions everything() {
  GradientCheckOptions options;
  options.n_elements = n;
  options.n_directions = 4;
  return options;
}

TEST(GradientCheck, AcceptsTheRightGradient) {
  const auto rows = check_gradient(values(), middle, smooth.gradient(middle), lower, upper, everything());
  ASSERT_EQ(rows.size(), 16u);
  EXPECT_EQ(rows[0].label(), "variable 0");
  EXPECT_EQ(rows[12].label(), "direction 1");
  // Differences cancel to 1e-16 / step, step 2e-5 at the least; extrapolation does better.
  EXPECT_LT(worst_relative_error(rows), 1e-10);
  for (Index i = 0; i < n; ++i) {
    EXPECT_EQ(rows[i].adjoint, smooth.gradient(middle)[i]);
    EXPECT_NEAR(rows[i].difference, rows[i].adjoint, 1e-10);
    EXPECT_LT(rows[i].uncertainty, 1e-8);
  }
}

TEST(GradientCheck, FindsOneWrongElement) {
  VectorXd gradient = smooth.gradient(middle);
  gradient[7] *= 1.0 + 1e-6;
  const auto rows = check_gradient(values(), middle, gradient, lower, upper, everything());
  for (Index i = 0; i < n; ++i) {
    if (i == 7) {
      EXPECT_NEAR(rows[i].relative_error, 1e-6, 1e-8);
    } else {
      EXPECT_LT(rows[i].relative_error, 1e-10);
    }
  }
  for (std::size_t k = n; k < rows.size(); ++k) EXPECT_GT(rows[k].relative_error, 1e-9);
}

TEST(GradientCheck, FindsWrongGradientsOfManyKinds) {
  const VectorXd right = smooth.gradient(middle);
  const auto worst = [&](const VectorXd& gradient) {
    return worst_relative_error(check_gradient(values(), middle, gradient, lower, upper, everything()));
  };
  EXPECT_NEAR(worst(-right), 2.0, 1e-6);
  EXPECT_NEAR(worst(VectorXd::Zero(n)), 1.0, 1e-6);
  EXPECT_NEAR(worst((1.0 + 1e-5) * right), 1e-5, 1e-7);
  EXPECT_GT(worst(right.reverse()), 0.1);
  EXPECT_GT(worst(smooth.gradient(middle.array() + 1e-4)), 1e-5);  // at another point
}

TEST(GradientCheck, JudgesTinyEntriesByTheirWeight) {
  // Entry 0 is exactly zero: an error of 1e-9 of the largest entry is 1e-6 of what counts as small.
  const ScalarFunction f = [](const VectorXd& x) { return std::optional(x[1] * x[1]); };
  const VectorXd x = VectorXd::Constant(2, 0.5), zero = VectorXd::Zero(2), one = VectorXd::Ones(2);
  GradientCheckOptions options;
  options.n_directions = 0;
  const auto rows = check_gradient(f, x, (VectorXd(2) << 1e-9, 1.0).finished(), zero, one, options);
  EXPECT_NEAR(rows[0].relative_error, 1e-6, 1e-12);
  EXPECT_NEAR(rows[1].relative_error, 0.0, 1e-12);
}

TEST(GradientCheck, ChoosesStepsWithoutLookingAtTheGradient) {
  const auto right = check_gradient(values(), middle, smooth.gradient(middle), lower, upper, everything());
  const auto wrong = check_gradient(values(), middle, VectorXd::Ones(n), lower, upper, everything());
  for (std::size_t k = 0; k < right.size(); ++k) {
    EXPECT_EQ(right[k].difference, wrong[k].difference);
    EXPECT_EQ(right[k].step, wrong[k].step);
  }
}

TEST(GradientCheck, TakesLargerStepsWhereTheFunctionIsNoisy) {
  int calls = 0;
  const ScalarFunction noisy = [&](const VectorXd& x) {
    return std::optional(smooth.value(x) + (++calls % 2 == 0 ? 1e-9 : -1e-9));
  };
  GradientCheckOptions options = everything();
  options.n_steps = 6;
  options.n_elements = 0;
  const auto rows = check_gradient(noisy, middle, smooth.gradient(middle), lower, upper, options);
  // Noise / smallest step would be 1e-9 / 3e-7 = 3e-3. Truncation at the largest step, about 1e-2^2 / 6, lets
  // the check go to the third, 1e-9 / 1.6e-4 = 6e-6 in derivatives from 0.35 upwards; and it knows that.
  EXPECT_LT(worst_relative_error(rows), 2e-5);
  for (const auto& row : rows) {
    EXPECT_GT(row.step, 1e-4);
    EXPECT_LT(row.relative_error, 3.0 * row.uncertainty);
  }
}

TEST(GradientCheck, StaysWithinTheBounds) {
  VectorXd x = middle;
  x[0] = 0.0;
  x[1] = 1.0;
  x[2] = 1e-5;
  x[3] = 1.0 - 1e-3;
  VectorXd low = lower, high = upper;
  low[4] = high[4] = x[4];
  high[5] = std::numeric_limits<double>::infinity();
  bool inside = true;
  const ScalarFunction f = [&](const VectorXd& y) {
    inside = inside && (y.array() >= low.array()).all() && (y.array() <= high.array()).all();
    return std::optional(smooth.value(y));
  };
  const auto rows = check_gradient(f, x, smooth.gradient(x), low, high, everything());
  EXPECT_TRUE(inside);
  EXPECT_EQ(rows.size(), 15u);  // without the frozen element
  EXPECT_EQ(rows[4].label(), "variable 5");
  EXPECT_LT(worst_relative_error(rows),
            1e-8);  // one-sided differences extrapolate by one order per step only
}

TEST(GradientCheck, GoesInwardsWhereAllVariablesAreOnBounds) {
  VectorXd x(n);
  for (Index i = 0; i < n; ++i) x[i] = i % 2 == 0 ? 0.0 : 1.0;
  bool inside = true;
  const ScalarFunction f = [&](const VectorXd& y) {
    inside = inside && y.minCoeff() >= 0.0 && y.maxCoeff() <= 1.0;
    return std::optional(smooth.value(y));
  };
  const VectorXd right = smooth.gradient(x);
  // One-sided differences cancel to 8 * 1e-16 |f| / (2 * 2e-5) = 1e-10, or 1e-7 of a small entry.
  EXPECT_LT(worst_relative_error(check_gradient(f, x, right, lower, upper, everything())), 1e-7);
  EXPECT_TRUE(inside);
  VectorXd wrong = right;
  wrong[3] += 0.01;
  const auto rows = check_gradient(f, x, wrong, lower, upper, everything());
  EXPECT_GT(rows[3].relative_error, 1e-3);
  for (std::size_t k = n; k < rows.size(); ++k) EXPECT_GT(rows[k].relative_error, 1e-5);
}

TEST(GradientCheck, CountsAFailedEvaluationAsAnError) {
  const ScalarFunction never = [](const VectorXd&) { return std::optional<double>(); };
  const auto rows = check_gradient(never, middle, smooth.gradient(middle), lower, upper, everything());
  for (const auto& row : rows) {
    EXPECT_TRUE(std::isnan(row.difference));
    EXPECT_TRUE(std::isinf(row.relative_error));
  }
  // A failure far out only costs the largest step.
  const ScalarFunction nearby = [](const VectorXd& x) {
    return (x - middle).lpNorm<Eigen::Infinity>() > 5e-3 ? std::nullopt : std::optional(smooth.value(x));
  };
  EXPECT_LT(worst_relative_error(
                check_gradient(nearby, middle, smooth.gradient(middle), lower, upper, everything())),
            1e-9);
}

TEST(GradientCheck, IsReproducibleAndChoosesDistinctElements) {
  GradientCheckOptions options;
  options.n_elements = 5;
  options.seed = 7;
  const auto labels = [&] {
    std::vector<std::string> all;
    for (const auto& row : check_gradient(values(), middle, smooth.gradient(middle), lower, upper, options))
      all.push_back(row.label() + " " + std::to_string(row.adjoint));
    return all;
  };
  const auto first = labels();
  EXPECT_EQ(first, labels());
  EXPECT_EQ(std::set<std::string>(first.begin(), first.end()).size(), first.size());
  options.seed = 8;
  EXPECT_NE(first, labels());
}

TEST(GradientCheck, RefusesBadInput) {
  const VectorXd g = smooth.gradient(middle);
  EXPECT_THROW(check_gradient(values(), middle, g.head(3), lower, upper), InputError);
  EXPECT_THROW(check_gradient(values(), middle.array() + 1.0, g, lower, upper), InputError);
  GradientCheckOptions options;
  options.step_ratio = 1.0;
  EXPECT_THROW(check_gradient(values(), middle, g, lower, upper, options), InputError);
  EXPECT_THROW(taylor_test(values(), middle, g, VectorXd::Ones(3), 0.1), InputError);
}

TEST(GradientCheck, TakesSmallerStepsUntilTheyTellEnough) {
  int calls = 0;
  const auto count = [&](double rate) {
    calls = 0;
    const auto f = [&](double x) { return ++calls, std::sin(rate * x); };
    EXPECT_EQ(verdict_on(f, 0.4, rate * std::cos(rate * 0.4), large_steps()), Agreement::agrees) << rate;
    return calls;
  };
  EXPECT_LT(count(1.0), count(40.0));  // whose period is one and a half of the largest steps
}

// All of f happens near x, and it is all but constant over most of the range.
TEST(GradientCheck, TakesStepsOfTheSizeOfANumberWhoseBoundsSpanDecades) {
  const ScalarFunction f = [](const VectorXd& x) { return std::optional(1.0 / (1.0 + std::abs(x[0]))); };
  for (const double sign : {1.0, -1.0}) {
    for (const double least : {0.0, 1e-3}) {
      const VectorXd x = VectorXd::Constant(1, 2.0 * sign), g = VectorXd::Constant(1, -sign / 9.0);
      VectorXd lower = VectorXd::Constant(1, least), upper = VectorXd::Constant(1, 1e4);
      if (sign < 0.0) std::swap(lower, upper), lower *= -1.0, upper *= -1.0;
      EXPECT_EQ(overall_verdict(check_gradient(f, x, g, lower, upper, large_steps())), Agreement::agrees);
      EXPECT_EQ(overall_verdict(check_gradient(f, x, VectorXd(1.01 * g), lower, upper, large_steps())),
                Agreement::differs);
    }
  }
}

TEST(GradientCheck, TakesMoreSweepsOfSmallerStepsWhereLargeOnesTellNothing) {
  const ScalarFunction f = [](const VectorXd& x) { return std::optional(1.0 / (1.0 + x[0] * x[0])); };
  const VectorXd x = VectorXd::Constant(1, 2.0), g = VectorXd::Constant(1, -4.0 / 25.0),
                 lower = VectorXd::Constant(1, -1e6), upper = VectorXd::Constant(1, 1e6);
  GradientCheckOptions options = large_steps();
  EXPECT_EQ(overall_verdict(check_gradient(f, x, g, lower, upper, options)), Agreement::differs);
  options.n_sweeps = 3;
  EXPECT_EQ(overall_verdict(check_gradient(f, x, g, lower, upper, options)), Agreement::agrees);
  EXPECT_EQ(overall_verdict(check_gradient(f, x, VectorXd(1.01 * g), lower, upper, options)),
            Agreement::differs);
}

// Quotients of values that are noise may agree by chance, and so may those of a flat piece of it.
TEST(GradientCheck, NeverRefusesAGradientOfNoiseThatItMeasures) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> rounding(0.0, 1e-27);
    const ScalarFunction f = [&](const VectorXd&) { return std::optional(rounding(random)); };
    GradientCheckOptions options = large_steps();
    options.n_noise_samples = 3, options.n_sweeps = 3;
    const VectorXd x = VectorXd::Constant(1, 0.4), g = VectorXd::Constant(1, 1e-28);
    const auto rows = check_gradient(f, x, g, VectorXd::Zero(1), VectorXd::Ones(1), options);
    EXPECT_NE(overall_verdict(rows), Agreement::differs) << seed;
  }
}

TEST(GradientCheck, ChecksSeveralFunctionsAlongTheSameLines) {
  int calls = 0;
  const VectorFunction f = [&](const VectorXd& x) {
    ++calls;
    return std::optional<VectorXd>(Eigen::Vector2d(smooth.value(x), x.squaredNorm()));
  };
  MatrixXd gradients(n, 2);
  gradients << smooth.gradient(middle), 2.1 * middle;
  GradientCheckOptions options;
  options.n_elements = 2, options.n_directions = 1;
  const auto rows = check_gradients(f, middle, gradients, lower, upper, options);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(calls, 1 + 3 * 2 * options.n_steps);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(rows[i].function, i < 3 ? 0 : 1);
    EXPECT_EQ(rows[i].label(), rows[i % 3].label());
    EXPECT_EQ(verdict_of(rows[i]), i < 3 ? Agreement::agrees : Agreement::differs);
  }
}

/// Errors of symmetric differences are series of even powers, so that each column takes out one more of them.
TEST(Extrapolation, TakesOutEvenPowersOfSymmetricDifferences) {
  Extrapolation symmetric(2.0, 2, 2);
  for (double h = 0.8; h > 0.04; h *= 0.5) symmetric.add(h, std::sinh(h) / h);
  EXPECT_NEAR(symmetric.estimate().value, 1.0, 1e-12);
  Extrapolation ahead(2.0, 1, 1);
  for (double h = 0.8; h > 0.01; h *= 0.5) ahead.add(h, std::expm1(h) / h);
  EXPECT_NEAR(ahead.estimate().value, 1.0, 1e-10);
}

/// The second quotient repeats the first one by chance, and the entries of later steps are far from both.
TEST(Extrapolation, IsNoSurerThanTheBestEntriesOfOtherSteps) {
  Extrapolation of_noise(2.0, 2, 2);
  double step = 1.0;
  for (const double quotient : {1.0, 1.0, 2.0, 1.5}) of_noise.add(step, quotient), step /= 2.0;
  EXPECT_GT(of_noise.estimate().error, 0.3);
}

TEST(TaylorTest, HasSlopeTwoForTheRightGradientAndOneForAWrongOne) {
  const VectorXd d = VectorXd::LinSpaced(n, -1.0, 2.0);
  const VectorXd right = smooth.gradient(middle);
  // The next term of the remainder is O(h^3): the fitted slope is off by about h, 2e-2 and less.
  EXPECT_NEAR(taylor_test(values(), middle, right, d, 1e-2).slope.value(), 2.0, 0.05);
  EXPECT_NEAR(taylor_test(values(), middle, 1.1 * right, d, 1e-2).slope.value(), 1.0, 0.1);
  EXPECT_NEAR(taylor_test(values(), middle, VectorXd::Zero(n), d, 1e-2).slope.value(), 1.0, 0.1);
}

TEST(TaylorTest, GivesNoSlopeBelowRounding) {
  const ScalarFunction linear = [](const VectorXd& x) { return std::optional(1.0 + x.sum()); };
  const TaylorTest test = taylor_test(linear, middle, VectorXd::Ones(n), VectorXd::Ones(n), 1e-2);
  EXPECT_EQ(test.steps.size(), 6);
  EXPECT_FALSE(test.slope);
}

}  // namespace
}  // namespace kurbel
