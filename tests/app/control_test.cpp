/// Optimal control through the program: the published optimum, its files, and what is refused.      [P2]
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.hpp"
#include "output/run_file.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using test::run_command;
using ::testing::HasSubstr;

std::string input(const std::string& name) {
  return std::string(KURBEL_SOURCE_DIR) + "/inputs/" + name;
}

const std::string pendulum = input("spring_pendulum.toml");
const std::string oscillator = input("one_mass_oscillator.toml");
/// The pendulum with a tenth of the steps, without pictures.
const std::string coarse = pendulum +
                           " --quiet --set output.pictures=false --set output.motion=false"
                           " --set integrator.step=1e-2 --set constraints.length.intervals=50";
const std::string nodes_20 =
    " --set controls.ux.nodes=20 --set controls.uy.nodes=20 --set controls.uz.nodes=20";

/// A file of numbers with one line of names.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  explicit Table(const std::filesystem::path& path) {
    std::istringstream text(read_text_file(path));
    std::string line, cell;
    std::getline(text, line);
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
    while (std::getline(text, line)) {
      rows.emplace_back();
      for (std::istringstream cells(line); std::getline(cells, cell, ',');)
        rows.back().push_back(std::stod(cell));
    }
  }
  std::size_t column(const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw std::runtime_error("no column " + name);
    return static_cast<std::size_t>(at - names.begin());
  }
};

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
    const Outcome o = run_to("p", "optimize " + pendulum + nodes + " --quiet --set output.pictures=false");
    ASSERT_EQ(o.exit_code, 0) << o.text;
    EXPECT_NEAR(numbers("p")["objective"].get<double>(), J, 0.5e-4);
    EXPECT_TRUE(numbers("p")["feasible"]);
    const Table outputs(path("p/outputs.csv"));
    const std::size_t length = outputs.column("length");
    double longest = 0.0;
    for (const auto& row : outputs.rows) longest = std::max(longest, row[length]);
    // Between the instants of the macro mesh, 10 ms apart, the length may bulge by about l_ddot (5 ms)^2 / 2.
    EXPECT_NEAR(longest, 12.0, 1e-3) << "the limit is active";
    for (std::size_t k = 0; k < outputs.rows.size(); k += 10)
      EXPECT_LE(outputs.rows[k][length], 12.0 * (1.0 + 1e-8));
    const std::vector<double>& end = outputs.rows.back();
    const std::array<double, 6> expected = {2.0, -10.0, -4.0, 0.0, 0.0, 0.0};
    const std::size_t first = outputs.column("position.x");
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(end[first + i], expected[i], 1e-8);
    const Table control(path("p/control.csv"));
    for (const auto& row : control.rows) EXPECT_EQ(row.size(), 4);
  }
}

TEST_F(Control, IteratesAlikeWithAllSensitivityMethods) {
  for (const char* method : {"discrete-adjoint", "direct", "finite-differences"}) {
    const Outcome o = run_to(method, "optimize " + coarse + " --set optimizer.stop.kkt_residual=1e-4" +
                                         " --set sensitivity.method=" + method);
    ASSERT_EQ(o.exit_code, 0) << o.text;
  }
  const Table adjoint(path("discrete-adjoint/history.csv"));
  EXPECT_GT(adjoint.rows.size(), 10);
  const std::size_t objective = adjoint.column("objective");
  // Direct differentiation differs by rounding, finite differences by their error, some 1e-8 of a gradient.
  for (const auto& [method, tolerance] : {std::pair("direct", 1e-9), std::pair("finite-differences", 1e-5)}) {
    const Table other(path(std::string(method) + "/history.csv"));
    ASSERT_EQ(other.rows.size(), adjoint.rows.size()) << method;
    for (std::size_t i = 0; i < adjoint.rows.size(); ++i) {
      const double J = adjoint.rows[i][objective];
      EXPECT_NEAR(other.rows[i][objective], J, tolerance * std::max(1.0, J)) << method << ", iteration " << i;
    }
  }
}

