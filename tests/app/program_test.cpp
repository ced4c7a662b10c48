/// The program as its user meets it: commands, exit codes, files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "output/run_file.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::HasSubstr;

/// A crank that optimizes in a second.
const std::string tiny =
    test::input("flexible_crank_small.toml") +
    " --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
    " --set integrator.step=1e-2 --set output.motion_frames=4";

TEST(Program, OptimizesAndWritesWhatItPromises) {
  const TemporaryFolder folder;
  const Outcome o = run("optimize " + tiny + " --set optimizer.stop.iterations=6 --output " +
                        (folder / "run").string() + " --json " + (folder / "run.json").string());
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* name : {"density.pvd", "motion.pvd", "history.csv", "timing.csv", "run.h5", "sid.h5",
                           "density.png", "run.log"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / name)) << name;
  }
  const auto numbers = nlohmann::json::parse(read_text_file(folder / "run.json"));
  EXPECT_LT(numbers["psi"].get<double>(), 0.9 * numbers["psi_start"].get<double>());
  EXPECT_EQ(numbers["iterations"], 6);
  EXPECT_GT(numbers["peak_memory_bytes"].get<double>(), 1e6);
  const Outcome info = run("info " + (folder / "run" / "run.h5").string());
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.text, HasSubstr("finished"));
}

TEST(Program, IsReproducible) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(run("optimize " + tiny + " --quiet --set optimizer.stop.iterations=5 --output " +
                  (folder / name).string())
                  .exit_code,
              0);
  }
  EXPECT_EQ(read_text_file(folder / "a" / "history.csv"), read_text_file(folder / "b" / "history.csv"));
}

class ResumeOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ResumeOf, EqualsTheUninterruptedRun) {
  const TemporaryFolder folder;
  const std::string method = std::string(" --quiet --set optimizer.method=") + GetParam() + " --output ";
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(run("optimize " + tiny + method + path("whole") + " --set optimizer.stop.iterations=9").exit_code,
            0);
  ASSERT_EQ(run("optimize " + tiny + method + path("parts") + " --set optimizer.stop.iterations=4").exit_code,
            0);
  const Outcome o =
      run("optimize --resume " + path("parts") + " --set optimizer.stop.iterations=9 --json " + path("n"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_GT(nlohmann::json::parse(read_text_file(folder / "n"))["replayed"], 3);
  EXPECT_EQ(read_text_file(folder / "whole" / "history.csv"),
            read_text_file(folder / "parts" / "history.csv"));
  const RunReader whole(folder / "whole" / "run.h5"), parts(folder / "parts" / "run.h5");
  ASSERT_EQ(whole.n_evaluations(), parts.n_evaluations());
  const Eigen::Index last = whole.n_evaluations() - 1;
  EXPECT_EQ(whole.evaluation(last).design, parts.evaluation(last).design);
}

INSTANTIATE_TEST_SUITE_P(Optimizer, ResumeOf, ::testing::Values("oc", "mma", "ipopt"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Program, EndsOnCtrlCWithEverythingWritten) {
  const TemporaryFolder folder;
  const std::string run_folder = (folder / "run").string();
  // The interrupt comes once the first evaluation is on disk.
  const std::string script =
      "bash -c '" + std::string(KURBEL_PROGRAM) + " optimize " + tiny +
      " --set optimizer.stop.iterations=100000 --set optimizer.stop.design_change=0 --output " + run_folder +
      " & p=$!; while [ ! -e " + run_folder +
      "/run.h5 ]; do sleep 0.05; done; sleep 0.5; kill -INT $p; wait $p; echo code $?' 2>&1";
  std::FILE* pipe = popen(script.c_str(), "r");
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    text.append(buffer.data(), n);
  pclose(pipe);
  EXPECT_THAT(text, HasSubstr("code 0"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "density.png"));
  EXPECT_THAT(RunReader(folder / "run" / "run.h5").status(), HasSubstr("interrupted"));
}

TEST(Program, ChecksGradients) {
  const TemporaryFolder folder;
  const std::string out = " --output " + (folder / "g").string();
  const Outcome good = run("gradient " + tiny + " --check 3" + out);
  EXPECT_EQ(good.exit_code, 0) << good.text;
  EXPECT_TRUE(std::filesystem::exists(folder / "g" / "gradient.vtu"));
  const Outcome strict = run("gradient " + tiny + " --check 3 --tolerance 1e-16" + out);
  EXPECT_EQ(strict.exit_code, 1) << strict.text;
}

TEST(Program, WarnsOfAGradientThatIsFarOff) {
  const TemporaryFolder folder;
  const auto gradient_by = [&](const std::string& method) {
    return run("gradient " + tiny + " --set sensitivity.method=" + method +
               " --set 'objective={type=\"total-energy\", time=\"final\"}' --output " +
               (folder / method).string());
  };
  EXPECT_THAT(gradient_by("continuous-adjoint").text, HasSubstr("the gradient is not to be trusted"));
  EXPECT_THAT(gradient_by("discrete-adjoint").text, testing::Not(HasSubstr("not to be trusted")));
}

TEST(Program, SimulatesFromItsOwnSidWithoutAMesh) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(run("reduce " + tiny + " --quiet --output " + path("r")).exit_code, 0);
  ASSERT_EQ(
      run("simulate " + tiny + " --quiet --output " + path("m") + " --json " + path("m.json")).exit_code, 0);
  const Outcome o =
      run("simulate " + test::input("crank_from_sid.toml") + " --set bodies.crank.file=" + path("r") +
          "/sid.h5 --set integrator.step=1e-2 --set output.motion_frames=4 --output " + path("s") +
          " --json " + path("s.json"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(nlohmann::json::parse(read_text_file(folder / "s.json"))["psi"],
            nlohmann::json::parse(read_text_file(folder / "m.json"))["psi"]);
}

TEST(Program, ReduceShowsModesOnRequest) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(run("reduce " + tiny + " --quiet --modes --output " + path("r")).exit_code, 0);
  for (const char* file :
       {"r/modes.pvd", "r/modes/modes_00019.vtm", "r/modes/modes_00019_0.vtu", "r/crank_modes.vtu"})
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  EXPECT_THAT(read_text_file(folder / "r/modes/modes_00000.vtm"), HasSubstr("name=\"crank\""));
  ASSERT_EQ(run("reduce " + tiny + " --quiet --output " + path("r")).exit_code, 0);
  for (const char* file : {"r/modes.pvd", "r/modes", "r/crank_modes.vtu"})
    EXPECT_FALSE(std::filesystem::exists(folder / file)) << file;
}

TEST(Program, SimulatesFromItsOwnSidAsText) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(run("reduce " + tiny + " --quiet --format both --output " + path("r")).exit_code, 0);
  for (const char* file : {"sid.h5", "crank.SID_FEM"}) {
    const Outcome o =
        run("simulate " + test::input("crank_from_sid.toml") + " --set bodies.crank.file=" + path("r") + "/" +
            file + " --set integrator.step=1e-2 --set output.motion=false --output " + path("s") +
            " --json " + path(file));
    ASSERT_EQ(o.exit_code, 0) << o.text;
  }
  EXPECT_EQ(nlohmann::json::parse(read_text_file(folder / "crank.SID_FEM"))["psi"],
            nlohmann::json::parse(read_text_file(folder / "sid.h5"))["psi"]);
  const Outcome info = run("info " + path("r") + "/crank.SID_FEM");
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.text, HasSubstr("SID text"));
  EXPECT_THAT(info.text, HasSubstr("Ge.M0 = 2 Cr.M1                      holds"));
  const Outcome as_json = run("info " + path("r") + "/sid.h5 --json " + path("info.json"));
  ASSERT_EQ(as_json.exit_code, 0) << as_json.text;
  const auto crank = nlohmann::json::parse(read_text_file(folder / "info.json"))["bodies"]["crank"];
  EXPECT_TRUE(crank["identities"]["Ge.M0 = 2 Cr.M1"]["holds"].get<bool>());
  EXPECT_FALSE(crank["mass_matrix"]["indefinite"].get<bool>());
  EXPECT_GT(crank["frequencies"][0].get<double>(), 0.0);
  EXPECT_THAT(as_json.text, HasSubstr(fmt::format("{:.6g} Hz", crank["frequencies"][0].get<double>())));
  EXPECT_EQ(run("info " + path("r") + "/crank.SID_FEM --json " + path("r") + "/crank.SID_FEM").exit_code, 2);
  EXPECT_EQ(run("info " + path("r") + "/crank.SID_FEM").exit_code, 0) << "replaced by --json";
  // A rerun leaves no text of an earlier one, and replaces none that is not its own.
  ASSERT_EQ(run("reduce " + tiny + " --quiet --output " + path("r")).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "r" / "crank.SID_FEM"));
  write_text_file(folder / "r" / "crank.SID_FEM", "of another program\n");
  EXPECT_EQ(run("reduce " + tiny + " --quiet --format text --output " + path("r")).exit_code, 2);
  EXPECT_EQ(read_text_file(folder / "r" / "crank.SID_FEM"), "of another program\n");
}

