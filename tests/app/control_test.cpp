/// Optimal control through the program: the published optimum, its files, and what is refused.      [P2]
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.hpp"
#include "csv_table.hpp"
#include "output/run_file.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::CsvTable;
using test::Outcome;
using test::run;
using test::run_command;
using ::testing::HasSubstr;

using test::input;

const std::string pendulum = input("spring_pendulum.toml");
const std::string oscillator = input("one_mass_oscillator.toml");
/// The pendulum with a tenth of the steps, without pictures.
const std::string coarse = pendulum +
                           " --quiet --set output.picture=false --set output.motion=false"
                           " --set integrator.step=1e-2 --set constraints.criteria.length.intervals=50";
const std::string nodes_20 =
    " --set controls.ux.nodes=20 --set controls.uy.nodes=20 --set controls.uz.nodes=20";

class Control : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  /// Runs, with results in `name` and the numbers in `name`.json.
  Outcome run_to(const std::string& name, const std::string& arguments) const {
    return run(arguments + " --output " + path(name) + " --json " + path(name + ".json"));
  }
  nlohmann::json numbers(const std::string& name) const {
    return nlohmann::json::parse(read_text_file(path(name + ".json")));
  }

 private:
  TemporaryFolder folder_;
};

/// The published J, to its four decimals, with every constraint met.               [P2, section 5.2]
TEST_F(Control, FindsThePublishedOptimaOfTheSpringPendulum) {
  for (const auto& [nodes, J] : {std::pair("", 47.4613), std::pair(nodes_20.c_str(), 47.4083)}) {
    const Outcome o = run_to("p", "optimize " + pendulum + nodes + " --quiet --set output.picture=false");
    ASSERT_EQ(o.exit_code, 0) << o.text;
    EXPECT_NEAR(numbers("p")["psi"].get<double>(), J, 0.5e-4);
    EXPECT_TRUE(numbers("p")["feasible"]);
    const CsvTable outputs(path("p/outputs.csv"));
    const std::size_t length = outputs.place("length");
    double longest = 0.0;
    for (const auto& row : outputs.rows) longest = std::max(longest, row[length]);
    // Between the instants of the macro mesh, 10 ms apart, the length may bulge by about l_ddot (5 ms)^2 / 2.
    EXPECT_NEAR(longest, 12.0, 1e-3) << "the limit is active";
    for (std::size_t k = 0; k < outputs.rows.size(); k += 10)
      EXPECT_LE(outputs.rows[k][length], 12.0 * (1.0 + 1e-8));
    const std::vector<double>& end = outputs.rows.back();
    const std::array<double, 6> expected = {2.0, -10.0, -4.0, 0.0, 0.0, 0.0};
    const std::size_t first = outputs.place("position.x");
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(end[first + i], expected[i], 1e-8);
    const CsvTable control(path("p/control.csv"));
    for (const auto& row : control.rows) EXPECT_EQ(row.size(), 4);
  }
}

TEST_F(Control, WarnsOfSplinesThatGoBeyondTheBoundsOfTheirNodes) {
  const std::string at_bounds =
      "simulate " + coarse + " --set controls.ux.start=[5.5,-5.5,5.5,-5.5,5.5,-5.5,5.5,-5.5,5.5,-5.5]";
  EXPECT_THAT(run_to("spline", at_bounds).text,
              ::testing::HasSubstr("With controls.ux.interpolation = \"linear\" they hold everywhere"));
  const Outcome straight = run_to("straight", at_bounds + " --set controls.ux.interpolation=linear");
  EXPECT_THAT(straight.text, ::testing::Not(::testing::HasSubstr("beyond its bounds")));
}

