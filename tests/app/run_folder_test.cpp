/// What a run does in its folder, and what it leaves alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run;
using ::testing::HasSubstr;

/// A pendulum that swings for a moment.
const std::string pendulum =
    test::input("double_pendulum.toml") + " --quiet --set integrator.t1=0.05 --set output.motion=false";

const std::string tiny =
    test::input("flexible_crank_small.toml") +
    " --quiet --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
    " --set integrator.step=1e-2 --set output.motion=false --set optimizer.stop.iterations=1";

TEST(RunFolder, LeavesTheFilesOfOthersAlone) {
  for (const char* name : {"run.log", "history.csv", "density/mine.vtu", "run.h5", "motion/mine.txt"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    fs::create_directories((folder / "d" / name).parent_path());
    write_text_file(folder / "d" / name, "mine");
    for (const char* overwrite : {"", " --overwrite"}) {
      const Outcome o = run("simulate " + pendulum + overwrite + " --output " + (folder / "d").string());
      EXPECT_EQ(o.exit_code, 2) << o.text;
      EXPECT_THAT(o.text, HasSubstr("was not written by a run; choose another folder"));
      EXPECT_EQ(read_text_file(folder / "d" / name), "mine");
    }
  }
}

TEST(RunFolder, HasTheModesOfEveryCaseUntilTheNextRun) {
  const TemporaryFolder folder;
  const std::string bracket = "simulate " + test::input("sensor_bracket.toml") +
                              " --quiet --set bodies.bracket.mesh.divisions=[20,5] --output " +
                              (folder / "d").string();
  const Outcome o = run(bracket + " --set cases.light={} --set cases.heavy.bodies.sensor.mass=0.9");
  ASSERT_EQ(o.exit_code, 0) << o.text;
  for (const char* name : {"modes_light.csv", "modes_heavy.csv", "response.csv", "motion_heavy_mode_1.pvd"})
    EXPECT_TRUE(fs::exists(folder / "d" / name)) << name;
  EXPECT_THAT(read_text_file(folder / "d" / "response.csv"), HasSubstr("heavy.sensor.y [m/s^2]"));
  for (const char* name : {"modes_measured.csv", "motion_mine.pvd"})
    write_text_file(folder / "d" / name, "mine");
  ASSERT_EQ(run(bracket).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "d" / "modes.csv"));
  for (const char* name : {"modes_measured.csv", "motion_mine.pvd"})
    EXPECT_EQ(read_text_file(folder / "d" / name), "mine") << "no run has written it";
  for (const char* name : {"modes_heavy.csv", "motion_heavy_mode_1.pvd", "motion_heavy_mode_1"})
    EXPECT_FALSE(fs::exists(folder / "d" / name)) << name;
}

TEST(RunFolder, OfALaterVersionIsRefusedByTheNameOfItsMark) {
  const TemporaryFolder folder;
  const std::string d = (folder / "d").string();
  ASSERT_EQ(run("simulate " + pendulum + " --output " + d).exit_code, 0);
  const std::string log = read_text_file(folder / "d" / "run.log");
  write_text_file(folder / "d" / ".kurbel-run",
                  "kurbel run\nversion 99.0.0\ncommand simulate\nstatus finished\n");
  for (const std::string& command :
       {"simulate " + pendulum + " --output " + d, "report " + d, "export " + d}) {
    const Outcome o = run(command);
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text,
                HasSubstr(d + "/.kurbel-run: the run is of kurbel 99.0.0, and this is the earlier version"));
    EXPECT_EQ(read_text_file(folder / "d" / "run.log"), log) << command;
  }
}

TEST(RunFolder, DoesNotFollowLinks) {
  const TemporaryFolder folder;
  const std::string d = (folder / "d").string();
  fs::create_directories(folder / "theirs");
  write_text_file(folder / "theirs" / "motion_00000.vtu", "theirs");
  ASSERT_EQ(run("simulate " + pendulum + " --output " + d).exit_code, 0);
  fs::create_directory_symlink(folder / "theirs", folder / "d" / "motion");
  const Outcome o = run("simulate " + pendulum + " --output " + d);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("its motion is a symbolic link"));
  fs::remove(folder / "d" / "motion");
  // A file that is a link gives way to a file of the run's own; what it led to stays.
  write_text_file(folder / "log", "theirs");
  fs::remove(folder / "d" / "run.log");
  fs::create_symlink(folder / "log", folder / "d" / "run.log");
  EXPECT_EQ(run("simulate " + pendulum + " --output " + d).exit_code, 0);
  EXPECT_EQ(read_text_file(folder / "log"), "theirs");
  EXPECT_EQ(read_text_file(folder / "theirs" / "motion_00000.vtu"), "theirs");
}

TEST(RunFolder, KeepsUnknownFilesThroughAnyNumberOfRuns) {
  const TemporaryFolder folder;
  const std::string d = (folder / "d").string();
  fs::create_directory(folder / "d");
  write_text_file(folder / "d" / "notes.txt", "mine");
  ASSERT_EQ(run("simulate " + pendulum + " --output " + d).exit_code, 0);
  write_text_file(folder / "d" / "density_best.csv", "mine");
  ASSERT_EQ(run("simulate " + pendulum + " --output " + d).exit_code, 0);
  EXPECT_EQ(read_text_file(folder / "d" / "notes.txt"), "mine");
  EXPECT_EQ(read_text_file(folder / "d" / "density_best.csv"), "mine");
}

