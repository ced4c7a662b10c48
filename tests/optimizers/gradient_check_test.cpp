#include "optimizers/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "base/errors.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr Index n = 12;

/// Smooth, coupled, with gradient entries of very different size: f = exp(a.x) + sum w_i sin(x_i + i).
struct Smooth {
  VectorXd a = VectorXd::LinSpaced(n, -0.5, 0.5);
  VectorXd w = VectorXd::LinSpaced(n, 0.0, -10.0).array().exp();

  double value(const VectorXd& x) const {
    double f = std::exp(a.dot(x));
    for (Index i = 0; i < n; ++i) f += w[i] * std::sin(x[i] + double(i));
    return f;
  }
  VectorXd gradient(const VectorXd& x) const {
    VectorXd g = std::exp(a.dot(x)) * a;
    for (Index i = 0; i < n; ++i) g[i] += w[i] * std::cos(x[i] + double(i));
    return g;
  }
};

const Smooth smooth;
const VectorXd lower = VectorXd::Zero(n), upper = VectorXd::Ones(n);
const VectorXd middle = VectorXd::LinSpaced(n, 0.2, 0.8);

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

/// The verdict on the derivative of a function of one variable.
Agreement verdict_on(const std::function<double(double)>& f, double x, double derivative,
                     const GradientCheckOptions& options) {
  const auto rows =
      check_gradient([&](const VectorXd& at) { return std::optional(f(at[0])); }, VectorXd::Constant(1, x),
                     VectorXd::Constant(1, derivative), VectorXd::Zero(1), VectorXd::Ones(1), options);
  return overall_verdict(rows);
}

/// The steps of a program whose function is expensive and noisy.
GradientCheckOptions large_steps() {
  GradientCheckOptions options;
  options.largest_step = 0.1, options.step_ratio = 2.0, options.n_steps = 10, options.sufficient = 1e-7;
  return options;
}

TEST(Agreement, TellsRightFromWrongGradients) {
  const auto f = [](double x) { return std::exp(x); };
  const double right = std::exp(0.4);
  EXPECT_EQ(verdict_on(f, 0.4, right, large_steps()), Agreement::agrees);
  for (const double wrong : {0.99999 * right, 1.05 * right, -right, 0.0, 2.7 * right})
    EXPECT_EQ(verdict_on(f, 0.4, wrong, large_steps()), Agreement::differs) << wrong;
}

TEST(Agreement, CannotTellOfAFunctionThatJumpsAtThePoint) {
  // Another branch at this very point: the differences on both sides of it agree with each other.
  const auto f = [](double x) { return x == 0.5 ? 2.66 : 0.1 * x; };
  for (const double derivative : {0.1, 0.0, 1.14, -3.0})
    EXPECT_EQ(verdict_on(f, 0.5, derivative, large_steps()), Agreement::cannot_tell) << derivative;
  const auto step = [](double x) { return x > 0.5 ? 2.66 : 0.1 * x; };
  EXPECT_NE(verdict_on(step, 0.5, 1.14, large_steps()), Agreement::agrees);
}

TEST(Agreement, NeverAgreesWithAWrongDerivativeOfAFunctionThatJumpsEverywhere) {
  for (const double cell : {1e-5, 1.37e-5, 3.3e-5}) {
    const auto f = [&](double x) { return std::fmod(std::floor(x / cell), 2.0) == 0.0 ? 2.125 : 0.1 * x; };
    for (const double derivative : {0.05, 1.14, -3.0, 40.0})
      EXPECT_NE(verdict_on(f, 0.3, derivative, large_steps()), Agreement::agrees)
          << cell << " " << derivative;
  }
}

TEST(Agreement, CannotTellOfANoisyFunction) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> noise(-1e-2, 1e-2);
  const auto f = [&](double x) { return std::exp(x) + noise(random); };
  // The noise over the largest step is 10 %: more than a check may leave open, whatever the gradient.
  for (const double factor : {1.0, 1.05, 0.9}) {
    EXPECT_EQ(verdict_on(f, 0.4, factor * std::exp(0.4), large_steps()), Agreement::cannot_tell) << factor;
  }
}

TEST(Agreement, NeverRefusesTheRightDerivativeOfAFunctionThatChangesInItsLastDigitsAlone) {
  for (double slope = 1e-15; slope < 1e-10; slope *= 1.07) {
    const auto f = [&](double x) { return 0.013 + slope * x; };
    EXPECT_NE(verdict_on(f, 0.4, slope, large_steps()), Agreement::differs) << slope;
  }
}

TEST(Agreement, HardlyEverErrsWhateverTheNoise) {
  constexpr int n_samples = 1000;
  for (const double size : {1e-10, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1}) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> noise(-size, size);
    const auto f = [&](double x) { return std::exp(x) + noise(random); };
    int refused = 0, approved = 0;
    for (int i = 0; i < n_samples; ++i) {
      refused += verdict_on(f, 0.4, std::exp(0.4), large_steps()) == Agreement::differs;
      approved += verdict_on(f, 0.4, 1.05 * std::exp(0.4), large_steps()) == Agreement::agrees;
    }
    // Estimated errors are themselves random: three independent steps agree by chance now and then.
    EXPECT_LE(refused, n_samples / 200) << size;
    EXPECT_LE(approved, n_samples / 200) << size;
  }
}

