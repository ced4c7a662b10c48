/// Tables between their entries, and beyond them.
#include "mechanism/table.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.hpp"

namespace kurbel {
namespace {

using enum TableInterpolation;

const std::vector<double> t = {0.0, 0.5, 0.6, 1.5, 2.0}, rising = {0.0, 0.0, 0.3, 0.31, 1.0};

TEST(MonotoneTable, StaysBetweenTheValuesAroundIt) {
  const auto f = table(t, rising, monotone), spline = table(t, rising, natural);
  double least = 0.0;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    EXPECT_NEAR(f->at(t[i]).value, rising[i], 1e-15);
    for (double s = 0.0; s <= 1.0; s += 0.01) {
      const double at = t[i] + s * (t[i + 1] - t[i]);
      EXPECT_GE(f->at(at).value, rising[i] - 1e-15) << at;
      EXPECT_LE(f->at(at).value, rising[i + 1] + 1e-15) << at;
      EXPECT_GE(f->at(at).rate, -1e-13) << at;
      least = std::min(least, spline->at(at).value);
    }
  }
  EXPECT_LT(least, -0.01);  // which a spline does not
}

TEST(MonotoneTable, IsLevelWhereItTurns) {
  const auto f = table({0.0, 1.0, 2.0, 3.0}, {0.0, 1.0, 1.0, 0.0}, monotone);
  for (const double at : {1.0, 1.3, 2.0}) {
    EXPECT_NEAR(f->at(at).value, 1.0, 1e-15);
    EXPECT_NEAR(f->at(at).rate, 0.0, 1e-14);
  }
}

TEST(MonotoneTable, HasContinuousSlopesThatAreItsDerivatives) {
  constexpr double h = 1e-6;
  const auto f = table(t, {0.1, 0.4, 0.7, 0.2, 0.9}, monotone);
  for (const double at : {0.5, 0.6, 1.5}) EXPECT_NEAR(f->at(at - 1e-12).rate, f->at(at + 1e-12).rate, 1e-9);
  for (const double at : {0.2, 0.55, 1.1, 1.9}) {
    EXPECT_NEAR(f->at(at).rate, (f->at(at + h).value - f->at(at - h).value) / (2.0 * h), 1e-8);
    EXPECT_NEAR(f->at(at).acceleration, (f->at(at + h).rate - f->at(at - h).rate) / (2.0 * h), 1e-7);
  }
}

/// Largest error of n intervals of equal length.
double monotone_error(int n) {
  std::vector<double> times, values;
  for (int i = 0; i <= n; ++i) times.push_back(double(i) / n), values.push_back(std::exp(times.back()));
  const auto f = table(times, values, monotone);
  double error = 0.0;
  for (double at = 0.0; at <= 1.0; at += 1e-3)
    error = std::max(error, std::abs(f->at(at).value - std::exp(at)));
  return error;
}

TEST(MonotoneTable, ConvergesWithItsOrder) {
  // Harmonic means are slopes of second order.
  EXPECT_NEAR(std::log2(monotone_error(40) / monotone_error(80)), 3.0, 0.2);
}

TEST(MonotoneTable, TrustsTheShorterOfTwoIntervalsMore) {
  const std::vector<double> times = {0.0, 1.0, 4.0}, values = {0.0, 1.0, 7.0};
  // 1 / f' = alpha / 1 + (1 - alpha) / 2 with alpha = (1 + 2 * 3) / (3 * 4); of the parabola it is 1.25.
  EXPECT_NEAR(table(times, values, monotone)->at(1.0).rate, 12.0 / 9.5, 1e-15);
  const auto repeated =
      table({0.0, 1.0, 2.0, 4.0, 7.0}, {0.0, 1.0, -2.0, -3.0, 0.0}, monotone, Beyond::repeat);
  EXPECT_NEAR(repeated->at(0.0).rate, 1.0, 1e-15);  // both slopes are 1
  EXPECT_NEAR(repeated->at(7.0 - 1e-12).rate, 1.0, 1e-10);
}

// Intervals differ in length.
TEST(MonotoneTable, BeginsAndEndsWithTheParabolaThroughThreeEntries) {
  const auto parabola = [](double at) { return 0.5 + at + 0.25 * at * at; };
  const std::vector<double> times = {0.0, 1.0, 4.0, 4.5, 6.5};
  std::vector<double> values;
  for (const double at : times) values.push_back(parabola(at));
  const auto f = table(times, values, monotone);
  EXPECT_NEAR(f->at(0.0).rate, 1.0, 1e-14);
  EXPECT_NEAR(f->at(6.5).rate, 1.0 + 0.5 * 6.5, 1e-14);
}

TEST(MonotoneTable, StaysBetweenItsFirstValuesWhereItTurnsSteeply) {
  const auto f = table({0.0, 1.0, 2.0, 3.0}, {0.0, 0.1, -2.9, -3.0}, monotone);
  EXPECT_NEAR(f->at(0.0).rate, 0.3, 1e-15);  // of the parabola it is 1.65
  for (double at = 0.0; at <= 1.0; at += 0.01) EXPECT_LE(f->at(at).value, 0.1 + 1e-15) << at;
}

// The slope where a period ends weighs the last interval with the first one, of other lengths.
TEST(MonotoneTable, ThatRepeatsIsTheMiddleOfThreePeriods) {
  const std::vector<double> times = {0.0, 0.5, 0.7, 1.8, 2.0}, values = {0.0, 0.2, 0.9, -0.5, 0.0};
  std::vector<double> three_times = {-2.0}, three_values = {0.0};
  for (const double shift : {-2.0, 0.0, 2.0}) {
    for (std::size_t i = 1; i < times.size(); ++i)
      three_times.push_back(times[i] + shift), three_values.push_back(values[i]);
  }
  const auto repeated = table(times, values, monotone, Beyond::repeat),
             stated = table(three_times, three_values, monotone);
  EXPECT_GT(stated->at(0.0).rate, 0.1);
  for (const double at : {0.0, 0.1, 0.4, 0.6, 1.0, 1.7, 1.9, 2.0}) {
    EXPECT_NEAR(repeated->at(at).value, stated->at(at).value, 1e-14) << at;
    EXPECT_NEAR(repeated->at(at).rate, stated->at(at).rate, 1e-13) << at;
  }
}

// Periods are counted from the first entry, not from zero.
TEST(MonotoneTable, ThatRepeatsMayBeginAtAnyTime) {
  const auto late = table({0.5, 1.0, 2.0}, {0.0, 1.0, 0.0}, monotone, Beyond::repeat),
             early = table({0.0, 0.5, 1.5}, {0.0, 1.0, 0.0}, monotone, Beyond::repeat);
  for (const double at : {-2.2, 0.1, 0.4, 0.6, 1.3, 1.9, 4.2})
    EXPECT_NEAR(late->at(at + 0.5).value, early->at(at).value, 1e-13) << at;
}

TEST(MonotoneTable, OfTwoEntriesIsAStraightLine) {
  const auto f = table({1.0, 3.0}, {2.0, 6.0}, monotone);
  EXPECT_NEAR(f->at(1.5).value, 3.0, 1e-15);
  EXPECT_NEAR(f->at(2.7).rate, 2.0, 1e-15);
}

TEST(LinearTable, HasStraightLinesBetweenItsEntries) {
  const auto f = table(t, rising, linear);
  EXPECT_NEAR(f->at(0.55).value, 0.15, 1e-15);
  EXPECT_NEAR(f->at(0.55).rate, 3.0, 1e-13);
  EXPECT_EQ(f->at(0.55).acceleration, 0.0);
}

TEST(ConstantTable, HasAValueOnEitherSideOfAJump) {
  const auto f = table(t, rising, constant);
  EXPECT_EQ(f->value({0.55}), 0.0);
  EXPECT_EQ(f->value({0.6, true}), 0.0);
  EXPECT_EQ(f->value({0.6, false}), 0.3);
  EXPECT_EQ(f->value({0.6 + 1e-15, true}), 0.0);  // rounding
  EXPECT_EQ(f->at(1.7).value, 0.31);
  EXPECT_EQ(f->at(1.7).rate, 0.0);
  EXPECT_EQ(f->jumps(0.0, 2.0), (std::vector<double>{0.6, 1.5}));  // at 0.5 nothing changes
  EXPECT_EQ(f->jumps(0.6, 1.5), std::vector<double>{0.6});
}

TEST(ConstantTable, JumpsInEveryPeriodIfItRepeats) {
  const auto f = table({0.0, 1.0, 3.0}, {2.0, 5.0, 2.0}, constant, Beyond::repeat);
  EXPECT_EQ(f->jumps(0.0, 7.0), (std::vector<double>{0.0, 1.0, 3.0, 4.0, 6.0}));
  EXPECT_EQ(f->jumps(3.0, 6.0), (std::vector<double>{3.0, 4.0}));
  // Times that are no binary fractions: both jumps of a period are in it, whatever its ends are rounded to.
  const auto tenths = table({0.0, 0.1, 0.3}, {2.0, 5.0, 2.0}, constant, Beyond::repeat);
  for (int k = 0; k < 50; ++k) EXPECT_EQ(tenths->jumps(0.3 * k, 0.3 * (k + 1)).size(), 2u) << k;
  for (const double period : {0.0, 3.0, -6.0, 9.0}) {
    EXPECT_EQ(f->value({period + 0.5}), 2.0);
    EXPECT_EQ(f->value({period + 1.0, true}), 2.0);
    EXPECT_EQ(f->value({period + 1.0, false}), 5.0);
    EXPECT_EQ(f->value({period + 3.0, true}), 5.0);
    EXPECT_EQ(f->value({period + 3.0, false}), 2.0);
  }
  EXPECT_EQ(table({0.0, 1.0}, {2.0, 5.0}, constant, Beyond::hold)->value({4.0}), 5.0);
}

TEST(HeldTable, KeepsItsFirstAndItsLastValue) {
  for (const TableInterpolation interpolation : {natural, clamped, not_a_knot, monotone, linear}) {
    const auto f = table(t, rising, interpolation, Beyond::hold);
    for (const double at : {2.001, 7.0}) {
      EXPECT_EQ(f->at(at).value, 1.0);
      EXPECT_EQ(f->at(at).rate, 0.0);
      EXPECT_EQ(f->at(at).acceleration, 0.0);
    }
    EXPECT_EQ(f->at(-3.0).value, 0.0);
  }
  // A monotone one does not kink at its ends.
  EXPECT_NEAR(table(t, rising, monotone, Beyond::hold)->at(2.0 - 1e-9).rate, 0.0, 1e-7);
}

TEST(RepeatedTable, GoesOnAsItBegan) {
  const std::vector<double> values = {0.2, 0.4, 0.7, -0.1, 0.2};
  for (const TableInterpolation interpolation : {natural, periodic, monotone, linear}) {
    const auto f = table(t, values, interpolation, Beyond::repeat);
    for (const double at : {0.1, 0.55, 1.3}) {
      for (const double periods : {-3.0, 1.0, 5.0}) {
        EXPECT_NEAR(f->at(at + 2.0 * periods).value, f->at(at).value, 1e-13);
        EXPECT_NEAR(f->at(at + 2.0 * periods).rate, f->at(at).rate, 1e-12);
      }
    }
  }
}

TEST(PeriodicTable, HasTwoContinuousDerivativesWhereItRepeats) {
  const auto f = table(t, {0.2, 0.4, 0.7, -0.1, 0.2}, periodic, Beyond::repeat);
  for (const double at : {0.0, 0.5, 1.5, 2.0, 4.0}) {
    const TimeValue before = f->at(at - 1e-10), after = f->at(at + 1e-10);
    EXPECT_NEAR(before.rate, after.rate, 1e-7);
    EXPECT_NEAR(before.acceleration, after.acceleration, 1e-6);
  }
  // A sine of one period, to the order of splines.
  std::vector<double> times, values;
  for (int i = 0; i <= 20; ++i)
    times.push_back(0.05 * i), values.push_back(i == 20 ? 0.0 : std::sin(0.1 * M_PI * i));
  const auto sine = table(times, values, periodic, Beyond::repeat);
  for (double at = 0.0; at < 1.0; at += 0.013)
    EXPECT_NEAR(sine->at(at).value, std::sin(2.0 * M_PI * at), 3e-5);
}

TEST(Table, IsGivenWithinItsEntriesUnlessItGoesOn) {
  EXPECT_EQ(table(t, rising)->range().begin, 0.0);
  EXPECT_EQ(table(t, rising, monotone)->range().end, 2.0);
  EXPECT_TRUE(std::isinf(table(t, rising, monotone, Beyond::hold)->range().end));
  EXPECT_TRUE(std::isinf(constant_rate(1.0, 0.0)->range().begin));
}

TEST(Table, RefusesToRepeatWithAnotherValueThanItBeganWith) {
  EXPECT_THROW(table(t, rising, monotone, Beyond::repeat), InputError);
}

// One cubic over the first two intervals and one over the last two: accelerations there are on straight lines.
TEST(NotAKnotTable, HasOneCubicOverTwoIntervalsAtEachEnd) {
  const std::vector<double> times = {0.0, 0.5, 1.5, 1.8, 3.0, 3.7, 4.0};
  const auto f = table(times, {0.3, -0.2, 0.9, 0.1, 0.4, -0.6, 0.2}, TableInterpolation::not_a_knot);
  const auto slope = [&](std::size_t i) {
    return (f->at(times[i + 1]).acceleration - f->at(times[i]).acceleration) / (times[i + 1] - times[i]);
  };
  EXPECT_NEAR(slope(0), slope(1), 1e-11 * std::abs(slope(0)));
  EXPECT_NEAR(slope(5), slope(4), 1e-11 * std::abs(slope(5)));
  EXPECT_GT(std::abs(slope(2) - slope(1)), 1.0);
  EXPECT_GT(std::abs(slope(3) - slope(4)), 1.0);
}

TEST(SplineBasis, WeighsItsValuesBeyondTheTableToo) {
  const VectorXd y = (VectorXd(5) << 0.2, 0.4, 0.7, -0.1, 0.2).finished();
  MatrixXd w(3, 5);
  for (const auto& [interpolation, beyond] :
       {std::pair{clamped, Beyond::hold}, std::pair{periodic, Beyond::repeat}}) {
    const auto spline = table(t, {y.begin(), y.end()}, interpolation, beyond);
    const SplineBasis basis(t, interpolation, beyond);
    for (const double at : {-0.7, 0.3, 1.9, 2.4, 9.1}) {
      basis.weights(at, w);
      EXPECT_NEAR((w.row(0) * y).value(), spline->at(at).value, 1e-13) << at;
      EXPECT_NEAR((w.row(1) * y).value(), spline->at(at).rate, 1e-12) << at;
      EXPECT_NEAR((w.row(2) * y).value(), spline->at(at).acceleration, 1e-11) << at;
    }
  }
}

}  // namespace
}  // namespace kurbel