TEST_F(Control, IteratesAlikeWithAllSensitivityMethods) {
  for (const char* method : {"discrete-adjoint", "direct", "finite-differences"}) {
    const Outcome o = run_to(method, "optimize " + coarse + " --set optimizer.stop.kkt_residual=1e-4" +
                                         " --set sensitivity.method=" + method);
    ASSERT_EQ(o.exit_code, 0) << o.text;
  }
  const CsvTable adjoint(path("discrete-adjoint/history.csv"));
  EXPECT_GT(adjoint.rows.size(), 10);
  const std::size_t objective = adjoint.place("objective");
  // Direct differentiation differs by rounding, finite differences by their error, some 1e-8 of a gradient.
  for (const auto& [method, tolerance] : {std::pair("direct", 1e-9), std::pair("finite-differences", 1e-5)}) {
    const CsvTable other(path(std::string(method) + "/history.csv"));
    ASSERT_EQ(other.rows.size(), adjoint.rows.size()) << method;
    for (std::size_t i = 0; i < adjoint.rows.size(); ++i) {
      const double J = adjoint.rows[i][objective];
      EXPECT_NEAR(other.rows[i][objective], J, tolerance * std::max(1.0, J)) << method << ", iteration " << i;
    }
  }
}

/// A p-norm of the length is 9 % below its largest value; the bound holds for that.
TEST_F(Control, KeepsTheTruePeakOfANormWithinItsBound) {
  const Outcome o =
      run_to("peak", "optimize " + coarse +
                         " --set 'constraints.criteria.length={type=\"output\", output=\"length\","
                         " time=\"p-norm\", exponent=20, upper=12.0}'");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_TRUE(numbers("peak")["feasible"]);
  EXPECT_LT(numbers("peak")["criteria"]["length"].get<double>(), 11.0);
  const CsvTable outputs(path("peak/outputs.csv"));
  double longest = 0.0;
  for (const auto& row : outputs.rows) longest = std::max(longest, row[outputs.place("length")]);
  EXPECT_NEAR(longest, 12.0, 0.02);
  EXPECT_LE(longest, 12.0);
  EXPECT_NEAR(numbers("peak")["peaks"]["length"].get<double>(), longest, 1e-12);
}

