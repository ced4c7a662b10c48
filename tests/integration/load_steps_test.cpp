#include "integration/load_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kurbel::test {
namespace {

TEST(LoadSteps, GrowWhereNewtonsIterationIsFast) {
  std::vector<double> lefts;
  const double loads = take_load_steps(
      [&](double left) {
        lefts.push_back(left);
        return LoadStep{4, true};
      },
      [] { return true; });
  EXPECT_EQ(loads, 1.0);
  EXPECT_EQ(lefts, (std::vector{0.875, 0.625, 0.125, 0.0}));
}

TEST(LoadSteps, ShrinkWhereNewtonsIterationFailsAndReturnToTheStateBefore) {
  double x = 1.0, before = 0.0;
  int n_failed = 0;
  // Attempts over more than a tenth of the loads fail, and leave a state that is none.
  const double loads = take_load_steps(
      [&](double left) {
        before = x;
        const bool accepted = std::abs(x - left) < 0.1;
        x = accepted ? left : -1.0;
        if (!accepted) ++n_failed;
        return LoadStep{accepted ? 4 : 12, accepted};
      },
      [&] {
        x = before;
        return true;
      });
  EXPECT_EQ(loads, 1.0);
  EXPECT_EQ(x, 0.0);
  // A step that mended a failure is not at once lengthened to one that failed.
  EXPECT_LE(n_failed, 8);
}

TEST(LoadSteps, EndAtALimitLoadAndSayHowFarTheyCame) {
  int iterations = 0;
  const double loads = take_load_steps(
      [&](double left) {
        const LoadStep taken{left < 0.3 ? 12 : 4, left >= 0.3};
        iterations += taken.iterations;
        return taken;
      },
      [] { return true; });
  EXPECT_NEAR(loads, 0.7, 1e-2);
  EXPECT_LT(loads, 0.7);
  EXPECT_LE(iterations, 150);
}

// A thousand steps of twelve iterations each took minutes.
TEST(LoadSteps, AreBoundedInTheirIterationsAltogether) {
  int iterations = 0;
  double left_last = 1.0;
  const double loads = take_load_steps(
      [&](double left) {
        const LoadStep taken{12, left_last - left < 1e-3};
        if (taken.accepted) left_last = left;
        iterations += taken.iterations;
        return taken;
      },
      [] { return true; });
  EXPECT_LT(loads, 1.0);
  EXPECT_LE(iterations, 420);
}

}  // namespace
}  // namespace kurbel::test
