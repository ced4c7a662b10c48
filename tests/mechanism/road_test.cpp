#include "mechanism/road.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/errors.hpp"

namespace kurbel {
namespace {

TEST(Road, HasTheSlopeAndCurvatureOfItsHeight) {
  constexpr double h = 1e-5;
  for (const TimeFunctionPtr& road : {road_step(-0.01, 5.5, 0.2), road_sine(0.03, 2.0, 4.0)}) {
    for (const double x : {3.0, 5.2, 5.5, 5.9, 8.3}) {
      const TimeValue before = road->at(x - h), after = road->at(x + h), here = road->at(x);
      EXPECT_NEAR(here.rate, (after.value - before.value) / (2 * h), 1e-9) << x;
      EXPECT_NEAR(here.acceleration, (after.rate - before.rate) / (2 * h), 1e-7) << x;
    }
  }
}

TEST(Road, OfAStepIsFlatBeforeAndBehind) {
  const TimeFunctionPtr road = road_step(-0.01, 5.5, 0.02);
  EXPECT_NEAR(road->at(0.0).value, 0.0, 1e-15);
  EXPECT_NEAR(road->at(5.5).value, -0.005, 1e-15);
  EXPECT_NEAR(road->at(7.0).value, -0.01, 1e-15);
}

TEST(Road, OfWavesBeginsWithoutAKink) {
  const TimeFunctionPtr road = road_sine(0.03, 2.0, 4.0);
  EXPECT_EQ(road->at(3.9).value, 0.0);
  EXPECT_NEAR(road->at(4.0 + 1e-6).rate, 0.0, 1e-6);
  EXPECT_NEAR(road->at(5.0).value, 0.06, 1e-15);
}

TEST(Road, RefusesSizesThatMeanNothing) {
  EXPECT_THROW(road_step(1.0, 0.0, 0.0), InputError);
  EXPECT_THROW(road_sine(1.0, -2.0, 0.0), InputError);
}

}  // namespace
}  // namespace kurbel