TEST(Program, ExportsDerivativesAndTellsTheirSize) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  const Outcome o = run("reduce " + tiny + " --derivatives --drop-below 1e-3 --output " + path("r"));
  ASSERT_EQ(o.exit_code, 0) << o.text;
  EXPECT_LT(o.text.find("MB in the file"), o.text.find("are in ")) << o.text;
  EXPECT_THAT(o.text, HasSubstr("dropped by their share of the gradient: refmod/mass/M0"));
  const Outcome info = run("info " + path("r") + "/sid.h5");
  EXPECT_THAT(info.text, HasSubstr("derivatives by      144 design variables"));
  // The gradient from the whole file alone equals that of the finite-element model.
  std::string densities;
  for (int e = 0; e < 144; ++e) densities += e % 3 == 0 ? "0.6\n" : "0.4\n";
  write_text_file(folder / "rho.txt", densities);
  const std::string at_densities = tiny + " --quiet --density " + path("rho.txt");
  ASSERT_EQ(run("reduce " + at_densities + " --derivatives --output " + path("w")).exit_code, 0);
  ASSERT_EQ(
      run("gradient " + at_densities + " --output " + path("g") + " --json " + path("g.json")).exit_code, 0);
  const std::string from_file = "gradient " + test::input("crank_from_sid.toml") +
                                " --set bodies.crank.file=" + path("w") +
                                "/sid.h5 --set integrator.step=1e-2 --output " + path("f");
  const Outcome file = run(from_file + " --json " + path("f.json"));
  ASSERT_EQ(file.exit_code, 0) << file.text;
  EXPECT_THAT(read_text_file(folder / "f" / "gradient.csv"), HasSubstr("\ncrank,143,"));
  const double whole = nlohmann::json::parse(read_text_file(folder / "g.json"))["gradient_norm"];
  const double of_file = nlohmann::json::parse(read_text_file(folder / "f.json"))["gradient_norm"]["crank"];
  EXPECT_NEAR(of_file, whole, 1e-8 * whole);
  EXPECT_EQ(run(from_file + " --check 3").exit_code, 2);
  const Outcome unknown = run("reduce " + tiny + " --derivatives --by nowhere --output " + path("n"));
  EXPECT_EQ(unknown.exit_code, 2) << unknown.text;
  EXPECT_FALSE(std::filesystem::exists(folder / "n"));
}

TEST(Program, StartsFromAndEvaluatesAtGivenDensities) {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  ASSERT_EQ(run("optimize " + tiny + " --quiet --set optimizer.stop.iterations=4 --output " + path("run") +
                " --json " + path("a.json"))
                .exit_code,
            0);
  ASSERT_EQ(run("simulate " + tiny + " --quiet --density " + path("run/final.vtu") + " --output " +
                path("s") + " --json " + path("b.json"))
                .exit_code,
            0);
  EXPECT_EQ(nlohmann::json::parse(read_text_file(folder / "a.json"))["psi"],
            nlohmann::json::parse(read_text_file(folder / "b.json"))["psi"]);
}

