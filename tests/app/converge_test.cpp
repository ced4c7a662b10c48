/// `kurbel converge` and `kurbel optimize --finer`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/analysis/beam_text.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::HasSubstr;

struct Converged {
  Outcome outcome;
  nlohmann::json numbers;
};

Converged converge(const std::string& file, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string json = (folder / "numbers.json").string();
  Converged result{
      run("converge " + file + " --json " + json + " -o " + (folder / "out").string() + " " + options), {}};
  if (!std::filesystem::exists(json)) return result;
  result.numbers = nlohmann::json::parse(read_text_file(json));
  const bool has_levels = result.numbers["axes"].dump().find("levels") != std::string::npos;
  EXPECT_EQ(std::filesystem::exists(folder / "out" / "convergence.png"), has_levels);
  EXPECT_TRUE(std::filesystem::exists(folder / "out" / "convergence.csv"));
  return result;
}

/// A bar that hangs under its weight: compliance rho^2 g^2 A L^3 / (3 E), which linear elements meet to order 2.
std::string bar_file(const TemporaryFolder& folder) {
  const std::string file = (folder / "bar.toml").string();
  std::string text = "gravity = [10.0, 0.0, 0.0]\n" + test::beam_text("static", R"([objective]
type = "compliance"
body = "beam"
[constraints.criteria.stretch]
type = "displacement"
marker = "beam.end"
component = "x"
upper = 3.0
)");
  text.replace(text.find("[8, 3]"), 6, "[6, 2]");
  write_text_file(file, text);
  return file;
}

TEST(Converge, FindsTheErrorOfABarByItsMesh) {
  const TemporaryFolder folder;
  const auto [outcome, numbers] = converge(bar_file(folder));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const double exact = 9.0 * 100.0 * 0.5 * 64.0 / (3.0 * 200.0);
  const auto& psi = numbers["axes"]["mesh"]["quantities"]["objective"];
  EXPECT_EQ(psi["trend"], "monotone");
  EXPECT_NEAR(psi["order"], 2.0, 1e-6);
  EXPECT_NEAR(psi["limit"], exact, 1e-9 * exact);
  const double value = numbers["quantities"]["objective"]["value"];
  EXPECT_NEAR(numbers["quantities"]["objective"]["error"], exact - value, 1e-9 * exact);
  EXPECT_EQ(numbers["quantities"]["objective"]["digits"], 2);                           // 47.67 of 48
  EXPECT_EQ(numbers["axes"]["mesh"]["quantities"]["stretch"]["trend"], "independent");  // exact at nodes
  EXPECT_EQ(numbers["quantities"]["stretch"]["digits"], 12);
  EXPECT_EQ(numbers["axes"]["step"]["left_out"], "nothing moves");
}

TEST(Converge, KeepsTheDesignOfAFileOnFinerMeshes) {
  const TemporaryFolder folder;
  std::string densities;
  for (int e = 0; e < 12; ++e) densities += e % 3 == 0 ? "0.5\n" : "1.0\n";
  write_text_file(folder / "densities.txt", densities);
  const std::string input = bar_file(folder);
  const auto [outcome, numbers] =
      converge(input, "--density " + (folder / "densities.txt").string() + " --mesh 2,3");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const auto& mass = numbers["axes"]["mesh"]["quantities"]["mass"];
  EXPECT_EQ(mass["trend"], "independent");
  EXPECT_NEAR(numbers["quantities"]["mass"]["value"], 3.0 * 2.0 * 10.0 / 12.0, 1e-12);
}