// With steps of 4 ms instead of 1 ms: a quarter of the time, and a mass that differs by 2 %.
TEST_F(Control, MakesTheRobotLighterThanThePublishedOne) {
  const Outcome o = run_to("robot", "optimize " + input("flexible_scara.toml") +
                                        " --quiet --set integrator.step=4e-3 --set output.pictures=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_TRUE(numbers("robot")["feasible"]);
  EXPECT_LE(numbers("robot")["objective"], 0.0450);
  const Table outputs(path("robot/outputs.csv"));
  const std::vector<double>& end = outputs.rows.back();
  const std::size_t tool = outputs.column("tool_position.x");
  for (const auto& [offset, expected] :
       {std::pair(0, 1.0), std::pair(1, 1.0), std::pair(2, 0.0), std::pair(3, 0.0)}) {
    EXPECT_NEAR(end[tool + offset], expected, 1e-8);
  }
  for (std::size_t k = 0; k < outputs.rows.size(); k += 5) {
    for (const char* stress : {"stress_1", "stress_2", "stress_3", "stress_4"}) {
      EXPECT_LE(outputs.rows[k][outputs.column(stress)], 1.1e7 * (1.0 + 1e-8));
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
                              " --set output.pictures=false --set output.motion=false --set "
                              "integrator.step=1e-2 --set constraints.length.intervals=50" +
                              weak;
  const Outcome o = run_to("weak", "optimize " + problem);
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_FALSE(numbers("weak")["feasible"]);
  EXPECT_THAT(o.text, HasSubstr("this is the least infeasible iterate"));
  EXPECT_THAT(o.text, HasSubstr("Ipopt finds no feasible design near where it came to"));
  // What variables.csv says violates as much as the run reported, and no iteration violated less.
  ASSERT_EQ(
      run_to("s", "simulate " + problem + " --quiet --variables " + path("weak/variables.csv")).exit_code, 0);
  const double violation = numbers("s")["violation"].get<double>();
  EXPECT_DOUBLE_EQ(violation, numbers("weak")["stages"][0]["violation"].get<double>());
  const Table history(path("weak/history.csv"));
  for (const auto& row : history.rows) EXPECT_GE(row[history.column("violation")], violation * (1 - 1e-9));
}

TEST_F(Control, ReproducesTheOptimumFromItsVariables) {
  ASSERT_EQ(run_to("a", "optimize " + coarse).exit_code, 0);
  const Outcome o = run_to("b", "simulate " + coarse + " --variables " + path("a/variables.csv"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(numbers("a")["objective"], numbers("b")["objective"]) << "to the last bit";
  EXPECT_LT(numbers("b")["violation"].get<double>(), 1e-8);
  EXPECT_EQ(read_text_file(path("a/variables.csv")), read_text_file(path("b/variables.csv")));
}

TEST_F(Control, KeepsVariablesOfAnInterruptedRun) {
  // Interrupted once the first iteration is on disk.
  const Outcome o =
      run_command("bash -c '" + std::string(KURBEL_PROGRAM) + " optimize " + pendulum +
                  " --set sensitivity.method=\"finite-differences\" --set output.pictures=false --output " +
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
      {"uz(5 s),0,-5.5,5.5\n", "uz(5 s),0,-5.5,5.5\nuz(6 s),0,-5.5,5.5\n",
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
    n_frames += entry.path().extension() == ".vtu";
  EXPECT_EQ(n_frames, 3);
  const Table states(path("optimize/states.csv")), outputs(path("optimize/outputs.csv"));
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
              HasSubstr("variable,cost,reaction: reaction.x at 0 s,reaction: reaction.x at 1 s"));
}

/// R_N = -(c, d), R_i = R_{i+1} (I + h A), for each row from its own instant on.        [P2, eqs 46-49]
TEST_F(Control, WritesTheAdjointVariablesOfTheOscillator) {
  const Outcome o = run_to("g", "gradient " + oscillator + " --quiet --set output.pictures=false");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const Table adjoint(path("g/adjoint.csv"));
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
        Refused{"Reduce", "reduce " + pendulum, "absolute"},
        Refused{"DensityToOptimize", "optimize " + pendulum + " --density d.vtu",
                "--density belongs to problems with flexible bodies in a floating frame"},
        Refused{"DensityToSimulate", "simulate " + pendulum + " --density d.vtu", "--variables FILE"},
        Refused{"DensityToGradient", "gradient " + pendulum + " --density d.vtu", "--variables FILE"},
        Refused{"VariablesOfAFloatingFrame",
                "simulate " + input("flexible_crank_small.toml") + " --variables v.csv",
                "has no [variables]"},
        Refused{"OptimizerWithoutEqualities", "optimize " + pendulum + " --set optimizer.method=mma",
                "optimizer.method = \"mma\" does not fit [constraints]"},
        Refused{"OptimizerWithoutConstraints", "optimize " + pendulum + " --set optimizer.method=lbfgs",
                "optimizer.method = \"lbfgs\" does not fit [constraints]"},
        Refused{"ViolatedInitialState", "optimize " + pendulum + " --set constraints.length.upper=7.0",
                "constraints.length is violated by the initial state, where length = 7.348"},
        Refused{"NoSuchFormulation", "optimize " + pendulum + " --set formulation=absolute",
                "formulation = \"absolute\" is unknown"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Control, IsNotResumedButStartedFromItsVariables) {
  ASSERT_EQ(run_to("a", "optimize " + coarse + " --set optimizer.stop.iterations=1").exit_code, 0);
  const Outcome o = run("optimize --resume " + path("a"));
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("is not resumed but started again"));
  EXPECT_THAT(o.text, HasSubstr("--variables " + path("a/variables.csv")));
}

TEST_F(Control, KeepsTheMotionUpToAFailure) {
  // With this step explicit Euler is unstable, and the stiff spring soon leaves all numbers.
  const Outcome o = run_to("f", "simulate " + coarse + " --set springs.spring.stiffness=1e9");
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_TRUE(exists("f/states.csv"));
}

}  // namespace
}  // namespace kurbel
