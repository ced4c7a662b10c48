/// What a run tells: tables over iterations and time, and which constraints are met.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "csv_table.hpp"
#include "input/vtu_reader.hpp"
#include "report_fixture.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using test::CsvTable;
using test::input;
using test::Outcome;
using test::Report;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Report, SaysOfEveryConstraintWhetherItIsMet) {
  const Outcome o =
      run("simulate " + input("arm_codesign.toml") +
          " --set output.motion=false --set bodies.forearm.mesh.thickness=0.004 --set "
          "controls.shoulder_torque.start=1.0"
          " --set controls.elbow_torque.start=1.5 --set constraints.criteria.reach.equals=[9.0,9.0]"
          " --set constraints.criteria.deflection.upper=0.0005"
          " --set constraints.criteria.deflection.exponent=2");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json n = numbers();
  std::map<std::string, nlohmann::json> rows;
  for (const nlohmann::json& row : n["constraints"]) rows[row["name"]] = row;
  EXPECT_EQ(rows.size(), 1u + 5u + 2u) << "objective; reach and rest by rows, deflection; volume and mass";
  EXPECT_FALSE(rows.at("objective").contains("met"));
  EXPECT_EQ(rows.at("objective")["value"], n["psi"]);
  EXPECT_FALSE(rows.at("reach.x")["met"]);
  EXPECT_EQ(rows.at("reach.x")["equals"], 9.0);
  EXPECT_EQ(rows.at("reach.x")["unit"], "m");
  EXPECT_EQ(rows.at("rest.y")["unit"], "m/s");
  EXPECT_EQ(rows.at("mass")["unit"], "kg");
  const nlohmann::json& deflection = rows.at("deflection");
  EXPECT_EQ(deflection["value"], n["criteria"]["deflection"]);
  EXPECT_EQ(deflection["peak"], n["peaks"]["deflection"]);
  ASSERT_LT(deflection["value"], 0.0005) << "a mean square hides the peak";
  ASSERT_GT(deflection["peak"], 0.0005);
  EXPECT_FALSE(deflection["met"]);
  // The same in words.
  for (const nlohmann::json& row : n["constraints"]) {
    const std::string name = row["name"], text = log();
    const std::size_t place = text.find("info     " + name + " ");
    ASSERT_NE(place, std::string::npos) << name;
    const std::string line = text.substr(place, text.find('\n', place) - place);
    EXPECT_THAT(line, HasSubstr(fmt::format("{:.8g}", row["value"].get<double>())));
    const char* verdict = name == "reach.x" ? "violated" : name == "deflection" ? "violated by its peak" : "";
    EXPECT_THAT(line, HasSubstr(verdict));
  }
}

/// The p-norm over the elements is a sum: above their largest stress, of which adaptive scaling speaks.
TEST_F(Report, CallsAnAdaptiveBoundMetWhereThePeakMeetsIt) {
  const auto strength = [&](double upper, const char* scaling) {
    const Outcome o = run("simulate " + input("flexible_crank_small.toml") +
                          " --overwrite --set output.motion=false --set output.picture=false" +
                          fmt::format(" --set 'constraints.criteria.strength={{ type = \"von-mises\", body = "
                                      "\"crank\", element_exponent = 4.0, time = \"p-norm\", exponent = 30, "
                                      "upper = {}, scaling = \"{}\" }}'",
                                      upper, scaling));
    EXPECT_EQ(o.exit_code, 0) << o.text;
    const nlohmann::json rows = numbers()["constraints"];
    return *std::ranges::find(rows, "strength", [](const nlohmann::json& row) { return row["name"]; });
  };
  const nlohmann::json loose = strength(1e9, "adaptive");
  const double value = loose["value"], peak = loose["peak"], between = 0.5 * (value + peak);
  ASSERT_GT(value, 1.05 * peak);
  EXPECT_NEAR(CsvTable(at("run/histories.csv")).column("von_mises.crank").maxCoeff() / peak, 1.0, 1e-12);
  EXPECT_TRUE(strength(between, "adaptive")["met"]);
  EXPECT_EQ(numbers()["violation"], 0.0) << "by the peak, as an optimization has it";
  EXPECT_THAT(log(), HasSubstr("met by its peak"));
  EXPECT_FALSE(strength(between, "none")["met"]);
  EXPECT_NEAR(numbers()["violation"].get<double>(), value / between - 1.0, 1e-12);
  EXPECT_THAT(log(), ContainsRegex("strength .* violated\n"));
  EXPECT_FALSE(strength(0.9 * peak, "adaptive")["met"]);
  EXPECT_NEAR(numbers()["violation"].get<double>(), 1.0 / 0.9 - 1.0, 1e-12);
}

