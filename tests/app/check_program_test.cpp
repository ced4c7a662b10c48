/// `kurbel check`: what it says of a problem is what a run would find.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cost_report.hpp"
#include "app/motion_trial.hpp"
#include "base/files.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "fem/processes.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::HasSubstr;
using ::testing::Not;

/// What --json holds, and what was said.
struct Check {
  Outcome outcome;
  nlohmann::json numbers;
};

Check check(const std::string& input, const std::string& options = "") {
  const TemporaryFolder folder;
  const std::string json = (folder / "numbers.json").string();
  Check result{run("check " + test::input(input) + " --json " + json + " " + options), {}};
  if (std::filesystem::exists(json)) result.numbers = nlohmann::json::parse(read_text_file(json));
  return result;
}

TEST(Check, SaysWhatIsMinimizedAndBounded) {
  const std::string arm = check("arm_codesign.toml").outcome.text;
  for (const char* line :
       {"objective: a sum of 2 terms\n", "    integral of control-energy of all controls, in (N m)^2 s\n",
        "    40 times mass of forearm, in kg\n", "constraint reach.x = 0.05 m\n",
        "  final position of payload along x, in m\n"})
    EXPECT_THAT(arm, HasSubstr(line));
  EXPECT_THAT(check("flexible_crank_small.toml").outcome.text,
              HasSubstr("objective: integral of compliance of crank, in J s\n"));
  EXPECT_THAT(check("cart_swing_up.toml").outcome.text,
              HasSubstr("final half of the square of joint-angle of pin_1 less its target, in rad^2\n"));
  const std::string pendulum = check("spring_pendulum.toml").outcome.text;
  for (const char* line :
       {"constraint length <= 12 m at 501 instants\n", "  distance of mass from ground, in m\n"})
    EXPECT_THAT(pendulum, HasSubstr(line));
}

TEST(Check, WarnsOfAnObjectiveThatPassesItsTarget) {
  const auto text = [](const std::string& form) {
    return check("cart_double_pendulum.toml",
                 "--set 'objective={type=\"output\", output=\"alpha_2\", target=0.3, time=\"final\"" + form +
                     "}'")
        .outcome.text;
  };
  EXPECT_THAT(text(""),
              HasSubstr("warning: objective is the final joint-angle of pin_2 less its target, with its "
                        "sign: psi is least below the target, not at it. Write form = \"half-square\""));
  for (const char* form : {", form=\"half-square\"", ", form=\"signed\""})
    EXPECT_THAT(text(form), Not(HasSubstr("with its sign"))) << form;
}

TEST(Check, SaysHowCasesAreJoined) {
  const std::string text = check("crank_two_speeds.toml",
                                 "--set over_cases={} --set 'objective=[{type=\"integral-compliance\", "
                                 "body=\"crank\"}, {type=\"mass\", body=\"crank\"}]'")
                               .outcome.text;
  EXPECT_THAT(text,
              HasSubstr("of which psi is the sum over 2 cases, each times its weight; a mass that no case "
                        "changes counts once\n"));
  EXPECT_THAT(check("crank_two_speeds.toml").outcome.text,
              HasSubstr("of which psi is the p-norm (exponent 8) over 2 cases, towards the worst of them\n"));
}

