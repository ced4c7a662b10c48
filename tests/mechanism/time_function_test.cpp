/// Prescribed motions.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/errors.hpp"
#include "mechanism/composed_function.hpp"
#include "mechanism/table.hpp"

namespace kurbel {
namespace {

constexpr double pi = std::numbers::pi;

/// Derivatives as given agree with central differences of the value, O(h^2).
void expect_consistent_derivatives(const TimeFunction& f, double t) {
  const double h = 1e-4;
  const double minus = f.at(t - h).value, here = f.at(t).value, plus = f.at(t + h).value;
  EXPECT_NEAR(f.at(t).rate, (plus - minus) / (2 * h), 1e-5);
  EXPECT_NEAR(f.at(t).acceleration, (plus - 2 * here + minus) / (h * h), 1e-4);
}

TEST(TimeFunction, PolynomialMeetsTheEndConditionsOfTheCrankDrive) {
  // [P0, eq. 80]: from rest to 12 pi rad at 12 pi rad/s, accelerations and jerks zero at both ends.
  const auto drive = polynomial({0.0, {0, 0, 0, 0}}, {2.0, {12 * pi, 12 * pi, 0, 0}});
  EXPECT_NEAR(drive->at(0.0).value, 0.0, 1e-12);
  EXPECT_NEAR(drive->at(0.0).rate, 0.0, 1e-12);
  EXPECT_NEAR(drive->at(0.0).acceleration, 0.0, 1e-12);
  EXPECT_NEAR(drive->at(2.0).value, 12 * pi, 1e-11);
  EXPECT_NEAR(drive->at(2.0).rate, 12 * pi, 1e-11);
  EXPECT_NEAR(drive->at(2.0).acceleration, 0.0, 1e-10);
  const double h = 1e-3;  // jerk of a polynomial of degree 7 with a zero there: O(h)
  EXPECT_NEAR((drive->at(2.0).acceleration - drive->at(2.0 - h).acceleration) / h, 0.0, 2.0);
  expect_consistent_derivatives(*drive, 0.7);
  EXPECT_NEAR(drive->at(3.0).value, 24 * pi, 1e-10);  // goes on at its last rate
}

TEST(TimeFunction, ComposedOfTwoHasTheDerivativesOfBoth) {
  const auto inner = polynomial({0.0, {0.1, 0.3, 0.2}}, {1.0, {0.8, 0.5, -0.4}});
  const auto outer = polynomial({0.0, {0.0, 1.0, 0.0}}, {1.0, {2.0, -1.0, 0.0}});
  for (const double t : {0.2, 0.5, 0.9}) expect_consistent_derivatives(*composed(outer, inner), t);
}

TEST(TimeFunction, RelativeOneHasItsValuesAtTheSameSharesOfAnyMotion) {
  const TimeFunctionPtr of_share = table({0.0, 0.4, 1.0}, {1.0, -2.0, 3.0}),
                        steps = table({0.0, 0.5, 1.0}, {1.0, 2.0, 3.0}, TableInterpolation::constant);
  const TimeFunctionPtr shorter =
      scaled(composed(polynomial({0.0, {0.0, 1.0}}, {1.0, {2.0, 0.0}}), relative(of_share, 0.1, 0.6)), 3.0);
  const TimeFunctionPtr longer = in_motion(shorter, 0.1, 1.1);
  for (const double share : {0.2, 0.5, 0.9}) {
    const TimeValue a = shorter->at(0.1 + 0.5 * share), b = longer->at(0.1 + share);
    EXPECT_NEAR(a.value, b.value, 1e-13);
    EXPECT_NEAR(a.rate, 2.0 * b.rate, 1e-12);
    EXPECT_NEAR(a.acceleration, 4.0 * b.acceleration, 1e-11);
    expect_consistent_derivatives(*longer, 0.1 + share);
    // By the end of the motion at a fixed share, by central differences.
    constexpr double h = 1e-6;
    const TimeValue later = in_motion(longer, 0.1, 1.1 + h)->at(0.1 + (1.0 + h) * share),
                    earlier = in_motion(longer, 0.1, 1.1 - h)->at(0.1 + (1.0 - h) * share),
                    by = by_end(b, 1.0);
    EXPECT_NEAR(by.rate, (later.rate - earlier.rate) / (2.0 * h), 1e-7 * (1.0 + std::abs(by.rate)));
    EXPECT_NEAR(by.acceleration, (later.acceleration - earlier.acceleration) / (2.0 * h),
                1e-7 * (1.0 + std::abs(by.acceleration)));
  }
  EXPECT_NEAR(relative(of_share, 0.1, 0.6)->range().begin, 0.1, 1e-15);
  EXPECT_NEAR(relative(of_share, 0.1, 0.6)->range().end, 0.6, 1e-15);
  const TimeFunctionPtr jumping = in_motion(relative(steps, 0.0, 1.0), 1.0, 3.0);
  ASSERT_EQ(jumping->jumps(1.0, 3.0).size(), 1u);
  EXPECT_NEAR(jumping->jumps(1.0, 3.0)[0], 2.0, 1e-15);
  EXPECT_EQ(jumping->value({2.0, true}), 1.0);
  EXPECT_EQ(jumping->value({2.0, false}), 2.0);
  const TimeFunctionPtr held =
      table({0.0, 0.4, 1.0}, {1.0, -2.0, 3.0}, TableInterpolation::clamped, Beyond::hold);
  for (const double end : {1.0 - 2e-16, 1.0, 1.0 + 2e-16})
    EXPECT_EQ(relative(held, 0.0, 1.0)->at(end).acceleration, held->at(1.0).acceleration);
  EXPECT_TRUE(is_relative(*longer));
  EXPECT_FALSE(is_relative(*scaled(of_share, 2.0)));
  EXPECT_EQ(in_motion(of_share, 0.0, 9.0), of_share);
}

TEST(TimeFunction, PolynomialAcceleratesAtEveryInstantWithin) {
  // Where rounding puts t_0 + s T beside t, too.
  const auto f = polynomial({0.0, {-0.1, 2.0, 0.0}}, {0.0544856, {-0.06, 2.0, 0.0}});
  for (int k = 1; k < 200; ++k) {
    const double t = 0.00025 * k, d = 1e-6;
    const double by_differences = (f->at(t + d).rate - f->at(t - d).rate) / (2.0 * d);
    EXPECT_NEAR(f->at(t).acceleration, by_differences, 1e-3) << "t = " << t;
  }
}

TEST(TimeFunction, HarmonicFadesInToItsAmplitude) {
  const auto wave = harmonic(0.05, 2.0, 0.3, 0.1);
  EXPECT_EQ(wave->at(-0.1).value, 0.0);
  for (const double t : {0.1, 0.37, 1.9}) {
    const double angle = 4.0 * EIGEN_PI * t + 0.3, omega = 4.0 * EIGEN_PI;
    EXPECT_NEAR(wave->at(t).value, 0.05 * std::sin(angle), 1e-15);
    EXPECT_NEAR(wave->at(t).acceleration, -omega * omega * 0.05 * std::sin(angle), 1e-12);
  }
  for (const double t : {0.0, 0.1})  // twice differentiable there
    EXPECT_NEAR(wave->at(t - 1e-9).acceleration, wave->at(t + 1e-9).acceleration, 1e-4);
  for (const double t : {0.03, 0.08, 0.5}) {
    const double h = 1e-5;
    EXPECT_NEAR(wave->at(t).rate, (wave->at(t + h).value - wave->at(t - h).value) / (2.0 * h), 1e-6);
    EXPECT_NEAR(wave->at(t).acceleration, (wave->at(t + h).rate - wave->at(t - h).rate) / (2.0 * h), 1e-4);
  }
}

TEST(TimeFunction, SpinUpGoesFromRestToItsRate) {
  const auto drive = spin_up(6.0, 15.0);
  EXPECT_EQ(drive->at(-1.0).value, 0.0);
  EXPECT_EQ(drive->at(0.0).acceleration, 0.0);
  EXPECT_NEAR(drive->at(7.5).rate, 3.0, 1e-14);
  EXPECT_NEAR(drive->at(7.5).acceleration, 0.8, 1e-14);
  expect_consistent_derivatives(*drive, 4.1);
  for (const double t : {15.0 - 1e-9, 15.0 + 1e-9}) {
    EXPECT_NEAR(drive->at(t).value, 45.0, 1e-7);
    EXPECT_NEAR(drive->at(t).rate, 6.0, 1e-12);
    EXPECT_NEAR(drive->at(t).acceleration, 0.0, 1e-12);
  }
  EXPECT_NEAR(drive->at(16.0).value, 51.0, 1e-13);
}

TEST(TimeFunction, TableInterpolatesAndIsSmooth) {
  std::vector<double> t, y;
  for (int i = 0; i <= 20; ++i) {
    t.push_back(0.1 * i * (1 + 0.01 * i));
    y.push_back(std::sin(t.back()));
  }
  const auto spline = table(t, y);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(spline->at(t[i]).value, y[i], 1e-14);
  expect_consistent_derivatives(*spline, 0.83);
  EXPECT_NEAR(spline->at(1.234).value, std::sin(1.234), 1e-5);  // O(h^4) inside
  EXPECT_NEAR(spline->at(t.front()).acceleration, 0.0, 1e-14);  // natural ends
  EXPECT_NEAR(spline->at(t.back() + 1.0).value, y.back() + spline->at(t.back()).rate, 1e-12);
}

TEST(TimeFunction, TableOfClampedEndsBeginsAndEndsAtRest) {
  const auto spline = table({0.5, 1.0, 2.0}, {1.0, 3.0, -1.0}, TableInterpolation::clamped);
  for (const double end : {0.5, 2.0}) EXPECT_NEAR(spline->at(end).rate, 0.0, 1e-14);
  EXPECT_NEAR(spline->at(0.0).value, 1.0, 1e-14);  // rests before, and after
  EXPECT_NEAR(spline->at(5.0).value, -1.0, 1e-13);
  EXPECT_GT(std::abs(spline->at(0.5).acceleration), 1.0);
  expect_consistent_derivatives(*spline, 1.1);
  // Of two points, a cubic step.
  EXPECT_NEAR(table({0.0, 2.0}, {0.0, 8.0}, TableInterpolation::clamped)->at(0.5).value, 8.0 * 5.0 / 32.0,
              1e-14);
}

TEST(TimeFunction, TableWithoutKnotsAtItsEndsReproducesCubics) {
  const auto cubic = [](double t) { return 1.0 + t * (2.0 + t * (-3.0 + 0.5 * t)); };
  const std::vector<double> t = {0.0, 0.3, 0.4, 1.1, 1.5};
  std::vector<double> y;
  for (const double at : t) y.push_back(cubic(at));
  const auto spline = table(t, y, TableInterpolation::not_a_knot);
  for (const double at : {0.1, 0.35, 0.9, 1.3}) {
    EXPECT_NEAR(spline->at(at).value, cubic(at), 1e-13);
    EXPECT_NEAR(spline->at(at).acceleration, -6.0 + 3.0 * at, 1e-12);
  }
  EXPECT_THROW(table({0.0, 1.0, 2.0}, {0.0, 1.0, 2.0}, TableInterpolation::not_a_knot), InputError);
}

TEST(SplineBasis, WeighsItsValuesAsTheSplineThroughThemDoes) {
  const std::vector<double> t = {0.0, 0.3, 0.4, 1.1, 1.5};
  const VectorXd y = VectorXd::LinSpaced(5, 1.0, 3.0).array().square().sin();
  for (const TableInterpolation ends :
       {TableInterpolation::natural, TableInterpolation::clamped, TableInterpolation::not_a_knot}) {
    const auto spline = table(t, {y.begin(), y.end()}, ends);
    const SplineBasis basis(t, ends, Beyond::refused);
    MatrixXd w(3, 5);
    for (const double at : {-1.0, 0.0, 0.3, 0.35, 1.2, 1.5, 2.0}) {
      basis.weights(at, w);
      const TimeValue expected = spline->at(at);
      EXPECT_NEAR((w.row(0) * y).value(), expected.value, 1e-13) << at;
      EXPECT_NEAR((w.row(1) * y).value(), expected.rate, 1e-12) << at;
      EXPECT_NEAR((w.row(2) * y).value(), expected.acceleration, 1e-11) << at;
    }
  }
}

TEST(TimeFunction, RefusesUnusableData) {
  EXPECT_THROW(table({0.0, 1.0, 1.0}, {0.0, 1.0, 2.0}), InputError);
  EXPECT_THROW(table({0.0}, {1.0}), InputError);
  EXPECT_THROW(table({0.0, 1.0}, {1.0}), InputError);
  EXPECT_THROW(polynomial({1.0, {0.0}}, {1.0, {2.0}}), InputError);
  EXPECT_THROW(spin_up(1.0, 0.0), InputError);
  EXPECT_THROW(polynomial({0.0, {}}, {1.0, {2.0}}), InputError);
}

}  // namespace
}  // namespace kurbel
