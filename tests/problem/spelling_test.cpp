#include "base/spelling.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

TEST(Spelling, DistanceCountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("mesh", "mesh"), 0u);
  EXPECT_EQ(edit_distance("division", "divisions"), 1u);
  EXPECT_EQ(edit_distance("divisions", "division"), 1u);
  EXPECT_EQ(edit_distance("stop", "step"), 1u);
  EXPECT_EQ(edit_distance("mehs", "mesh"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Spelling, NearestIsFound) {
  EXPECT_EQ(nearest_spelling("revolut", {"fixed", "revolute", "prismatic"}), "revolute");
  EXPECT_EQ(nearest_spelling("poison_ratio", {"density", "poisson_ratio"}), "poisson_ratio");
}

TEST(Spelling, TheOnlyWordWithThisPartIsNearest) {
  EXPECT_EQ(nearest_spelling("angle", {"position", "joint-angle", "triangle"}), "joint-angle");
  EXPECT_EQ(nearest_spelling("stiffness", {"bending_stiffness", "mass"}), "bending_stiffness");
  EXPECT_FALSE(nearest_spelling("force", {"spring-force", "tyre-force"})) << "one of two";
  EXPECT_FALSE(nearest_spelling("rod", {"rod-force", "mass"})) << "short words are parts of many";
}

TEST(Spelling, FarOffWordsHaveNoNearest) {
  EXPECT_FALSE(nearest_spelling("y", {"x", "z"}));
  EXPECT_FALSE(nearest_spelling("torque", {"mass", "inertia"}));
  EXPECT_FALSE(nearest_spelling("anything", {}));
}

TEST(Spelling, AdviceListsWhatIsAllowedWhenNothingIsNear) {
  EXPECT_EQ(spelling_advice("pim", {"pin", "origin"}, "\""), "; did you mean \"pin\"?");
  EXPECT_EQ(spelling_advice("elbow", {"pin", "origin"}, "\""), "; allowed: \"pin\", \"origin\"");
  EXPECT_EQ(spelling_advice("elbow", {}), "");
}

TEST(Spelling, PrintableTextStaysOnItsLine) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31m"), "a\\nb\\tc\\x1b[31m");
  EXPECT_EQ(printable("Größe"), "Größe");
}

}  // namespace
}  // namespace kurbel