// With steps of 4 ms instead of 1 ms: a quarter of the time, and a mass that differs by 2 %.
TEST_F(Control, MakesTheRobotLighterThanThePublishedOne) {
  const Outcome o = run_to("robot", "optimize " + input("flexible_scara.toml") +
                                        " --quiet --set integrator.step=4e-3 --set output.picture=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_TRUE(numbers("robot")["feasible"]);
  EXPECT_LE(numbers("robot")["psi"], 0.0450);
  const CsvTable outputs(path("robot/outputs.csv"));
  const std::vector<double>& end = outputs.rows.back();
  const std::size_t tool = outputs.place("tool_position.x");
  for (const auto& [offset, expected] :
       {std::pair(0, 1.0), std::pair(1, 1.0), std::pair(2, 0.0), std::pair(3, 0.0)}) {
    EXPECT_NEAR(end[tool + offset], expected, 1e-8);
  }
  for (std::size_t k = 0; k < outputs.rows.size(); k += 5) {
    for (const char* stress : {"stress_1", "stress_2", "stress_3", "stress_4"}) {
      EXPECT_LE(outputs.rows[k][outputs.place(stress)], 1.1e7 * (1.0 + 1e-8));
    }
  }
  EXPECT_TRUE(std::filesystem::exists(path("robot/motion.pvd")));
}

TEST_F(Control, EndsAtTheLeastInfeasibleIterateOfAnInfeasibleProblem) {
  std::string weak;
  for (const char* control : {"ux", "uy", "uz"}) {
    weak +=
        std::string(" --set controls.") + control + ".lower=-0.1 --set controls." + control + ".upper=0.1";
  }
  const std::string problem = pendulum +
                              " --set output.picture=false --set output.motion=false --set "
                              "integrator.step=1e-2 --set constraints.criteria.length.intervals=50" +
                              weak;
  const Outcome o = run_to("weak", "optimize " + problem);
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(numbers("weak")["feasible"]);
  EXPECT_THAT(o.text, HasSubstr("this is the least infeasible one: "));
  EXPECT_THAT(o.text, HasSubstr("Ipopt finds no feasible design near where it came to"));
  // What variables.csv says violates as much as the run reported, and no iteration violated less.
  ASSERT_EQ(
      run_to("s", "simulate " + problem + " --quiet --variables " + path("weak/variables.csv")).exit_code, 0);
  const double violation = numbers("s")["violation"].get<double>();
  EXPECT_DOUBLE_EQ(violation, numbers("weak")["stages"][0]["violation"].get<double>());
  const CsvTable history(path("weak/history.csv"));
  for (const auto& row : history.rows) EXPECT_GE(row[history.place("violation")], violation * (1 - 1e-9));
}

TEST_F(Control, ReproducesTheOptimumFromItsVariables) {
  ASSERT_EQ(run_to("a", "optimize " + coarse).exit_code, 0);
  const Outcome o = run_to("b", "simulate " + coarse + " --variables " + path("a/variables.csv"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(numbers("a")["psi"], numbers("b")["psi"]) << "to the last bit";
  EXPECT_LT(numbers("b")["violation"].get<double>(), 1e-8);
  EXPECT_EQ(read_text_file(path("a/variables.csv")), read_text_file(path("b/variables.csv")));
}

TEST_F(Control, KeepsVariablesOfAnInterruptedRun) {
  // Interrupted once the first iteration is on disk.
  const Outcome o =
      run_command("bash -c '" + std::string(KURBEL_PROGRAM) + " optimize " + pendulum +
                  " --set sensitivity.method=\"finite-differences\" --set output.picture=false --output " +
                  path("run") + " --json " + path("run.json") + " & p=$!; while [ ! -e " + path("run") +
                  "/variables.csv ]; do sleep 0.05; done; kill -INT $p; wait $p; echo code $?'");
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(RunReader(path("run/run.h5")).status(), HasSubstr("interrupted"));
  EXPECT_TRUE(exists("run/control.csv"));
  EXPECT_EQ(run("simulate " + coarse + " --variables " + path("run/variables.csv") + " --output " + path("s"))
                .exit_code,
            0);
}

TEST_F(Control, RefusesVariablesThatDoNotFit) {
  ASSERT_EQ(run_to("a", "simulate " + coarse).exit_code, 0);
  const std::string good = read_text_file(path("a/variables.csv"));
  const auto outcome_of = [&](const std::string& right, const std::string& wrong) {
    std::string text = good;
    text.replace(text.find(right), right.size(), wrong);
    write_text_file(path("v.csv"), text);
    return run("simulate " + coarse + " --variables " + path("v.csv") + " --output " + path("refused"));
  };
  const std::array<std::array<std::string, 3>, 6> cases = {{
      {"uy(0 s),", "uv(0 s),", "v.csv:12: uv(0 s) is no variable of the problem; did you mean ux(0 s)?"},
      {"uy(0 s),0", "uy(0 s),7", "v.csv:12: uy(0 s) = 7 is outside its bounds [-5.5, 5.5]"},
      {"uy(0 s),0", "uy(0 s),x", "v.csv:12: value of uy(0 s) is \"x\", which is not a number"},
      {"uy(0 s),0", "uy(0 s),nan", "v.csv:12: value of uy(0 s) is \"nan\", which is not a number"},
      {good.substr(good.find("uz(5 s)")), "", "v.csv: uz(5 s) is missing; the problem has 30 variables"},
      {"uz(5 s),0,-5.5,5.5,N\n", "uz(5 s),0,-5.5,5.5,N\nuz(6 s),0,-5.5,5.5,N\n",
       "v.csv:32: uz(6 s) is no variable of the problem; did you mean"},
  }};
  for (const auto& [right, wrong, message] : cases) {
    const Outcome o = outcome_of(right, wrong);
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr(message));
    EXPECT_FALSE(exists("refused"));
  }
  EXPECT_EQ(run("simulate " + coarse + " --variables " + path("nowhere.csv")).exit_code, 2);
}

TEST_F(Control, WritesWhatItPromises) {
  const std::string frames = " --quiet --set output.motion_frames=3";
  Outcome o = run_to("optimize", "optimize " + pendulum + frames + " --set optimizer.stop.iterations=2" +
                                     " --set 'output.adjoint=[\"arrival\"]'");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* name :
       {"variables.csv", "control.csv", "control.png", "states.csv", "states.png", "outputs.csv",
        "outputs.png", "adjoint.csv", "adjoint.png", "history.csv", "run.h5", "run.log", "motion.pvd"}) {
    EXPECT_TRUE(exists(std::string("optimize/") + name)) << name;
  }
  std::size_t n_frames = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path("optimize/motion")))
    n_frames += entry.path().extension() == ".vtm";
  EXPECT_EQ(n_frames, 3);
  const CsvTable states(path("optimize/states.csv")), outputs(path("optimize/outputs.csv"));
  EXPECT_EQ(states.names.size(), 7) << "time, three positions and velocities";
  EXPECT_EQ(states.rows.size(), 5001) << "every step";
  EXPECT_EQ(outputs.names.size(), 8);

  o = run_to("simulate", "simulate " + pendulum + frames);
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_TRUE(exists("simulate/outputs.png"));
  EXPECT_TRUE(exists("simulate/motion.pvd"));
  EXPECT_FALSE(exists("simulate/adjoint.csv")) << "nothing is differentiated";

  o = run_to("gradient", "gradient " + oscillator + " --check 3");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("the gradient agrees with the differences"));
  for (const char* name : {"gradient.csv", "adjoint.csv", "adjoint.png", "variables.csv", "control.csv"}) {
    EXPECT_TRUE(exists(std::string("gradient/") + name)) << name;
  }
  EXPECT_THAT(read_text_file(path("gradient/gradient.csv")),
              HasSubstr("name,value,unit,gradient [N^2 s],reaction@0 [N],reaction@1 [N]"));
}