TEST_F(Report, TellsEveryIteration) {
  const Outcome o =
      run("optimize " + input("flexible_crank_small.toml") +
          " --quiet --set optimizer.stop.iterations=6 --set projection.type=\"'heaviside'\""
          " --set projection.beta_interval=3 --set output.motion=false"
          " --set constraints.criteria.way.type=\"'displacement'\""
          " --set constraints.criteria.way.marker=\"'crank.pin'\""
          " --set constraints.criteria.way.time=\"'p-norm'\" --set constraints.criteria.way.exponent=8"
          " --set constraints.criteria.way.upper=1.0 --set constraints.criteria.way.component=\"'y'\"");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable history(at("run/history.csv"));
  EXPECT_EQ(history.units.at("objective"), "J s");
  EXPECT_EQ(history.units.at("mass"), "kg");
  EXPECT_EQ(history.units.at("way"), "m");
  EXPECT_EQ(history.units.at("way_peak"), "m");
  ASSERT_EQ(history.n_rows(), 7);
  const nlohmann::json n = numbers();
  ASSERT_TRUE(n["result_iteration"].is_number());
  const auto result = n["result_iteration"].get<Eigen::Index>();
  EXPECT_EQ(history.column("objective")[result], n["psi"]);
  EXPECT_EQ(history.column("way")[result], n["criteria"]["way"]);
  EXPECT_EQ(history.column("mass")[result], n["mass"]);
  EXPECT_EQ(history.column("grey_level")[result], n["grey_level"]);
  const std::string text = log();
  for (const char* said :
       {" 3/6  objective", " 6/6  objective", "projection with beta = 1: step 1 of 8",
        "projection with beta = 2: step 2 of 8",
        "beta = 2: the limit optimizer.stop.iterations = 6 is reached", " of this step", "6 iterations and "})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr(fmt::format("the result is the design of iteration {}", result)));
  EXPECT_THAT(read_text_file(at("run/final.vtu")), HasSubstr(" J s\n")) << "the unit of the sensitivity";
  const VectorXd final = read_vtu_cells(at("run/final.vtu"), {"density"}).arrays.at("density");
  EXPECT_NEAR(4.0 * (final.array() * (1.0 - final.array())).mean(), n["grey_level"], 1e-12);
}

/// A rod that is shorter than the crank lets it not turn round: the optimum lies at designs that cannot be simulated.
const char* const short_rod = R"(
[bodies.crank]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
markers.pin.position = [0.1, 0.0, 0.0]
[bodies.rod]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
markers.end.position = [0.3, 0.0, 0.0]
initial.position = [0.1, 0.0, 0.0]
[bodies.slider]
type = "rigid"
mass = 1.0
inertia = [5e-3, 1e-2, 1e-2]
initial.position = [0.4, 0.0, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
drive = { dof = "rz", type = "constant-rate", rate = 10.0 }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.wrist]
lock = ["tx", "ty"]
from = "rod.end"
to = "slider"
[joints.guide]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "slider"
[integrator]
t1 = 0.3
step = 2.0e-3
[variables.rod]
quantity = "bodies.rod.markers.end.position"
component = "x"
lower = 0.05
upper = 0.5
[objective]
type = "position"
marker = "slider"
component = "x"
time = "final"
[optimizer]
method = "ipopt"
stop.iterations = 10
)";