TEST(Check, CountsBodiesJointsAndDegreesOfFreedomOfAFourBarLinkage) {
  const auto [outcome, numbers] = check("four_bar.toml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["title"], "Four-bar linkage with two flexible links");
  EXPECT_EQ(numbers["formulation"], "floating-frame");
  EXPECT_EQ(numbers["bodies"]["crank"]["type"], "rigid");
  const auto& coupler = numbers["bodies"]["coupler"];
  EXPECT_EQ(coupler["elements"], 160 * 12);
  EXPECT_EQ(coupler["nodes"], 161 * 13);
  EXPECT_EQ(coupler["degrees_of_freedom"], 160 * 13 * 2);  // one column of nodes is clamped
  EXPECT_EQ(numbers["joints"]["rocker_pin"]["locks"], "tx ty");
  EXPECT_EQ(numbers["joints"]["crank_bearing"]["drives"], "rz");
  // Three bodies, 3 normal and 2 attachment modes for each of two; the drive takes the last rigid freedom.
  EXPECT_EQ(numbers["rigid_coordinates"], 18);
  EXPECT_EQ(numbers["elastic_coordinates"], 10);
  EXPECT_EQ(numbers["degrees_of_freedom"], 10);
  EXPECT_EQ(numbers["fault_of_constraints"], "");
  EXPECT_EQ(numbers["steps"], 1200);
  EXPECT_GE(numbers["estimate"]["timed_steps"], 1);
  EXPECT_THAT(outcome.text, HasSubstr("no constraint is redundant"));
  EXPECT_THAT(outcome.text, HasSubstr("constraint volume_fraction <= 0.6"));
}

TEST(Check, CountsTheFreedomOfABodyAtRestWithoutThatOfItsSupports) {
  const auto [outcome, numbers] = check("mbb_beam.toml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["bodies"]["beam"]["degrees_of_freedom"], 61 * 21 * 2 - 21 - 1);
}

TEST(Check, CountsTheFreedomOfABuggyAndNamesItsTyres) {
  const auto [outcome, numbers] = check("buggy_step.toml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["rigid_coordinates"], 108);
  EXPECT_EQ(numbers["degrees_of_freedom"], 14);
  EXPECT_EQ(numbers["tyres"]["front_left"]["carrier"], "front_left_upright");
  EXPECT_EQ(numbers["joints"]["rear_left_tie_rod"]["locks"], "distance");
  EXPECT_NEAR(numbers["joints"]["rear_left_tie_rod"]["length"].get<double>(), std::hypot(0.32, 0.02), 1e-12);
  EXPECT_THAT(outcome.text, Not(HasSubstr("warning")));
}

TEST(Check, NamesBeamsSpringsLoadsAndUnits) {
  const auto [outcome, numbers] = check("rigid_spring_beam.toml");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["bodies"]["beam"]["elements"], 4);
  for (const char* line : {"beam beam: cable, 4 elements", "spring BC: rod.B - beam.end", "length >= 0.5 m"})
    EXPECT_THAT(outcome.text, HasSubstr(line));
  const Outcome crank = run("check " + test::input("balanced_crank.toml"));
  EXPECT_THAT(crank.text, HasSubstr("spring buffer: "));
  const Outcome cart = run("check " + test::input("cart_swing_up.toml"));
  EXPECT_THAT(cart.text, HasSubstr("torsion spring "));
}

TEST(Check, RefusesAWheelUnderTheRoad) {
  const auto [outcome, numbers] = check("buggy_step.toml", "--set road.position=-5.0 --set road.height=1.0");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text,
              HasSubstr("tyres.front_left has its wheel's centre at z = 0.28 m at the start, where "
                        "the road is at z = 1 m"));
}

TEST(Check, CountsTheVariablesOfEveryInput) {
  for (const std::filesystem::path& file : test::inputs()) {
    const std::string name = file.filename().string();
    if (name == "crank_from_sid.toml" || name == "flexible_crank_100k.toml" ||
        name == "flexible_crank_3d_1m.toml")
      continue;
    SCOPED_TRACE(name);
    const Problem problem = read_problem(file.string());
    const EvaluationChain chain(problem);
    const auto [outcome, numbers] = check(name);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(numbers["n_variables"], DesignSpace::of_problem(chain.bodies(), {}).n_variables());
  }
}

TEST(Check, CountsVariablesOfElements) {
  const auto [outcome, numbers] =
      check("flexible_crank_small.toml",
            "--set variables.h.quantity=bodies.crank.mesh.thickness --set variables.h.lower=0.005"
            " --set variables.h.upper=0.02 --set variables.h.each_element=true"
            " --set 'variables.h.elements={x=[0.0,0.1]}' --set design.bodies=[]");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["variables"]["h"], 570);  // centres of 38 of 75 columns, of 15 elements each
  EXPECT_EQ(numbers["n_variables"], 570);
}

TEST(Check, NamesRedundantConstraintsAndCountsThem) {
  const auto stated = check("four_bar.toml").numbers;
  const auto [outcome, numbers] =
      check("four_bar.toml", "--set 'joints.rocker_pin.lock=[\"tx\",\"ty\",\"tz\",\"rx\"]'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("body coupler: flexible"));
  EXPECT_THAT(outcome.text, HasSubstr("redundant constraints are removed: "));
  EXPECT_THAT(outcome.text, Not(HasSubstr("no constraint is redundant")));
  EXPECT_EQ(stated["redundant"], 0);
  EXPECT_EQ(numbers["redundant"].get<int>(), numbers["locked"].get<int>() - stated["locked"].get<int>());
  // Of the rigid mechanism: what acts at a marker has elastic coordinates of its own.
  const auto rigid = [](const nlohmann::json& n) {
    return n["degrees_of_freedom"].get<int>() - n["elastic_coordinates"].get<int>();
  };
  EXPECT_EQ(rigid(numbers), rigid(stated));
}

TEST(Check, NamesConstraintsThatContradictEachOtherAndSaysAllElse) {
  const auto [outcome, numbers] =
      check("four_bar.toml", "--set 'joints.again={type=\"fixed\", from=\"ground\", to=\"rocker\"}'");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("body coupler: flexible"));
  EXPECT_THAT(outcome.text, HasSubstr("again"));
  EXPECT_THAT(outcome.text, Not(HasSubstr("no constraint is redundant")));
  EXPECT_THAT(numbers["fault_of_constraints"], HasSubstr("four_bar.toml:"));
}