TEST(Agreement, CannotTellOfADerivativeBetweenThoseOfBothSidesOfAKink) {
  const auto f = [](double x) { return x + std::abs(x - 0.5); };
  EXPECT_EQ(verdict_on(f, 0.5, 1.0, large_steps()), Agreement::cannot_tell);
  EXPECT_EQ(verdict_on(f, 0.5, 0.0, large_steps()), Agreement::cannot_tell);
  EXPECT_EQ(verdict_on(f, 0.5, 30.0, large_steps()), Agreement::differs);
}

TEST(Agreement, AgreesNextToAKinkThatOneSideAvoids) {
  for (const double distance : {1e-6, 1e-3, 3e-2}) {
    const auto f = [&](double x) { return std::sin(x) + std::max(0.0, x - 0.5 - distance); };
    GradientCheckOptions told = large_steps();
    told.is_smooth_up_to = [&](const VectorXd& to) { return to[0] <= 0.5 + distance; };
    EXPECT_EQ(verdict_on(f, 0.5, std::cos(0.5), told), Agreement::agrees) << distance;
    EXPECT_EQ(verdict_on(f, 0.5, 1.05 * std::cos(0.5), told), Agreement::differs) << distance;
  }
  // Nobody told it of the kink: it finds that one side does not converge, or that smaller steps do.
  for (const double distance : {2e-3, 3e-2}) {
    const auto f = [&](double x) { return std::sin(x) + std::max(0.0, x - 0.5 - distance); };
    EXPECT_EQ(verdict_on(f, 0.5, std::cos(0.5), large_steps()), Agreement::agrees) << distance;
    EXPECT_EQ(verdict_on(f, 0.5, 1.05 * std::cos(0.5), large_steps()), Agreement::differs) << distance;
  }
}

TEST(Agreement, AgreesAmongManyVariablesWithKinksOnOneSide) {
  // As densities all of which stand just above a threshold: no direction of mixed signs avoids it.
  const double threshold = 0.1;
  const auto term = [&](double p) { return p < threshold ? std::pow(p, 6.0) / std::pow(threshold, 5.0) : p; };
  const ScalarFunction f = [&](const VectorXd& x) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i) sum += (1.0 + double(i)) * std::exp(term(x[i]));
    return std::optional(sum);
  };
  for (const double distance : {0.0, 1e-6, 1e-3}) {
    const VectorXd x = VectorXd::Constant(n, threshold + distance);
    VectorXd gradient(n);
    for (Index i = 0; i < n; ++i) gradient[i] = (1.0 + double(i)) * std::exp(x[i]);
    GradientCheckOptions options = large_steps();
    options.n_elements = 4;
    options.is_smooth_up_to = [&](const VectorXd& to) { return (to.array() >= threshold).all(); };
    const auto rows = check_gradient(f, x, gradient, lower, upper, options);
    ASSERT_EQ(rows.size(), 7u);
    EXPECT_EQ(overall_verdict(rows), Agreement::agrees) << distance;
    EXPECT_EQ(overall_verdict(check_gradient(f, x, 1.05 * gradient, lower, upper, options)),
              Agreement::differs);
  }
}

TEST(Agreement, IsNotReachedWhereNothingCanBeEvaluated) {
  const ScalarFunction never = [](const VectorXd&) { return std::optional<double>(); };
  EXPECT_EQ(overall_verdict(check_gradient(never, middle, smooth.gradient(middle), lower, upper)),
            Agreement::cannot_tell);
  EXPECT_EQ(overall_verdict({}), Agreement::cannot_tell);
}

// The square of a place that stays at zero: what is left is the square of what Newton's method leaves of it.
TEST(Agreement, AgreesThatAZeroHasNoDerivativeWhateverRoundingLeavesOfIt) {
  for (const double left : {1e-36, 1e-49, 1e-90, 1e-150}) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> rounding(-left, left);
    const auto f = [&](double x) { return x > 0.45 ? 0.0 : std::pow(rounding(random), 2); };
    EXPECT_EQ(verdict_on(f, 0.4, 0.0, large_steps()), Agreement::agrees) << left;
    EXPECT_EQ(verdict_on(f, 0.4, 1e-20, large_steps()), Agreement::differs) << left;
  }
}

TEST(Agreement, AgreesThatAConstantHasNoDerivative) {
  EXPECT_EQ(verdict_on([](double) { return 0.0; }, 0.4, 0.0, large_steps()), Agreement::agrees);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> rounding(-1e-15, 1e-15);
  const auto f = [&](double) { return 3.0 * (1.0 + rounding(random)); };
  EXPECT_EQ(verdict_on(f, 0.4, 0.0, large_steps()), Agreement::agrees);
  EXPECT_EQ(verdict_on(f, 0.4, 1e-3, large_steps()), Agreement::differs);
}

TEST(Agreement, GoesByTheGivenToleranceAsFarAsTheDifferencesReach) {
  GradientCheckRow row;
  row.relative_error = 1e-5, row.uncertainty = 1e-8;
  EXPECT_EQ(verdict_of(row), Agreement::differs);
  EXPECT_EQ(verdict_of(row, 1e-4), Agreement::agrees);
  row.uncertainty = 1e-5;
  EXPECT_EQ(verdict_of(row), Agreement::agrees);
  EXPECT_EQ(verdict_of(row, 1e-6), Agreement::cannot_tell);
  row.relative_error = 1.14, row.uncertainty = 0.3;
  EXPECT_EQ(verdict_of(row), Agreement::cannot_tell);
  EXPECT_EQ(verdict_of(row, 2.0), Agreement::agrees);
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