/// Two iterations and three more leave the history of five.
void expect_resumed_equals_whole(const std::string& start) {
  const TemporaryFolder folder;
  const std::string whole = (folder / "whole").string(), parts = (folder / "parts").string();
  ASSERT_EQ(run(start + " --output " + whole + " --set optimizer.stop.iterations=5").exit_code, 0);
  ASSERT_EQ(run(start + " --output " + parts + " --set optimizer.stop.iterations=2").exit_code, 0);
  ASSERT_EQ(run("optimize --resume " + parts + " --quiet --set optimizer.stop.iterations=5").exit_code, 0);
  EXPECT_EQ(read_text_file(folder / "whole" / "history.csv"),
            read_text_file(folder / "parts" / "history.csv"));
}

TEST(Program, ResumesARunThatStartedFromGivenDensities) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  std::string densities;
  for (int e = 0; e < 144; ++e) densities += e % 3 == 0 ? "0.6\n" : "0.4\n";
  write_text_file(folder / "start.txt", densities);
  expect_resumed_equals_whole("optimize " + tiny + " --quiet --density " + path("start.txt"));
}

TEST(Program, VariesWhatIsNoDensityAndStartsFromItsOwnResult) {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const std::string balanced = std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks/balanced_crank.toml";
  const auto json = [&](const char* name) { return nlohmann::json::parse(read_text_file(folder / name)); };
  ASSERT_EQ(run("optimize " + balanced + " --quiet --set optimizer.stop.iterations=6 --output " +
                path("run") + " --json " + path("a.json"))
                .exit_code,
            0);
  EXPECT_LT(json("a.json")["psi"].get<double>(), 0.2 * json("a.json")["psi_start"].get<double>());
  const std::string from_there = " --variables " + path("run/variables.csv");
  ASSERT_EQ(run("simulate " + balanced + " --quiet --output " + path("s") + " --json " + path("b.json") +
                from_there)
                .exit_code,
            0);
  const double psi = json("a.json")["psi"];
  EXPECT_NEAR(json("b.json")["psi"].get<double>(), psi, 1e-9 * psi);
  const Outcome check = run("gradient " + balanced + " --check 1 --output " + path("g") + from_there);
  EXPECT_EQ(check.exit_code, 0) << check.text;
  EXPECT_THAT(check.text, HasSubstr("buffer_stiffness"));
  EXPECT_EQ(read_text_file(folder / "g" / "variables.csv"), read_text_file(folder / "run" / "variables.csv"));
  expect_resumed_equals_whole("optimize " + balanced + " --quiet" + from_there);
}

// With attachment modes, one normal mode is off by 1e-3 of psi; more only come nearer.
TEST(Program, TellsHowManyModesAreEnough) {
  const TemporaryFolder folder;
  const Outcome o = run("reduce " + tiny + " --convergence 6 --quiet --output " + (folder / "sid").string() +
                        " --json " + (folder / "sid.json").string());
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const auto table = nlohmann::json::parse(read_text_file(folder / "sid.json"))["convergence"];
  ASSERT_EQ(table.size(), 6);
  double last = 1.0;
  for (const auto& row : table) {
    const double change = std::abs(row["relative_change"].get<double>());
    EXPECT_LE(change, last * (1.0 + 1e-6)) << row["modes"];
    last = change;
  }
  EXPECT_GT(std::abs(table[0]["relative_change"].get<double>()), 1e-5);
  EXPECT_EQ(last, 0.0);
  EXPECT_TRUE(std::filesystem::exists(folder / "sid" / "convergence.csv"));
}

struct BadInput {
  const char* name;
  std::string arguments;
  const char* message;
};

void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

class RefusalOf : public ::testing::TestWithParam<BadInput> {};