TEST_F(Report, TellsOfTrialsThatFailWhileTheyLast) {
  write_text_file(at("rod.toml"), short_rod);
  const Outcome o = run("optimize " + at("rod.toml").string());
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text,
              ContainsRegex("\n4 trials in a row cannot be simulated, evaluations [0-9]+ to [0-9]+\n"));
  EXPECT_THAT(o.text, HasSubstr("\n8 trials in a row cannot be simulated"));
  EXPECT_THAT(o.text, Not(HasSubstr("\n5 trials in a row")));
  std::size_t told = 0, in_file = 0;
  for (std::size_t at = 0; (at = o.text.find("warning: the design of evaluation", at)) != std::string::npos;
       ++at)
    ++told;
  const std::string file = log();
  for (std::size_t at = 0; (at = file.find("the design of evaluation", at)) != std::string::npos; ++at)
    ++in_file;
  EXPECT_LE(told, 6u) << "once for each way to fail";
  EXPECT_GT(in_file, 40u);
  EXPECT_THAT(o.text,
              ContainsRegex("warning: [0-9]+ times in all, last: the design of evaluation [0-9]+ cannot"));
  EXPECT_THAT(o.text, HasSubstr("the limit optimizer.stop.iterations = 10 is reached after 10 iterations"));
}

TEST_F(Report, NamesTheStages) {
  const Outcome o = run("optimize " + input("cart_swing_up.toml") +
                        " --quiet --set output.motion=false --set output.picture=false"
                        " --set stages.calm.iterations=1 --set stages.upright.iterations=2"
                        " --set optimizer.stop.iterations=1");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const std::string text = log();
  for (const char* said :
       {"stage calm: 1 of 3, at most 1 iterations",
        "stage calm: the limit stages.calm.iterations = 1 is reached", "stage upright: 2 of 3",
        "stage upright: the limit stages.upright.iterations = 2 is reached", "the problem itself: 3 of 3",
        "the problem itself: the limit optimizer.stop.iterations = 1 is reached", "4 iterations and "})
    EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr("evaluations in all stages"));
  EXPECT_EQ(numbers()["iterations"], 4);
}

TEST_F(Report, KeepsCriteriaThatAreCalledAsResultsApartFromThem) {
  const std::string tip =
      R"({type="displacement", marker="crank.pin", component="y", time="p-norm", exponent=8, upper=1.0})";
  const Outcome o = run("optimize " + input("flexible_crank_small.toml") +
                        " --quiet --set optimizer.stop.iterations=1 --set output.motion=false"
                        " --set 'constraints.criteria.mass=" +
                        tip + "' --set 'constraints.criteria.objective=" + tip + "'");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable history(at("run/history.csv"));
  EXPECT_EQ(history.units.size(), history.names.size()) << "no name stands twice";
  EXPECT_EQ(history.units.at("criteria.mass"), "m");
  EXPECT_EQ(history.units.at("criteria.objective_peak"), "m");
  EXPECT_EQ(history.column("mass")[1], numbers()["mass"]);
  for (const nlohmann::json& row : numbers()["constraints"])
    EXPECT_EQ(row.contains("peak"), row["name"].get<std::string>().starts_with("criteria.")) << row;
}

TEST_F(Report, ComparesConstraintsByModesToo) {
  const Outcome o =
      run("reduce " + input("flexible_crank_small.toml") +
          " --convergence 3 --set constraints.criteria.way.type=\"'displacement'\""
          " --set constraints.criteria.way.marker=\"'crank.pin'\""
          " --set constraints.criteria.way.time=\"'final'\""
          " --set constraints.criteria.way.upper=1.0 --set constraints.criteria.way.component=\"'y'\"");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable table(at("run/convergence.csv"));
  ASSERT_EQ(table.n_rows(), 3);
  const nlohmann::json rows = numbers()["convergence"];
  for (Eigen::Index i = 0; i < 3; ++i) {
    const nlohmann::json& row = rows[static_cast<std::size_t>(i)];
    EXPECT_EQ(table.column("psi")[i], row["psi"]);
    EXPECT_EQ(table.column("way")[i], row["way"]);
    EXPECT_NEAR(row["way"].get<double>() / table.column("way")[2] - 1.0, row["way_relative_change"], 1e-12);
  }
  EXPECT_NE(table.column("way")[0], table.column("way")[2]);
}

}  // namespace
}  // namespace kurbel