TEST(Check, ExaminesALargeMeshOnACoarserOne) {
  const auto [outcome, numbers] = check("flexible_crank_100k.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["bodies"]["crank"]["elements"], 100000);
  EXPECT_THAT(outcome.text, HasSubstr("belong to a coarser mesh of"));
  EXPECT_EQ(numbers["degrees_of_freedom"], check("flexible_crank.toml").numbers["degrees_of_freedom"]);
  EXPECT_FALSE(numbers["estimate"].contains("reduction_seconds"));
}

// The coarser mesh need not resolve the width of members.
TEST(Check, ExaminesABoundOnMembersOnACoarserMesh) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"),
                                       {"bodies.crank.manufacturing.maximum_member=\"5 mm\""});
  EXPECT_EQ(try_motion(problem, 2e6).not_built, "");
  EXPECT_EQ(try_motion(problem).not_built, "");
}

TEST(Check, SaysWhereACoarserMeshCannotStandForALargeOne) {
  const Problem problem = read_problem(test::input("flexible_crank_small.toml"));
  EXPECT_EQ(try_motion(problem).not_built, "");
  EXPECT_THAT(try_motion(problem, 1e4).not_built, HasSubstr("regions.bearing"));
}

TEST(Check, ExaminesEveryCaseAndBothFormulations) {
  const auto cases = check("crank_two_speeds.toml");
  EXPECT_EQ(cases.outcome.exit_code, 0) << cases.outcome.text;
  EXPECT_EQ(cases.numbers["cases"]["fast"]["degrees_of_freedom"], 6);
  EXPECT_EQ(cases.numbers["cases"]["heavy"]["steps"], 400);
  const auto arm = check("flexible_scara.toml");
  EXPECT_EQ(arm.outcome.exit_code, 0) << arm.outcome.text;
  EXPECT_EQ(arm.numbers["bodies"]["forearm"]["elements"], 2);
  EXPECT_EQ(arm.numbers["constraints"]["stress_1"], 101);
  EXPECT_EQ(arm.numbers["degrees_of_freedom"], 32);
}

TEST(Check, CountsTheFreedomOfPointsBesideBodies) {
  const TemporaryFolder folder;
  write_text_file(folder / "crane.toml", R"(
formulation = "natural-coordinates"
[bodies.jib]
type = "rigid"
mass = 40.0
inertia = [1.0, 30.0, 30.0]
markers.tip.position = [3.0, 0.0, 0.0]
[bodies.load]
type = "point"
mass = 20.0
initial.position = [3.0, -2.0, 0.0]
[joints.slew]
type = "revolute"
from = "ground"
to = "jib"
[joints.rope]
type = "distance"
from = "jib.tip"
to = "load"
[integrator]
t1 = 0.1
step = 0.01
)");
  const std::string json = (folder / "numbers.json").string();
  const Outcome o = run("check " + (folder / "crane.toml").string() + " --json " + json);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const nlohmann::json numbers = nlohmann::json::parse(read_text_file(json));
  EXPECT_EQ(numbers["rigid_coordinates"], 6 + 3);
  EXPECT_EQ(numbers["degrees_of_freedom"], 1 + 3 - 1);
}

TEST(Check, EndsWithThreeWhereTheMechanismCannotBeAssembled) {
  const auto [outcome, numbers] =
      check("four_bar.toml", "--set ground.markers.rocker_bearing.position=[4.0,0.0,0.0]");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("3264 variables in all"));
}

TEST(Check, TakesNoRoundingErrorsForACorrectionOfTheStart) {
  EXPECT_THAT(check("flexible_crank_small.toml").outcome.text, Not(HasSubstr("the joints change")));
  EXPECT_THAT(check("four_bar.toml").outcome.text, HasSubstr("the joints change the initial rotation"));
}

TEST(Check, EstimatesTheTimeOfEveryCommandThatTheFileIsCompleteFor) {
  const nlohmann::json crank = check("flexible_crank_small.toml").numbers["estimate"];
  EXPECT_EQ(crank["timed_steps"], 400);
  EXPECT_GT(crank["simulate_seconds"], crank["reduction_seconds"]);
  // The limit of 400 iterations; how many of them a run takes is not known before.
  EXPECT_EQ(crank["most_evaluations"], 1 + 3 * 400);
  EXPECT_DOUBLE_EQ(crank["most_optimize_seconds"].get<double>(),
                   crank["once_seconds"].get<double>() + 1201.0 * crank["evaluation_seconds"].get<double>());
  EXPECT_GT(crank["evaluation_seconds"], crank["reduction_seconds"]);
  const nlohmann::json pendulum = check("n_link.toml").numbers["estimate"];
  EXPECT_GT(pendulum["simulate_seconds"], 0.0);
  EXPECT_FALSE(pendulum.contains("most_optimize_seconds"));
  // A part at rest has no steps, and its optimization a time.
  const nlohmann::json bracket = check("l_bracket.toml").numbers["estimate"];
  EXPECT_GT(bracket["most_optimize_seconds"].get<double>(),
            50.0 * bracket["evaluation_seconds"].get<double>());
}

