/// Tests of the tables of criteria and of cuts, filled with given values.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "crank.hpp"
#include "tests/problem/arm_text.hpp"

namespace kurbel {
namespace {

TEST(TableOfCriteria, ShowsTheWorstInstantOfATimeHistory) {
  const std::string text = std::string(arm_text) + motor_text + R"(
[objective]
type = "kinetic-energy"
time = "mean"
[constraints.criteria.height]
type = "position"
marker = "arm.tip"
component = "y"
time = "instants"
intervals = 4
upper = 1.0
)";
  const Problem problem = read_problem(TomlDocument::parse(text, "arm.toml", "."));
  const EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  std::vector<CriterionValues> values;
  for (const double value : {7.0, 0.1, 0.3, 0.9, 0.2, 0.4}) values.push_back({value, value, value});
  const std::vector<CriterionRow> rows = criterion_rows(chain, space, space.at(space.start()), values);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].value, 7.0);
  EXPECT_EQ(rows[1].name, "height");
  EXPECT_EQ(rows[1].value, 0.9);
  EXPECT_TRUE(rows[1].is_met);
}

// Of 80 elements 40.4 are allowed: 41 are one more at most, 42 are not.
TEST(TableOfACut, AllowsTheVolumeOfOneElement) {
  const Problem problem =
      read_problem(test::input("flexible_crank_small.toml"),
                   {"bodies.crank.mesh.divisions=[20,4]", "bodies.crank.regions.bearing.x=[0.19,0.2]",
                    "filter.type=\"none\"", "constraints.volume_fraction=0.505"});
  const EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const Design grey = space.at(space.start());
  CutComparison comparison{grey, {}, cut_to_solid_and_void(chain.bodies(), grey)};
  comparison.cut_values = {{1.0, 1.0, 1.0}};
  VectorXd& density = comparison.cut.design.bodies[0].density;
  ASSERT_EQ(density.size(), 80);
  for (const auto& [n_solid, is_met] : {std::pair{40, true}, std::pair{41, true}, std::pair{42, false}}) {
    density.setZero();
    density.head(n_solid).setOnes();
    Report report([](const std::string&) {});
    report_cut(chain, space, comparison, report);
    bool found = false;
    for (const nlohmann::json& row : report.numbers()["cut"]["constraints"]) {
      if (row["name"] != "volume_fraction") continue;
      found = true;
      EXPECT_EQ(row["met"].get<bool>(), is_met) << n_solid;
    }
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace kurbel
