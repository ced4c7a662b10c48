/// Random problems by the few dozen; scripts/random_problems.sh examines thousands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "differences.hpp"
#include "restated.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::random_problems {
namespace {

/// Together they have every feature below.
const std::vector<std::uint64_t> seeds = {1};

class RandomProblemOfSeed : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProblemOfSeed, HasTheGradientOfItsDifferencesInWhateverAxesUnitsAndOrder) {
  const TemporaryFolder folder;
  const RandomProblem problem = random_problem(GetParam());
  const std::vector<Finding> findings = examine(problem, GetParam(), folder.path());
  for (const Finding& finding : findings) {
    EXPECT_NE(finding.verdict, Verdict::differs) << finding.check << ": " << finding.detail;
    EXPECT_NE(finding.verdict, Verdict::refused) << finding.check << ": " << finding.detail;
  }
  EXPECT_GE(findings.size(), 8u);
  if (HasFailure()) ADD_FAILURE() << to_toml(problem.input);
}

INSTANTIATE_TEST_SUITE_P(Fixed, RandomProblemOfSeed, ::testing::ValuesIn(seeds),
                         [](const auto& seed) { return std::to_string(seed.param); });

TEST(RandomProblems, OfTheFixedSeedsHaveEveryFeature) {
  std::set<std::string> features;
  for (const std::uint64_t seed : seeds) features.merge(random_problem(seed).features);
  EXPECT_THAT(features, ::testing::IsSupersetOf(std::vector<std::string>{}));
}

TEST(RandomProblems, AreTheSameForTheSameSeed) {
  EXPECT_EQ(to_toml(random_problem(7).input), to_toml(random_problem(7).input));
  EXPECT_NE(to_toml(random_problem(7).input), to_toml(random_problem(8).input));
}

TEST(Random, GivesTheSameNumbersEverywhere) {
  // The 10000th number of the engine is in the standard; the mapping to numbers is exact arithmetic.
  Random random(std::mt19937_64::default_seed);
  for (int i = 1; i < 10000; ++i) random.uniform();
  EXPECT_EQ(random.uniform(), static_cast<double>(9981545732273789042ull >> 11) * 0x1.0p-53);
}

TEST(Differences, EstimateTheirOwnError) {
  const auto f = [](const VectorXd& x) -> std::optional<VectorXd> {
    return VectorXd(Eigen::Vector2d(std::exp(x[0]), std::abs(x[0] - 0.31)));
  };
  const DirectionalDerivative d =
      differentiate(f, VectorXd::Constant(1, 0.3), VectorXd::Ones(1), {0.05, 2.0, 4});
  EXPECT_LE(std::abs(d.value[0] - std::exp(0.3)), d.error[0] + 1e-12);
  EXPECT_LT(d.error[0], 1e-9);
  EXPECT_GT(d.error[1], 0.01) << "the kink at 0.31 is within the steps";
}

TEST(Judge, TellsAWrongDerivativeFromOneThatCannotBeJudged) {
  EXPECT_EQ(judge(1.0, 1.0 + 1e-8, 1e-9, 1.0, 0.0), Judgement::agrees);
  EXPECT_EQ(judge(1.01, 1.0, 1e-6, 1.0, 0.0), Judgement::differs);
  EXPECT_EQ(judge(1.01, 1.0, 1e-2, 1.0, 0.0), Judgement::cannot_tell);
  EXPECT_EQ(judge(1.0, 1.0, 1.0, 1.0, 0.0), Judgement::agrees);
  EXPECT_EQ(judge(std::nan(""), 1.0, 1e-6, 1.0, 0.0), Judgement::differs);
  EXPECT_EQ(judge(1e-12, 0.0, 0.0, 1e-12, 1e-11), Judgement::agrees) << "rounding errors of a zero";
}

/// A point of the ground, a direction, an attitude and a number with units.
Table small_input() {
  using Nature = Vector::Nature;
  Table root = {{"gravity", Vector{{0.0, -10.0, 0.0}, Nature::direction, length}}};
  Table& marker = sub_table(sub_table(sub_table(root, "ground"), "markers"), "a");
  marker = {{"position", Vector{{1.0, 0.0, 0.0}, Nature::point, length}},
            {"rotation", Vector{{0.0, 0.0, 0.5}, Nature::attitude}}};
  sub_table(sub_table(root, "joints"), "j") = {{"from", std::string("ground")}, {"to", std::string("b")}};
  sub_table(sub_table(root, "springs"), "s") = {
      {"from", std::string("ground.a")}, {"to", std::string("b.pin")}, {"stiffness", Scalar{3.0, stiffness}}};
  return root;
}

TEST(PlacedInput, TurnsPointsDirectionsAndAttitudesAndTheOriginThatJointsHold) {
  // A quarter turn about z, then a shift along it.
  Matrix3d A;
  A << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  Table placed_root = placed(small_input(), A, Vector3d(0.0, 0.0, 2.0));
  const auto vector_at = [](Table& table, const char* key) {
    return std::get<Vector>(find(table, key)->data).value;
  };
  Table& markers = sub_table(sub_table(placed_root, "ground"), "markers");
  constexpr double rounding = 1e-15;
  EXPECT_LT((vector_at(placed_root, "gravity") - Vector3d(10.0, 0.0, 0.0)).norm(), rounding);
  EXPECT_LT((vector_at(sub_table(markers, "a"), "position") - Vector3d(0.0, 1.0, 2.0)).norm(), rounding);
  EXPECT_LT(
      (vector_at(sub_table(markers, "a"), "rotation") - Vector3d(0.0, 0.0, 0.5 + EIGEN_PI / 2.0)).norm(),
      4.0 * rounding);
  EXPECT_LT((vector_at(sub_table(markers, "old_origin"), "position") - Vector3d(0.0, 0.0, 2.0)).norm(),
            rounding);
  const Value* from = find(sub_table(sub_table(placed_root, "joints"), "j"), "from");
  EXPECT_EQ(std::get<std::string>(from->data), "ground.old_origin");
}

TEST(ConvertedInput, HasItsNumbersInTheOtherUnits) {
  Table in_mm_and_t = converted(small_input(), {1e3, 1e-3});
  EXPECT_EQ(std::get<Vector>(find(in_mm_and_t, "gravity")->data).value[1], -1e4);
  const Table& spring = sub_table(sub_table(in_mm_and_t, "springs"), "s");
  EXPECT_DOUBLE_EQ(std::get<Scalar>(find(spring, "stiffness")->data).value, 3e-3);
}

TEST(ReorderedInput, HoldsTheSameLines) {
  Random random(5);
  const auto lines = [](const Table& table) {
    std::string text = to_toml(table);
    std::sort(text.begin(), text.end());
    return text;
  };
  const Table input = random_problem(4).input, other = reordered(input, random);
  EXPECT_NE(to_toml(input), to_toml(other));
  EXPECT_EQ(lines(input), lines(other));
}

TEST(InputText, KeepsNumbersBitForBit) {
  const std::string text = to_toml({{"a", Scalar{0.1 + 0.2}}, {"b", Scalar{5.0}}, {"c", Scalar{1e-300}}});
  EXPECT_EQ(text, "a = 0.30000000000000004\nb = 5.0\nc = 1e-300\n");
}

}  // namespace
}  // namespace kurbel::random_problems