// Each of their evaluations is three.
TEST(Check, EstimatesThreeTimesTheTimeForRobustDesigns) {
  const auto seconds_with = [](const char* robust) {
    const Problem problem = read_problem(test::input("flexible_crank_small.toml"), {robust});
    RunTimes times;
    times.evaluation.simulation = 2.0, times.evaluation.reduction = 1.0;
    Report report([](const std::string&) {});
    report_optimization(problem, times, report);
    return report.numbers().at("evaluation_seconds").get<double>();
  };
  EXPECT_EQ(seconds_with("projection.robust=0.0"), 3.0);
  EXPECT_EQ(seconds_with("projection.robust=0.05"), 9.0);
}

TEST(Check, EstimatesTheMemoryThatARunTakes) {
  const auto [outcome, numbers] = check("flexible_crank_3d.toml");
  EXPECT_THAT(outcome.text, HasSubstr("estimated memory of a run: "));
  // `optimize` was measured to take 204 MB.
  EXPECT_NEAR(numbers["estimate"]["memory_bytes"].get<double>(), 2.04e8, 0.3 * 2.04e8);
}

TEST(Check, MovesInstantsAlongWhereItMakesFewerSteps) {
  const Problem whole = read_problem(test::input("spring_pendulum.toml"));
  const Problem half = with_steps(whole, whole.integrator.n_steps() / 2);
  EXPECT_DOUBLE_EQ(half.integrator.t1, 2.5);
  ASSERT_EQ(whole.constraints.criteria.size(), half.constraints.criteria.size());
  EXPECT_EQ(whole.constraints.criteria.back().terms.front().steps.back(), 5000);
  EXPECT_EQ(half.constraints.criteria.back().terms.front().steps.back(), 2500);
}

TEST(Check, TellsFirstFrequenciesBesideThoseOfDrives) {
  const auto [outcome, numbers] = check("spinning_beam.toml");
  // 1.875^2 / (2 pi L^2) sqrt(E h^2 / (12 rho)) of a cantilever of 10 m
  EXPECT_NEAR(numbers["frequencies"]["beam"]["first"].get<double>(), 0.6044, 1e-3);
  EXPECT_THAT(outcome.text, HasSubstr("joints.hub.drive: turns with up to 0.955 Hz"));
}

TEST(Check, WarnsOfAModeThatTheStepsDoNotResolve) {
  const auto [outcome, numbers] = check("double_pendulum.toml", "--set integrator.step=2e-2");
  EXPECT_THAT(outcome.text, HasSubstr("a mode of 30.5 Hz vibrates, with 1.6 steps in its period"));
}

TEST(Check, SaysForWhichCommandsAFileIsComplete) {
  const auto whole = check("four_bar.toml").numbers["complete_for"];
  EXPECT_EQ(whole, (nlohmann::json{"simulate", "gradient", "optimize"}));
  const auto [outcome, numbers] = check("four_bar.toml", "--set optimizer.method=lbfgs");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_EQ(numbers["complete_for"], (nlohmann::json{"simulate", "gradient"}));
  EXPECT_THAT(outcome.text, HasSubstr("not for `kurbel optimize`"));
}

TEST(Check, WritesNothingButTheNumbers) {
  const TemporaryFolder folder;
  const Outcome outcome = test::run_command("cd " + folder.path().string() + " && " + KURBEL_PROGRAM +
                                            " check " + test::input("flexible_crank_small.toml"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_EQ(
      run("check " + test::input("four_bar.toml") + " --json " + test::input("four_bar.toml")).exit_code, 2);
}

// As mpirun tells its processes; all of them would write the same files.
TEST(Check, OfSeveralProcessesWithoutPetscIsRefusedInEach) {
  if (fem::has_petsc()) GTEST_SKIP() << "these processes would wait for each other";
  for (const char* rank : {"0", "1"}) {
    const Outcome outcome =
        test::run_command(std::string("env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=") + rank + " " +
                          KURBEL_PROGRAM + " check " + test::input("four_bar.toml"));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    EXPECT_THAT(outcome.text,
                HasSubstr("mpirun started 2 processes, and this kurbel was built without PETSc"));
    EXPECT_THAT(outcome.text, HasSubstr("or start one without mpirun"));
  }
}

}  // namespace
}  // namespace kurbel
