/// Attitudes at the start that follow from fixed joints.
#include "floating_frame/given_attitudes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/lie_group.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

Matrix3d turned(const Vector3d& by) {
  return rotation_matrix<double>(exp_quaternion<double>(by));
}

/// An arm that is turned by more than a right angle; a tool in a skew seat of it, by a skew flange, and a camera on the tool.
SystemSpec equipped_arm() {
  SystemSpec spec;
  for (const char* name : {"camera", "tool", "arm"})
    spec.bodies.push_back({name,
                           test::rigid_sid_with_markers(1.0, Vector3d::Zero(), {0.02, 0.02, 0.02},
                                                        {0.1, 0, 0.3}, {0, 0.2, 0.1}),
                           {}});
  spec.bodies[2].initial.rotation << 0.4, -0.7, 2.6;
  spec.bodies[2].initial.given.rotation = true;
  spec.bodies[2].sid.frame[0].AP.M0 = turned({1.9, 0.3, -0.8});
  spec.bodies[1].sid.frame[0].AP.M0 = turned({-0.6, 0.2, 1.1});
  const auto fix = [&](const char* name, const MarkerRef& from, const MarkerRef& to) {
    JointSpec joint;
    joint.name = name, joint.from = from, joint.to = to;
    joint.locked.fill(true);
    spec.joints.push_back(joint);
  };
  fix("lens", {"camera"}, {"tool", "b"});
  fix("seat", {"arm", spec.bodies[2].sid.frame[0].name}, {"tool", "a"});
  return spec;
}

TEST(GivenAttitudes, FollowFixedJointsFromBodyToBody) {
  SystemSpec spec = equipped_arm();
  const Vector3d arm = spec.bodies[2].initial.rotation;
  turn_by_fixed_joints(spec);
  const Matrix3d tool = turned(arm) * turned({1.9, 0.3, -0.8}) * turned({-0.6, 0.2, 1.1}).transpose();
  EXPECT_LT((turned(spec.bodies[1].initial.rotation) - tool).norm(), 1e-14);
  EXPECT_LT((turned(spec.bodies[0].initial.rotation) - tool).norm(), 1e-14);
  EXPECT_EQ(spec.bodies[2].initial.rotation, arm);
}

TEST(GivenAttitudes, AreNotChangedWhereTheyAreStatedOrAJointLeavesThemFree) {
  SystemSpec spec = equipped_arm();
  spec.bodies[1].initial.given.rotation = true;
  spec.bodies[1].initial.rotation << 0.1, 0.2, 0.3;
  spec.joints[0].locked[5] = false;
  turn_by_fixed_joints(spec);
  EXPECT_EQ(spec.bodies[1].initial.rotation, Vector3d(0.1, 0.2, 0.3));
  EXPECT_TRUE(spec.bodies[0].initial.rotation.isZero(0.0));
}

}  // namespace
}  // namespace kurbel
