#include "problem/attachments.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

using Axes = std::array<bool, 3>;

/// A body "link" of dimension `dim` with markers "a" and "b", and nothing attached.
class Attachments : public testing::Test {
 protected:
  Attachments() {
    body_.name = "link";
    body_.markers = {{"a", {}}, {"b", {}}};
    body_.mesh.dim = 3;
  }

  void add_joint(const std::string& type, const MarkerRef& from, const MarkerRef& to) {
    JointSpec joint;
    joint.from = from;
    joint.to = to;
    ASSERT_TRUE(locked_dofs_of(type, joint.locked));
    system_.joints.push_back(joint);
  }

  std::vector<fem::AttachmentSpec> attachments() const { return attachments_of(body_, system_); }

  fem::FlexibleBodySpec body_;
  SystemSpec system_;
};

TEST_F(Attachments, NothingAttachedGivesNone) {
  EXPECT_TRUE(attachments().empty());
}

TEST_F(Attachments, FlagshipHasExactlyTwoForcesAtThePin) {
  body_.mesh.dim = 2;
  add_joint("revolute", {"ground"}, {"link"});
  add_joint("revolute", {"link", "b"}, {"rod"});
  const auto found = attachments();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].marker, "b");
  EXPECT_EQ(found[0].force, (Axes{true, true, false}));
  EXPECT_EQ(found[0].moment, (Axes{false, false, false}));
}

TEST_F(Attachments, RevoluteIn3DAddsTheTwoLockedMoments) {
  add_joint("revolute", {"rod"}, {"link", "b"});
  const auto found = attachments();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].force, (Axes{true, true, true}));
  EXPECT_EQ(found[0].moment, (Axes{true, true, false}));
}

TEST_F(Attachments, OneLockedRotationGivesAllMoments) {
  add_joint("universal", {"rod"}, {"link", "a"});
  EXPECT_EQ(attachments().at(0).moment, (Axes{true, true, true}));
}

TEST_F(Attachments, SphericalJointGivesNoMoment) {
  add_joint("spherical", {"rod"}, {"link", "a"});
  EXPECT_EQ(attachments().at(0).force, (Axes{true, true, true}));
  EXPECT_EQ(attachments().at(0).moment, (Axes{false, false, false}));
}

TEST_F(Attachments, OneLockedTranslationGivesForcesAlongAllAxes) {
  add_joint("in-plane", {"link", "a"}, {"ground"});
  EXPECT_EQ(attachments().at(0).force, (Axes{true, true, true}));
}

TEST_F(Attachments, FixedJointIn2DGivesTwoForcesAndOneMoment) {
  body_.mesh.dim = 2;
  add_joint("fixed", {"rod"}, {"link", "a"});
  EXPECT_EQ(attachments().at(0).force, (Axes{true, true, false}));
  EXPECT_EQ(attachments().at(0).moment, (Axes{false, false, true}));
}

TEST_F(Attachments, DrivenRotationCountsAsLocked) {
  add_joint("revolute", {"rod"}, {"link", "a"});
  system_.joints[0].drives.push_back({RelativeDof::rz, constant_rate(0.0, 1.0)});
  EXPECT_EQ(attachments().at(0).moment, (Axes{true, true, true}));
}

TEST_F(Attachments, SpringsLoadForcesAndTorsionSpringsTheMomentAboutZ) {
  system_.springs.push_back({.name = "s", .from = {"link", "a"}, .to = {"ground"}});
  system_.torsion_springs.push_back({.name = "t", .from = {"ground"}, .to = {"link", "b"}});
  const auto found = attachments();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].force, (Axes{true, true, true}));
  EXPECT_EQ(found[0].moment, (Axes{false, false, false}));
  EXPECT_EQ(found[1].force, (Axes{false, false, false}));
  EXPECT_EQ(found[1].moment, (Axes{false, false, true}));
}

TEST_F(Attachments, LoadsGiveWhatTheyHave) {
  MarkerLoadSpec force;
  force.marker = {"link", "a"};
  force.force[1] = constant_rate(1.0, 0.0);
  MarkerLoadSpec torque;
  torque.marker = {"link", "b"};
  torque.torque[0] = constant_rate(1.0, 0.0);
  system_.loads = {force, torque};
  const auto found = attachments();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].force, (Axes{true, true, true}));
  EXPECT_EQ(found[0].moment, (Axes{false, false, false}));
  EXPECT_EQ(found[1].force, (Axes{false, false, false}));
  EXPECT_EQ(found[1].moment, (Axes{true, true, true}));
}

TEST_F(Attachments, MarkersOfTheSameNameOnOtherBodiesDoNotCount) {
  add_joint("fixed", {"rod", "a"}, {"ground", "b"});
  EXPECT_TRUE(attachments().empty());
}

}  // namespace
}  // namespace kurbel
