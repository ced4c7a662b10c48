/// Verdicts on one derivative: it agrees with differences, it does not, or they cannot tell.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "checked_functions.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using test::large_steps, test::lower, test::middle, test::n, test::smooth, test::upper, test::verdict_on;

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
}  // namespace
}  // namespace kurbel
