#include "fem/spec_check.hpp"

#include <gtest/gtest.h>

#include "fem/processes.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

void expect_problem(const FlexibleBodySpec& spec, const std::string& key,
                    const std::string& part_of_message) {
  const auto problem = find_problem(spec);
  ASSERT_TRUE(problem.has_value()) << key;
  EXPECT_EQ(problem->key, key);
  EXPECT_NE(problem->message.find(part_of_message), std::string::npos) << problem->message;
}

TEST(SpecCheck, AcceptsTheCrankAndTheBar) {
  EXPECT_FALSE(find_problem(crank(12, 4, 4, true)).has_value());
  EXPECT_FALSE(find_problem(bar({4, 2, 2}, {0.2, 0.02, 0.02}, 4, true)).has_value());
}

TEST(SpecCheck, FindsAClampThatHoldsNothing) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.clamp = plane(0, -0.1);
  expect_problem(spec, "clamp", "no node");
  spec.clamp = {};
  expect_problem(spec, "clamp", "all nodes");
  spec.clamp = plane(0, 0.0);
  std::get<Box>(spec.clamp.shape).lower[1] = 0.02;
  expect_problem(spec, "clamp", "single node");
}

TEST(SpecCheck, FindsAClampOnOneLineOfASolid) {
  FlexibleBodySpec spec = bar({4, 2, 2}, {0.2, 0.02, 0.02}, 2, false);
  std::get<Box>(spec.clamp.shape).lower[1] = 0.01;
  expect_problem(spec, "clamp", "one line");
}

TEST(SpecCheck, FindsEmptyMarkersAndRegionsByName) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.regions = {{"bearing", Region::Kind::solid, plane(0, 0.5)}};
  expect_problem(spec, "regions.bearing", "no element");
  spec.regions.clear();
  spec.markers[0].nodes = plane(0, 0.11);
  expect_problem(spec, "markers.pin", "no node");
}

TEST(SpecCheck, FindsMarkersOfOneName) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.markers.push_back(spec.markers[0]);
  expect_problem(spec, "markers.pin", "twice");
}

TEST(SpecCheck, FindsAttachmentsWithoutEffect) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.attachments = {forces("pim")};
  expect_problem(spec, "modes.attachment", "\"pim\"");
  spec.attachments = {forces("pin")};
  spec.markers[0].nodes = plane(0, 0.0);
  expect_problem(spec, "markers.pin", "clamped");
  spec.markers[0].nodes = plane(0, 0.2);
  std::get<Box>(spec.markers[0].nodes.shape).lower[1] = 0.02;
  spec.attachments = {{"pin", {}, {false, false, true}}};
  expect_problem(spec, "markers.pin", "moment z at pin");
}

TEST(SpecCheck, FindsMoreModesThanUnknowns) {
  FlexibleBodySpec spec = crank(2, 1, 8, false);
  EXPECT_FALSE(find_problem(spec).has_value());
  spec.n_normal_modes = 9;
  expect_problem(spec, "modes.normal", "8 unknowns");
  spec.n_normal_modes = 7;
  spec.attachments = {forces("pin")};
  expect_problem(spec, "modes.normal", "7 normal and 2 attachment");
  spec.n_normal_modes = 0;
  spec.attachments.clear();
  expect_problem(spec, "modes.normal", "nothing that deforms");
}

TEST(SpecCheck, RefusesRegionsOfDifferentKindsWithCommonElementsAndCountsThem) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  Box boss, hole;
  boss.lower[0] = 0.1;
  hole.lower[0] = 0.1501, hole.lower[1] = 0.0;
  const Region solid = {"boss", Region::Kind::solid, boss}, empty = {"hole", Region::Kind::voided, hole};
  spec.regions = {solid, empty};
  expect_problem(spec, "regions.hole",
                 "is void and has 6 elements in common with regions.boss, which is solid");
  spec.regions = {empty, solid};
  expect_problem(spec, "regions.boss",
                 "is solid and has 6 elements in common with regions.hole, which is void");
  spec.regions = {{"kept", Region::Kind::frozen, hole}, solid};
  expect_problem(spec, "regions.boss", "in common with regions.kept, which is frozen");
  hole.lower[0] = 0.1834, hole.lower[1] = 0.011;
  spec.regions = {solid, {"hole", Region::Kind::voided, hole}};
  expect_problem(spec, "regions.hole", "has 1 element in common with regions.boss, which is solid. Take it");
  spec.regions[0].place = AllOf{{boss, Not{{hole}}}};
  EXPECT_FALSE(find_problem(spec).has_value()) << "what the message advises";
}

TEST(SpecCheck, SaysHowToBuildWhatASolverNeeds) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.solver = SolverType::petsc;
  const std::optional<SpecProblem> problem = find_problem(spec);
  ASSERT_EQ(problem.has_value(), !has_petsc());
  if (!problem) return;
  EXPECT_EQ(problem->key, "solver");
  EXPECT_NE(problem->message.find("-DKURBEL_PETSC=ON"), std::string::npos) << problem->message;
}

TEST(SpecCheck, AcceptsRegionsThatOverlapInOneKindOrNotAtAll) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  Box right, top;
  right.lower[0] = 0.1, top.lower[1] = 0.0;
  spec.regions = {{"right", Region::Kind::solid, right}, {"top", Region::Kind::solid, top}};
  EXPECT_FALSE(find_problem(spec).has_value());
  top.upper[0] = 0.1;
  spec.regions[1] = {"top", Region::Kind::voided, top};
  EXPECT_FALSE(find_problem(spec).has_value());
}

}  // namespace
}  // namespace kurbel::fem::test