TEST(Converge, FindsTheOrderOfTheSteps) {
  const auto [outcome, numbers] = converge(test::input("one_mass_oscillator.toml"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  const auto& step = numbers["axes"]["step"];
  EXPECT_EQ(step["best_order"], 1.0);
  EXPECT_NEAR(step["quantities"]["reaction"]["order"], 1.0, 0.01);
  EXPECT_THAT(outcome.text, HasSubstr("modes: left out"));
}

TEST(Converge, SaysThatTheStressOfASharpCornerDoesNotSettle) {
  const auto [outcome, numbers] =
      converge(test::input("l_bracket.toml"),
               "--set design.start=1.0 --set bodies.bracket.regions.right.x=[0.08,0.2]");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["axes"]["mesh"]["quantities"]["strength (true peak)"]["trend"], "does not settle");
  EXPECT_EQ(numbers["quantities"]["strength (true peak)"]["digits"], 0);
  EXPECT_THAT(outcome.text, HasSubstr("no digit is certain"));
}

TEST(Converge, KnowsNoErrorWhereTheMeshIsNoFiner) {
  const auto [outcome, numbers] =
      converge(test::input("l_bracket.toml"), "--mesh 1.001 --set design.start=1.0");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("mesh: left out; level 1.001 has no finer mesh"));
  EXPECT_TRUE(numbers["quantities"]["objective"]["error"].is_null());
  EXPECT_EQ(numbers["quantities"]["objective"]["digits"], 0);
}

TEST(Converge, VariesTheModesOfAMotion) {
  const auto [outcome, numbers] =
      converge(test::input("flexible_crank_small.toml"), "--mesh 2 --set integrator.t1=0.01");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  for (const char* axis : {"mesh", "modes", "step"})
    EXPECT_TRUE(numbers["axes"][axis].contains("quantities")) << axis << "\n" << outcome.text;
  EXPECT_EQ(numbers["axes"]["mesh"]["quantities"]["objective"]["trend"], "one step");
}

TEST(Converge, VariesTheModesOfBodiesWhoseMechanismVibrates) {
  const auto [outcome, numbers] = converge(test::input("arm_in_pose.toml"), "--mesh 2");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["axes"]["step"]["left_out"], "nothing moves");
  EXPECT_GE(numbers["quantities"]["lowest_frequency"]["digits"], 2);
  EXPECT_TRUE(numbers["axes"]["modes"].contains("quantities")) << outcome.text;
}

TEST(Converge, RefusesMeshesThatAreNotFiner) {
  const Outcome outcome = run("converge a.toml --mesh 3,2");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("--mesh takes one or two numbers above 1, ascending"));
}

TEST(FinerMesh, GoesOnFromTheDesignOfARun) {
  const TemporaryFolder folder;
  const std::string coarse = (folder / "beam").string(), json = (folder / "coarse.json").string(),
                    json_of_finer = (folder / "finer.json").string();
  const std::string input = test::input("mbb_beam.toml") +
                            " --set filter.type=density --set filter.radius=2.4 --set projection.type=none"
                            " --set optimizer.stop.iterations=30";
  ASSERT_EQ(run("optimize " + input + " -o " + coarse + " --json " + json).exit_code, 0);
  const Outcome outcome =
      run("optimize --finer " + coarse + " --json " + json_of_finer + " --set optimizer.stop.iterations=3");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_TRUE(std::filesystem::exists(folder / "beam_finer" / "final.vtu"));
  const auto of_coarse = nlohmann::json::parse(read_text_file(json)),
             of_finer = nlohmann::json::parse(read_text_file(json_of_finer));
  const double psi = of_coarse["psi"], start = of_finer["psi_start"];
  EXPECT_NEAR(start, psi, 0.1 * psi);  // the filter smooths what elements of twice the edge made coarse
  EXPECT_LT(of_finer["psi"], start);
  EXPECT_NEAR(of_finer["volume_fraction"], 0.5, 1e-3);
}

TEST(FinerMesh, RefusesRunsWithoutDensities) {
  const Outcome outcome = run("optimize --finer nowhere");
  EXPECT_EQ(outcome.exit_code, 2);
  const Outcome beside = run("optimize a.toml --finer b");
  EXPECT_EQ(beside.exit_code, 2);
  EXPECT_THAT(beside.text,
              HasSubstr("--finer goes on with the input and the result of a run; leave out FILE"));
}

}  // namespace
}  // namespace kurbel
