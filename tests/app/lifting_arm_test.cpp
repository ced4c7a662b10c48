/// The arm whose outline, spring and torque are designed together (docs/codesign.md).
#include <gtest/gtest.h>

#include "crank.hpp"
#include "study/study.hpp"

namespace kurbel {
namespace {

// One after the other takes 0.0811 (N m)^2 s for the lightest arm and 0.0712 for that of least inertia.
TEST(LiftingArm, TakesATenthLessHeatThanOneAfterTheOther) {
  Study study(read_problem(test::input("lifting_arm.toml"), {"optimizer.stop.iterations=60"}));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  EXPECT_TRUE(result.optimum.feasible) << result.optimum.message;
  EXPECT_LT(result.optimum.evaluation.objective, 0.9 * 0.0712);
}

// The best torque and the best places of the spring for the arm that is drawn by hand, lifting_arm_drawn.toml, take 0.0536 (N m)^2 s.
TEST(LiftingArm, TakesLessHeatThanTheDrawnArmFromWhichItStarts) {
  Study study(read_problem(
      test::input("lifting_arm.toml"),
      {"bodies.arm.mesh.file=\"" + std::string(KURBEL_SOURCE_DIR) + "/tests/parts/lifting_arm_drawn.geo\"",
       "variables.outline.fixed={x=[0.565,0.6]}", "optimizer.stop.iterations=60"}));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  EXPECT_TRUE(result.optimum.feasible) << result.optimum.message;
  EXPECT_LT(result.optimum.evaluation.objective, 0.97 * 0.0536);
}

}  // namespace
}  // namespace kurbel