TEST(RunFolder, SparesTheStandardInputDataThatTheRunReads) {
  const TemporaryFolder folder;
  const auto path = [&](const char* name) { return (folder / name).string(); };
  ASSERT_EQ(run("reduce " + tiny + " --format both --output " + path("r")).exit_code, 0);
  const auto simulate = [&](const std::string& file) {
    return run("simulate " + test::input("crank_from_sid.toml") +
               " --quiet --set bodies.crank.file=" + path("r") + "/" + file +
               " --set integrator.step=1e-2 --set output.motion=false --output " + path("r"));
  };
  const std::string h5 = read_text_file(folder / "r" / "sid.h5");
  const Outcome o = simulate("sid.h5");
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("sid.h5, which it would replace"));
  EXPECT_EQ(read_text_file(folder / "r" / "sid.h5"), h5);
  // A text of its own name is not in the way, and stays.
  const std::string text = read_text_file(folder / "r" / "crank.SID_FEM");
  for (int i = 0; i < 2; ++i) {
    const Outcome again = simulate("crank.SID_FEM");
    EXPECT_EQ(again.exit_code, 0) << again.text;
    EXPECT_EQ(read_text_file(folder / "r" / "crank.SID_FEM"), text);
  }
}

TEST(RunFolder, RefusesToReplaceItsOwnStart) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  ASSERT_EQ(run("optimize " + tiny + " --output " + r).exit_code, 0);
  const fs::path start = folder / "r" / "density" / "density_00000.vtu";
  const std::string content = read_text_file(start);
  const Outcome o = run("optimize " + tiny + " --density " + start.string() + " --output " + r);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("density_00000.vtu, which it would replace; choose another folder"));
  EXPECT_EQ(read_text_file(start), content);
}

TEST(RunFolder, RefusesToReplaceTheMotionThatItReads) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  ASSERT_EQ(run("optimize " + tiny +
                " --set 'outputs.angle={type=\"joint-angle\", joint=\"bearing\"}' --output " + r)
                .exit_code,
            0);
  const fs::path motion = folder / "r" / "outputs.csv";
  const std::string content = read_text_file(motion);
  const Outcome o =
      run("optimize " + tiny + " --set 'joints.bearing.drive={dof=\"rz\", type=\"table\", file=\"" +
          motion.string() + "\", column=\"angle\"}' --output " + r);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("outputs.csv, which it would replace; choose another folder"));
  EXPECT_EQ(read_text_file(motion), content);
}

TEST(RunFolder, ReplacesAFinishedRun) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("optimize " + tiny + " --output " + r).exit_code, 0);
}

TEST(RunFolder, AsksBeforeAnUnfinishedOptimizationIsReplaced) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  // Killed in the middle of its iterations.
  test::run_command("bash -c '" + std::string(KURBEL_PROGRAM) + " optimize " + tiny +
                    " --set optimizer.stop.iterations=100000 --set optimizer.stop.design_change=0 --output " +
                    r + " & p=$!; while [ ! -e " + r +
                    "/run.h5 ]; do sleep 0.02; done; kill -KILL $p; wait $p'");
  const std::string kept = read_text_file(folder / "r" / "run.h5");
  const Outcome o = run("optimize " + tiny + " --output " + r);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("unfinished optimization"));
  EXPECT_THAT(o.text, HasSubstr("--resume " + r));
  EXPECT_THAT(o.text, HasSubstr("--overwrite"));
  EXPECT_EQ(read_text_file(folder / "r" / "run.h5"), kept);
  EXPECT_EQ(run("optimize " + tiny + " --overwrite --output " + r).exit_code, 0);
}

TEST(RunFolder, JsonNamesNoFileThatTheRunReadsOrWrites) {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const std::string base = "include = \"" + test::input("double_pendulum.toml") + "\"\n";
  write_text_file(folder / "base.toml", base);
  const std::string text = "include = \"base.toml\"\nintegrator.t1 = 0.05\noutput.motion = false\n";
  write_text_file(folder / "case.toml", text);
  fs::create_symlink(folder / "case.toml", folder / "link.toml");
  const auto with_json = [&](const std::string& json) {
    return run("simulate " + path("case.toml") + " --quiet --output " + path("r") + " --json " + path(json));
  };
  for (const char* json : {"case.toml", "base.toml", "link.toml", "../", "r/run.h5", "r/run.log"}) {
    SCOPED_TRACE(json);
    const Outcome o = with_json(json);
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_FALSE(fs::exists(folder / "r"));
  }
  EXPECT_EQ(read_text_file(folder / "case.toml"), text);
  EXPECT_EQ(read_text_file(folder / "base.toml"), base);
  EXPECT_EQ(with_json("numbers.json").exit_code, 0);
  EXPECT_EQ(with_json("r/numbers.json").exit_code, 0) << "beside the files of the run";
}

}  // namespace
}  // namespace kurbel