TEST_P(RefusalOf, IsOneMessageWithExitCode2AndNothingWritten) {
  const TemporaryFolder folder;
  const Outcome o = run(GetParam().arguments + " --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr(GetParam().message));
  EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

INSTANTIATE_TEST_SUITE_P(
    Program, RefusalOf,
    ::testing::Values(
        BadInput{"MissingFile", "optimize nowhere.toml", "nowhere.toml"},
        BadInput{"UnknownKey", "optimize " + tiny + " --set bodies.crank.mesh.division=[2,2]",
                 "did you mean"},
        BadInput{"WrongType", "optimize " + tiny + " --set integrator.step=true", "integrator.step"},
        BadInput{"UnphysicalValue", "optimize " + tiny + " --set bodies.crank.material.poisson_ratio=0.7",
                 "outside (-1, 0.5)"},
        BadInput{"EmptyMarker", "optimize " + tiny + " --set bodies.crank.markers.pin.x=0.31", "markers.pin"},
        BadInput{"UnclampedBody", "simulate " + tiny + " --set bodies.crank.clamp.x=-1.0", "clamp"},
        BadInput{"TooManyModes", "reduce " + tiny + " --set bodies.crank.modes.normal=100000",
                 "modes.normal"},
        BadInput{"DerivativesInACraigBamptonBasis",
                 "reduce " + tiny + " --derivatives --set bodies.crank.modes.basis=craig-bampton",
                 "bodies.crank.modes.basis has no derivatives in the augmented form"},
        BadInput{"DerivativesOfGeometricStiffening",
                 "reduce " + tiny + " --derivatives --set bodies.crank.geometric_stiffening=true",
                 "bodies.crank.geometric_stiffening has no derivatives in the augmented form"},
        BadInput{"NoVariables", "simulate " + tiny + " --variables v.csv", "has no [variables]"},
        BadInput{"NoDensityFile", "simulate " + tiny + " --density nowhere.vtu", "nowhere.vtu"},
        BadInput{"Contradictory",
                 "simulate " + tiny +
                     " --set integrator.step=0.005"
                     " --set 'joints.slider.lock=[\"ty\",\"tz\"]' --set joints.slider.to=ground.above"
                     " --set 'ground.markers.above.position=[0.0,0.0,0.1]'",
                 "if these are right, contradictory constraint: joint pin (ry) is already determined by "},
        BadInput{"EmptyFileName", "simulate ''", "FILE: is an empty name"},
        BadInput{"FileNameTooLong", "simulate " + std::string(300, 'x'), "File name too long"},
        BadInput{"KeyOfTwoLines", "simulate " + tiny + " --set '\"a\\nb\"=1'", "unknown key a\\nb"},
        BadInput{"NoStartFile", "simulate " + tiny + " --set design.start=nowhere.txt",
                 "design.start: cannot read"},
        BadInput{"NoMemoryForTheMesh",
                 "simulate " + tiny + " --set bodies.crank.mesh.divisions=[40000,20000]",
                 "bodies.crank.mesh.divisions makes 8e+08 nodes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Program, RefusesDensitiesWhosePowersAreNoNumbers) {
  const TemporaryFolder folder;
  std::string densities = "5e-324\n";
  for (int e = 1; e < 144; ++e) densities += "0.5\n";
  write_text_file(folder / "rho.txt", densities);
  const Outcome o = run("simulate " + tiny + " --density " + (folder / "rho.txt").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("the density of element 0 is 4.94066e-324, outside ["));
}

TEST(Program, TakesFilesOfAnyName) {
  const TemporaryFolder folder;
  const std::filesystem::path odd = folder / "a \"b\" \\c";
  std::filesystem::create_directories(odd);
  std::string densities;
  for (int e = 0; e < 144; ++e) densities += "0.5\n";
  write_text_file(odd / "rho.txt", densities);
  const Outcome o = run("optimize " + tiny + " --set optimizer.stop.iterations=0 --quiet --density '" +
                        (odd / "rho.txt").string() + "' --output '" + (odd / "run").string() + "'");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  const Outcome resumed = run("optimize --resume '" + (odd / "run").string() + "' --quiet");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.text;
}

TEST(Program, NamesTheRunFileInErrorsOfAResumedInput) {
  const TemporaryFolder folder;
  const std::string path = (folder / "run").string();
  ASSERT_EQ(run("optimize " + tiny + " --set optimizer.stop.iterations=0 --quiet --output " + path).exit_code,
            0);
  const Outcome o = run("optimize --resume " + path + " --set bodies.rod.markers={}");
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text,
              ::testing::ContainsRegex("run/run.h5 \\(.*flexible_crank_small.toml\\):[0-9]+: joints\\."));
}

TEST(Program, SaysThatMemoryIsShort) {
  for (const int megabytes : {300, 450}) {
    const Outcome o = test::run_command("bash -c 'ulimit -v " + std::to_string(1000 * megabytes) +
                                        "; export OPENBLAS_NUM_THREADS=2; exec timeout 60 " + KURBEL_PROGRAM +
                                        " simulate " + test::input("flexible_crank.toml") +
                                        " --threads 2 --quiet --output /nowhere/run'");
    EXPECT_THAT(o.exit_code, ::testing::AnyOf(2, 3)) << megabytes << ": " << o.text;
    EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << megabytes << ": " << o.text;
  }
}

TEST(Program, NamesAFileWhoseNameIsTooLong) {
  const TemporaryFolder folder;
  const std::string name(300, 'a');
  const Outcome o = run("simulate " + tiny + " --density " + name + " --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr(name));
}

TEST(Program, EndsWhereThereIsNoMemoryForThreadsThatItDoesNotNeed) {
  for (const auto& [command, exit_code] : std::vector<std::pair<const char*, int>>{
           {"schema", 0}, {"--version", 0}, {"--help", 0}, {"info /nowhere.h5", 2}}) {
    const Outcome o = test::run_command(
        std::string("bash -c 'ulimit -v 200000; export OPENBLAS_NUM_THREADS=2; exec timeout 60 ") +
        KURBEL_PROGRAM + " " + command + "'");
    EXPECT_EQ(o.exit_code, exit_code) << command << ": " << o.text.substr(0, 200);
  }
}

TEST(Program, RefusesAnUnwritableFolderAndATruncatedFile) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "not a folder");
  Outcome o = run("simulate " + tiny + " --output " + (folder / "file" / "run").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  write_text_file(folder / "cut.h5", "\x89HDF");
  o = run("info " + (folder / "cut.h5").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("cut.h5"));
}

TEST(Program, SaysWhatDampsAVibrationThatTheStepsDoNotResolve) {
  const TemporaryFolder folder;
  const auto stopped_at_once = [&](const char* rho_inf) {
    return run("simulate " + tiny + " --set integrator.step=1.25e-3 --set integrator.rho_inf=" + rho_inf +
               " --set 'outputs.R={type=\"drive-torque\", joint=\"bearing\"}' --set "
               "'joints.bearing.drive={dof=\"rz\", type=\"table\", beyond=\"hold\", t=[0, 0.1, 0.4], "
               "values=[0, 1, 3]}' "
               "--output " +
               (folder / "run").string())
        .text;
  };
  EXPECT_THAT(stopped_at_once("0.8"), HasSubstr("or reduce integrator.step or rho_inf, which is 0.8"));
  EXPECT_THAT(stopped_at_once("0.4"), ::testing::Not(HasSubstr("alternates")));
}

TEST(Program, ReportsNumericalFailuresWithExitCode3AndKeepsWhatItHas) {
  const TemporaryFolder folder;
  // The rod is too short to reach the line once the crank has turned up.
  const Outcome o =
      run("simulate " + tiny + " --set bodies.rod.markers.end.position=[0.1,0.0,0.0] --output " +
          (folder / "run").string());
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text, HasSubstr("at t = "));
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "motion.pvd"));
  EXPECT_THAT(RunReader(folder / "run" / "run.h5").status(), HasSubstr("failed"));
}

}  // namespace
}  // namespace kurbel
