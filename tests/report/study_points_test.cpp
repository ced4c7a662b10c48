#include "report/study_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "report/study_text.hpp"

namespace kurbel {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

TEST(ParetoFront, HasNoPointThatAnotherOneDominates) {
  EXPECT_THAT(pareto_front({4.0, 1.0, 2.0, 3.0, 3.0}, {1.0, 5.0, 3.0, 4.0, 2.0}), ElementsAre(1, 2, 4, 0));
}

TEST(ParetoFront, KeepsEqualPointsAndDropsThoseThatAreEqualInOneNumberOnly) {
  EXPECT_THAT(pareto_front({1.0, 1.0, 1.0, 2.0}, {2.0, 2.0, 3.0, 2.0}), ElementsAre(0, 1));
}

TEST(ParetoFront, OfOnePointIsThatPointAndOfNoneIsEmpty) {
  EXPECT_THAT(pareto_front({3.0}, {-1.0}), ElementsAre(0));
  EXPECT_THAT(pareto_front({none, 1.0}, {1.0, none}), IsEmpty());
  EXPECT_THAT(pareto_front({}, {}), IsEmpty());
}

/// Four variants of a part. The second violates its bound, the fourth failed.
json part_study() {
  const auto row = [](const char* name, const char* size, double psi, double tip) {
    return json{{"variant", name},
                {"values", {{"size", size}, {"method", name}}},
                {"status", "converged"},
                {"functions", {{"psi", psi}, {"tip", tip}, {"free", 1.0}}},
                {"senses", {{"tip", "larger"}}}};
  };
  json study = {
      {"title", "part"},
      {"keys", {"size", "method"}},
      {"functions", {"psi", "tip", "free"}},
      {"rows", {row("a", "7 mm", 1.0, 5.0), row("b", "8 mm", 0.5, 9.0), row("c", "9 mm", 2.0, 6.0)}}};
  study["rows"][1]["violated"] = true;
  study["rows"].push_back(
      {{"variant", "d<e"}, {"values", {{"size", "1 mm"}, {"method", "a"}}}, {"status", "error: x, y"}});
  return study;
}

TEST(StudyFronts, MaximizeWhatHasALowerBoundAndLeaveOutInfeasibleVariants) {
  const std::vector<StudyFront> fronts = fronts_of(part_study());
  ASSERT_EQ(fronts.size(), 1u) << "nobody knows what is better of a function without a bound";
  EXPECT_EQ(fronts[0].x + fronts[0].y, "psitip");
  EXPECT_THAT(fronts[0].variants, ElementsAre(0, 2)) << "a smaller tip would make it the first alone";
  EXPECT_EQ(fronts_text(fronts, 2), "psi, tip");
  EXPECT_EQ(fronts_text(fronts, 1), "");
}

TEST(StudyFronts, NeedOneSenseInAllVariants) {
  json study = part_study();
  study["rows"][2]["senses"]["tip"] = "smaller";
  EXPECT_THAT(fronts_of(study), IsEmpty());
}

TEST(StudyAxes, AreNumbersOfOneUnitOrTexts) {
  const std::vector<StudyAxis> axes = axes_of_keys(part_study());
  EXPECT_EQ(axes[0].label, "size (mm)");
  EXPECT_THAT(axes[0].values, ElementsAre(7.0, 8.0, 9.0, 1.0));
  EXPECT_THAT(axes[1].values, ElementsAre(0.0, 1.0, 2.0, 0.0));
  EXPECT_THAT(axes[1].categories, ElementsAre("a", "b", "c"));
  json study = part_study();
  study["rows"][0]["values"]["size"] = "0.007";
  EXPECT_THAT(axes_of_keys(study)[0].categories, ElementsAre("0.007", "8 mm", "9 mm", "1 mm"));
}

TEST(StudyAxes, AreLogarithmicOverTwoDecadesOfPositiveNumbers) {
  EXPECT_TRUE((StudyAxis{"", "", {none, 1.0, 100.0}, {}}.is_logarithmic()));
  EXPECT_FALSE((StudyAxis{"", "", {1.0, 99.0}, {}}.is_logarithmic()));
  EXPECT_FALSE((StudyAxis{"", "", {0.0, 100.0}, {}}.is_logarithmic()));
  EXPECT_FALSE((StudyAxis{"", "", {none}, {}}.is_logarithmic()));
}

TEST(StudyText, NamesFrontsInTheTableAndDrawsFeasibleVariantsFilled) {
  const json study = part_study();
  const std::string csv = csv_of_study(study), svg = svg_of_study(study);
  EXPECT_THAT(csv, HasSubstr("c,9 mm,c,converged,2,6,1,\"psi, tip\"\n"));
  EXPECT_THAT(csv, HasSubstr("d<e,1 mm,a,\"error: x, y\",,,,\n"));
  EXPECT_THAT(svg, HasSubstr("fill=\"none\"><title>b: 0.5</title>"));
  EXPECT_THAT(svg, HasSubstr("fill=\"#2f6db5\"><title>a: 1</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("d<e"))) << "a failed variant has no point";
  EXPECT_THAT(svg, HasSubstr("<polyline"));
}

TEST(StudyText, DrawsFrontsThroughThePointsOfTheirVariants) {
  const std::string svg = svg_of_study(part_study());
  const std::string begin = "points=\"";
  std::size_t at = svg.find(begin);
  ASSERT_NE(at, std::string::npos);
  std::istringstream points(
      svg.substr(at + begin.size(), svg.find('"', at + begin.size()) - at - begin.size()));
  int count = 0;
  for (std::string point; points >> point; ++count) {
    const std::size_t comma = point.find(',');
    EXPECT_THAT(svg, HasSubstr("<circle cx=\"" + point.substr(0, comma) + "\" cy=\"" +
                               point.substr(comma + 1) + "\""));
  }
  EXPECT_EQ(count, 2);
}

TEST(StudyText, OfAStudyWithoutResultsHasNoPicture) {
  json study = part_study();
  study["rows"].erase(0), study["rows"].erase(0), study["rows"].erase(0);
  study["functions"] = json::array();
  EXPECT_EQ(svg_of_study(study), "");
}

}  // namespace
}  // namespace kurbel