/// R_N = -(c, d), R_i = R_{i+1} (I + h A), for each row from its own instant on.        [P2, eqs 46-49]
TEST_F(Control, WritesTheAdjointVariablesOfTheOscillator) {
  const Outcome o = run_to("g", "gradient " + oscillator + " --quiet --set output.picture=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const CsvTable adjoint(path("g/adjoint.csv"));
  constexpr double c = 1.0, d = 0.5, m = 1.0, h = 1e-3;
  ASSERT_EQ(adjoint.rows.size(), 2001);
  ASSERT_EQ(adjoint.names.size(), 7);
  for (std::size_t j = 0; j < 3; ++j) {
    double R_x = 0.0, R_v = 0.0;
    for (std::size_t i = 2001; i-- > 0;) {
      if (i == 1000 * j) {
        R_x = -c, R_v = -d;
      } else if (i < 1000 * j) {
        const double next_x = R_x - h * c / m * R_v;
        R_v = R_v + h * (R_x - d / m * R_v);
        R_x = next_x;
      }
      // A thousand roundings of numbers of order one.
      ASSERT_NEAR(adjoint.rows[i][1 + 2 * j], R_x, 1e-12) << "row " << j << " at step " << i;
      ASSERT_NEAR(adjoint.rows[i][2 + 2 * j], R_v, 1e-12) << "row " << j << " at step " << i;
    }
  }
}

struct Refused {
  const char* name;
  std::string arguments;
  const char* message;
};

void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

class ControlRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(ControlRefuses, InOneLineWithExitCode2AndNothingWritten) {
  const TemporaryFolder folder;
  const std::string output = GetParam().arguments.find("--resume") == std::string::npos
                                 ? " --output " + (folder / "run").string()
                                 : "";
  const Outcome o = run(GetParam().arguments + output);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

INSTANTIATE_TEST_SUITE_P(
    , ControlRefuses,
    ::testing::Values(
        Refused{"Reduce", "reduce " + pendulum,
                "bodies has no flexible body, so that there is nothing to reduce"},
        Refused{"ReduceOfRigidBodies", "reduce " + input("five_bar.toml"), "bodies has no flexible body"},
        Refused{"DensityToOptimize", "optimize " + pendulum + " --density d.vtu",
                "--density belongs to problems with flexible bodies"},
        Refused{"DensityToSimulate", "simulate " + pendulum + " --density d.vtu", "--variables FILE"},
        Refused{"DensityToGradient", "gradient " + pendulum + " --density d.vtu", "--variables FILE"},
        Refused{"VariablesOfAFloatingFrame",
                "simulate " + input("flexible_crank_small.toml") + " --variables v.csv",
                "has no [variables]"},
        Refused{"OptimizerWithoutEqualities", "optimize " + pendulum + " --set optimizer.method=nlopt-mma",
                "optimizer.method = \"nlopt-mma\" does not fit [constraints]"},
        Refused{"OptimizerWithoutConstraints", "optimize " + pendulum + " --set optimizer.method=lbfgs",
                "optimizer.method = \"lbfgs\" does not fit [constraints]"},
        Refused{"QuasiNewtonWithoutConstraints", "optimize " + pendulum + " --set optimizer.method=bfgs",
                "optimizer.method = \"bfgs\" does not fit [constraints]"},
        Refused{"ViolatedInitialState",
                "optimize " + pendulum + " --set constraints.criteria.length.upper=7.0",
                "constraints.criteria.length is violated by the initial state, where length = 7.348"},
        Refused{"NoSuchFormulation", "optimize " + pendulum + " --set formulation=absolute",
                "formulation = \"absolute\" is unknown"}),
    [](const auto& info) { return std::string(info.param.name); });

/// All tables but that of the times, and the evaluations.
void expect_same_run(const std::filesystem::path& a, const std::filesystem::path& b) {
  for (const char* name : {"history.csv", "variables.csv", "control.csv", "states.csv", "outputs.csv"}) {
    ASSERT_EQ(std::filesystem::exists(a / name), std::filesystem::exists(b / name)) << name;
    if (std::filesystem::exists(a / name)) {
      EXPECT_EQ(read_text_file(a / name), read_text_file(b / name)) << name;
    }
  }
  const RunReader of_a(a / "run.h5"), of_b(b / "run.h5");
  ASSERT_EQ(of_a.n_evaluations(), of_b.n_evaluations());
  for (Eigen::Index i = 0; i < of_a.n_evaluations(); ++i) {
    const RunEvaluation e = of_a.evaluation(i), f = of_b.evaluation(i);
    EXPECT_EQ(e.design, f.design) << i;
    EXPECT_EQ(e.stage, f.stage) << i;
    EXPECT_EQ(e.constraint_gradients, f.constraint_gradients) << i;
  }
}

TEST_F(Control, GoesOnBitForBitAfterALimit) {
  ASSERT_EQ(run_to("whole", "optimize " + coarse).exit_code, 0);
  ASSERT_EQ(run_to("parts", "optimize " + coarse + " --set optimizer.stop.iterations=5").exit_code, 0);
  const Outcome o = run("optimize --quiet --resume " + path("parts") +
                        " --set optimizer.stop.iterations=300 --json " + path("resumed.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_GE(numbers("resumed")["replayed"], 6);
  expect_same_run(path("whole"), path("parts"));
}

TEST_F(Control, GoesOnBitForBitInEveryStage) {
  const std::string robot =
      input("flexible_scara.toml") +
      " --quiet --set integrator.step=1e-2 --set integrator.t1=0.5 --set output.motion=false"
      " --set output.picture=false --set stages.reach.iterations=4"
      " --set constraints.criteria.stress_1.intervals=5 --set constraints.criteria.stress_2.intervals=5"
      " --set constraints.criteria.stress_3.intervals=5 --set constraints.criteria.stress_4.intervals=5";
  ASSERT_EQ(run_to("whole", "optimize " + robot + " --set optimizer.stop.iterations=6").exit_code, 0);
  ASSERT_EQ(run_to("parts", "optimize " + robot + " --set optimizer.stop.iterations=2").exit_code, 0);
  const RunReader parts(path("parts/run.h5"));
  EXPECT_EQ(parts.evaluation(0).stage, 0);
  EXPECT_EQ(parts.evaluation(parts.n_evaluations() - 1).stage, 1);
  const Outcome o = run("optimize --quiet --resume " + path("parts") + " --set optimizer.stop.iterations=6");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  expect_same_run(path("whole"), path("parts"));
}

/// First the torques alone, then with them the densities of the forearm.
TEST_F(Control, HasStagesInAFloatingFrame) {
  const std::string arm =
      input("arm_codesign.toml") +
      " --quiet --set output.motion=false --set bodies.forearm.mesh.divisions=[12,3]"
      " --set bodies.forearm.regions.grip.x=[0.27,0.3] --set integrator.t1=0.05"
      " --set 'stages.reach={vary=\"controls\", objective={type=\"control-energy\", time=\"integral\"},"
      " constraints=[\"reach\", \"rest\"], iterations=3}'";
  ASSERT_EQ(run_to("whole", "optimize " + arm + " --set optimizer.stop.iterations=3").exit_code, 0);
  const auto stages = numbers("whole")["stages"];
  ASSERT_EQ(stages.size(), 2);
  EXPECT_EQ(stages[0]["name"], "reach");
  EXPECT_EQ(CsvTable(path("whole/outputs.csv")).names[1], "payload.x");
  EXPECT_TRUE(exists("whole/outputs.png"));
  const CsvTable history(path("whole/history.csv"));
  const std::size_t first = stages[0]["iterations"].get<std::size_t>() + 1;  // of the second stage
  ASSERT_EQ(history.rows.size(), first + stages[1]["iterations"].get<std::size_t>() + 1);
  ASSERT_GT(history.rows.size(), first + 1);
  const std::size_t mass = history.place("mass"), objective = history.place("objective");
  for (std::size_t i = 1; i <= first; ++i) EXPECT_EQ(history.rows[i][mass], history.rows[0][mass]) << i;
  EXPECT_NE(history.rows.back()[mass], history.rows[0][mass]);
  EXPECT_EQ(history.rows[0][objective], 0.0) << "no torque, and no mass in the objective";
  EXPECT_GT(history.rows[first][objective], 40.0 * history.rows[0][mass]) << "with the mass";

  ASSERT_EQ(run_to("parts", "optimize " + arm + " --set optimizer.stop.iterations=1").exit_code, 0);
  const Outcome o = run("optimize --quiet --resume " + path("parts") + " --set optimizer.stop.iterations=3");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  expect_same_run(path("whole"), path("parts"));
}

TEST_F(Control, GoesOnBitForBitAfterAnInterruption) {
  const std::string slow = coarse + " --set sensitivity.method=finite-differences";
  ASSERT_EQ(run_to("whole", "optimize " + slow).exit_code, 0);
  const Outcome o =
      run_command("bash -c '" + std::string(KURBEL_PROGRAM) + " optimize " + slow + " --output " +
                  path("parts") + " & p=$!; while [ ! -e " + path("parts") +
                  "/variables.csv ]; do sleep 0.01; done; kill -INT $p; wait $p; echo code $?'");
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  ASSERT_THAT(RunReader(path("parts/run.h5")).status(), HasSubstr("interrupted"));
  ASSERT_EQ(run("optimize --quiet --resume " + path("parts")).exit_code, 0);
  expect_same_run(path("whole"), path("parts"));
}

TEST_F(Control, RefusesToResumeAnotherProblem) {
  ASSERT_EQ(run_to("a", "optimize " + coarse + " --set optimizer.stop.iterations=1").exit_code, 0);
  const Outcome o = run("optimize --resume " + path("a") + " --set bodies.mass.mass=2.0");
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("bodies.mass.mass = 2 (was 1)"));
}

TEST_F(Control, StartsFromVariablesThatTheRunKeeps) {
  ASSERT_EQ(run_to("a", "optimize " + coarse + " --set optimizer.stop.iterations=3").exit_code, 0);
  ASSERT_EQ(run_to("b", "optimize " + coarse + " --set optimizer.stop.iterations=0 --variables " +
                            path("a/variables.csv"))
                .exit_code,
            0);
  EXPECT_EQ(read_text_file(path("a/variables.csv")), read_text_file(path("b/variables.csv")));
  const Outcome o = run("optimize --quiet --resume " + path("b") + " --set optimizer.stop.iterations=1");
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

TEST_F(Control, KeepsTheMotionUpToAFailure) {
  // With this step explicit Euler is unstable, and the stiff spring soon leaves all numbers.
  const Outcome o = run_to("f", "simulate " + coarse + " --set springs.spring.stiffness=1e9");
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_TRUE(exists("f/states.csv"));
}

}  // namespace
}  // namespace kurbel
