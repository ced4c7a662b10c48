#include "formulation/momentum_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurbel {
namespace {

TEST(MomentumLine, ShowsRoundingBesideTheLargestMomentumOfTheMotionAsZero) {
  MomentumLine plane;
  plane.add({3.0, 1e-70, 0.0}, {0.0, 0.0, 5.0});
  plane.add({0.25, -1e-3, 2e-17}, {-3e-70, 4e-16, 1.5});
  EXPECT_EQ(plane.text(),
            "momentum at the end: linear (0.25, -0.001, 0) N s, angular about the inertial origin (0, 0, "
            "1.5) N m s");
  MomentumLine stopped;
  stopped.add({3.0, 0.0, 0.0}, {0.0, 0.0, 5.0});
  stopped.add({2e-16, -1e-17, 0.0}, {0.0, 0.0, 1e-15});
  EXPECT_THAT(stopped.text(),
              testing::AllOf(testing::HasSubstr("linear (0, 0, 0)"), testing::HasSubstr("origin (0, 0, 0)")));
  MomentumLine light;  // a microscopic mechanism
  light.add({3e-20, 0.0, 1e-40}, {0.0, 0.0, 5e-30});
  EXPECT_THAT(light.text(), testing::AllOf(testing::HasSubstr("linear (3e-20, 0, 0)"),
                                           testing::HasSubstr("origin (0, 0, 5e-30)")));
}

}  // namespace
}  // namespace kurbel
