/// True peaks in runs of the program, and bounds that hold for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

/// Coarse, and with a bearing that is all of a coarse column, without a hub.
const std::string stress_crank =
    test::input("stress_crank.toml") +
    " --quiet --set bodies.crank.mesh.divisions=[24,6]"
    " --set 'bodies.crank.regions={bearing={kind=\"solid\",x=[0.19,0.2]}}'"
    " --set integrator.step=5e-3 --set output.motion=false --set constraints.criteria.strength.upper=5e6"
    " --set 'constraints.criteria.strength.leave_out=[\"clamp\"]'";

/// As in history.csv, and the peak that it ends with.
TEST(PeaksOfARun, MeetTheBoundThatTheAggregateOnlySeemedToMeet) {
  const TemporaryFolder folder;
  const auto peak_of = [&](const std::string& name, const std::string& options, std::string& text) {
    const std::string r = (folder / name).string();
    const test::Outcome o =
        test::run("optimize " + stress_crank + options + " --set optimizer.stop.iterations=25 --output " + r +
                  " --json " + r + ".json");
    EXPECT_EQ(o.exit_code, 0) << o.text;
    text = o.text;
    EXPECT_THAT(read_text_file(folder / name / "history.csv"), ::testing::HasSubstr(",strength_peak [Pa]\n"));
    const auto numbers = nlohmann::json::parse(read_text_file(r + ".json"));
    EXPECT_LE(numbers["criteria"]["strength"], 5e6);
    return numbers["peaks"]["strength"].get<double>();
  };
  std::string said;
  EXPECT_GT(peak_of("plain", " --set 'constraints.criteria.strength.scaling=\"none\"'", said), 5.1e6);
  EXPECT_THAT(said, ::testing::HasSubstr("strength is within its bounds as an aggregate"));
  EXPECT_LE(peak_of("adaptive", "", said), 5e6);
  EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("strength is within its bounds")));
}

TEST(PeaksOfARun, AreTheSameAfterItHasBeenResumed) {
  for (const char* robust : {"0.0", "0.05"}) {
    SCOPED_TRACE(robust);
    const TemporaryFolder folder;
    const std::string whole = (folder / "whole").string(), parts = (folder / "parts").string();
    const std::string options = "optimize " + stress_crank + " --set projection.robust=" + robust +
                                " --set optimizer.stop.iterations=";
    ASSERT_EQ(test::run(options + "16 --output " + whole).exit_code, 0);
    ASSERT_EQ(test::run(options + "7 --output " + parts).exit_code, 0);
    const test::Outcome o =
        test::run("optimize --resume " + parts + " --quiet --set optimizer.stop.iterations=16");
    ASSERT_EQ(o.exit_code, 0) << o.text;
    EXPECT_EQ(read_text_file(folder / "parts" / "history.csv"),
              read_text_file(folder / "whole" / "history.csv"));
  }
}

/// Rows of a stage stand in the order in which it names its constraints, and criteria in that of the input.
TEST(PeaksOfARun, MeetTheirBoundsInEachStageWhateverTheOrderOfConstraints) {
  const TemporaryFolder folder;
  const std::string options =
      " --set 'constraints.criteria.speed={type=\"kinetic-energy\", body=\"crank\", time=\"integral\", "
      "upper=1e9}' --set 'stages.first={objective={type=\"mass\", body=\"crank\"}, constraints=[\"speed\", "
      "\"strength\"], iterations=20}' --set optimizer.stop.iterations=";
  const auto run = [&](const std::string& name, const std::string& iterations) {
    const std::string r = (folder / name).string();
    const test::Outcome o = test::run("optimize " + stress_crank + options + iterations + " --output " + r +
                                      " --json " + r + ".json");
    EXPECT_EQ(o.exit_code, 0) << o.text;
    return nlohmann::json::parse(read_text_file(r + ".json"));
  };
  const auto stages = run("whole", "5")["stages"];
  ASSERT_EQ(stages.size(), 2u);
  for (const auto& stage : stages) EXPECT_TRUE(stage["feasible"]) << stage;
  // The second stage begins where the first one ended, with a row of its own.
  std::istringstream history(read_text_file(folder / "whole" / "history.csv"));
  std::string line;
  std::getline(history, line);
  ASSERT_THAT(line, ::testing::StartsWith("iteration,evaluations,objective [kg],"));
  ASSERT_THAT(line, ::testing::EndsWith(",strength_peak [Pa]"));
  do std::getline(history, line);
  while (history && std::stoi(line) <= 20);
  EXPECT_LE(std::stod(line.substr(line.rfind(',') + 1)), 5e6);
  EXPECT_EQ(std::stod(line.substr(line.find(',', line.find(',') + 1) + 1)), stages[0]["psi"].get<double>());

  run("parts", "0");
  const test::Outcome o = test::run("optimize --resume " + (folder / "parts").string() +
                                    " --quiet --set optimizer.stop.iterations=5");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(read_text_file(folder / "parts" / "history.csv"),
            read_text_file(folder / "whole" / "history.csv"));
}

/// Warnings of a simulation whose kinetic energy is bounded at instants, its value at 1 s and its peak.
struct SpeedOfAPendulum {
  std::string warnings;
  double at_end, peak;
};
SpeedOfAPendulum speed_at(const std::string& instants, double upper) {
  const TemporaryFolder folder;
  const std::string json = (folder / "n.json").string();
  const test::Outcome o = test::run(
      "simulate " + test::input("double_pendulum.toml") + " --quiet --output " + (folder / "r").string() +
      " --set output.motion=false --set integrator.rho_inf=0.95 --json " + json +
      " --set 'constraints.criteria.speed={type=\"kinetic-energy\", time=\"instants\", at=[" + instants +
      "], upper=" + std::to_string(upper) + "}'");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  const auto numbers = nlohmann::json::parse(read_text_file(json));
  return {o.text, numbers["criteria"]["speed@1"], numbers["peaks"]["speed"]};
}

TEST(PeaksOfARun, AreSaidBetweenInstants) {
  const SpeedOfAPendulum free = speed_at("0.0, 1.0", 1e9);
  EXPECT_EQ(free.warnings, "");
  ASSERT_GT(free.peak, 1.01 * free.at_end);
  EXPECT_THAT(speed_at("0.0, 1.0", 0.5 * (free.at_end + free.peak)).warnings,
              ::testing::HasSubstr(
                  "speed is within its bounds at its instants, but its farthest value at the steps between "
                  "them is"));
}

// An arm that has to stand still from an instant on moves before it.
TEST(PeaksOfARun, AreNotThoseBeforeTheFirstInstant) {
  const SpeedOfAPendulum free = speed_at("0.0, 1.0", 1e9),
                         at_end = speed_at("1.0", 0.5 * (free.at_end + free.peak));
  EXPECT_EQ(at_end.warnings, "");
  EXPECT_EQ(at_end.peak, at_end.at_end);
}

}  // namespace
}  // namespace kurbel
