/// Full disks, limits, closed pipes and signals: what was good stays, and the exit code tells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.hpp"
#include "output/run_file.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run_command;
using ::testing::HasSubstr;

const std::string kurbel = KURBEL_PROGRAM;

/// A crank that optimizes in a second.
const std::string tiny =
    test::input("flexible_crank_small.toml") +
    " --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
    " --set integrator.step=1e-2 --set output.motion_frames=4";

/// Runs a line of bash; its exit code, 128 and the number of a signal that ended it.
Outcome bash(const std::string& line) {
  return run_command("bash -c '" + line + "'");
}

std::size_t count_of(const fs::path& folder, const std::string& ending) {
  std::size_t count = 0;
  if (!fs::exists(folder)) return count;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    count += entry.path().string().ends_with(ending) ? 1 : 0;
  return count;
}

/// Every evaluation of the file can be read.
void expect_whole(const fs::path& run_h5) {
  const RunReader reader(run_h5);
  for (Eigen::Index i = 0; i < reader.n_evaluations(); ++i) EXPECT_NO_THROW(reader.evaluation(i));
}

// Files up to 120 kB cut the run at the first checkpoint, in the middle of it, or at its pictures.
TEST(FailingWrites, EndWithExitCode3AndLeaveTheLastGoodFile) {
  const TemporaryFolder folder;
  const fs::path r = folder / "r";
  for (const int kib : {0, 1, 4, 12, 20, 28, 40, 60, 80, 100, 120}) {
    SCOPED_TRACE(kib);
    const Outcome o = bash("ulimit -f " + std::to_string(kib) + "; " + kurbel + " optimize " + tiny +
                           " --quiet --overwrite --set optimizer.stop.iterations=3 --output " + r.string());
    EXPECT_TRUE(o.exit_code == 3 || (o.exit_code == 0 && kib > 60)) << o.exit_code << ": " << o.text;
    if (o.exit_code == 3) {
      EXPECT_THAT(o.text, HasSubstr("File too large"));
    }
    EXPECT_EQ(count_of(r, ".part"), 0u);
    if (fs::exists(r / "run.h5")) expect_whole(r / "run.h5");
  }
}

TEST(FailingWrites, OfALaterCheckpointKeepTheOneBeforeFromWhichTheRunGoesOn) {
  const TemporaryFolder folder;
  const auto optimize = [&](const std::string& limit, const std::string& name, const std::string& from) {
    return bash(limit + kurbel + " optimize " + from + " --quiet --set optimizer.stop.iterations=30" +
                (from == tiny ? " --output " + (folder / name).string() : ""));
  };
  ASSERT_EQ(optimize("", "whole", tiny).exit_code, 0);
  const auto size = fs::file_size(folder / "whole" / "run.h5") / 1024;
  ASSERT_EQ(optimize("ulimit -f " + std::to_string(2 * size / 3) + "; ", "cut", tiny).exit_code, 3);
  expect_whole(folder / "cut" / "run.h5");
  const Outcome o = optimize("", "cut", "--resume " + (folder / "cut").string());
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(read_text_file(folder / "cut" / "history.csv"), read_text_file(folder / "whole" / "history.csv"));
}

TEST(FailingWrites, OfTheConsoleEndNoRun) {
  const TemporaryFolder folder;
  const std::string simulate = kurbel + " simulate " + tiny + " --output " + (folder / "r").string();
  EXPECT_THAT(bash(simulate + " | true; echo code ${PIPESTATUS[0]}").text, HasSubstr("code 0"));
  EXPECT_THAT(bash(simulate + " > /dev/full; echo code $?").text, HasSubstr("code 0"));
  EXPECT_THAT(bash(simulate + " >&- 2>&-; echo code $?").text, HasSubstr("code 0"));
  EXPECT_TRUE(fs::exists(folder / "r" / "motion.pvd"));
}

TEST(Signals, TheFirstHangUpFinishesTheEvaluationAndWritesEverything) {
  for (const char* signal : {"HUP", "TERM"}) {
    SCOPED_TRACE(signal);
    const TemporaryFolder folder;
    const std::string r = (folder / "run").string();
    const Outcome o = bash(
        kurbel + " optimize " + tiny +
        " --quiet --set optimizer.stop.iterations=100000 --set optimizer.stop.design_change=0 --output " + r +
        " & p=$!; while [ ! -e " + r + "/run.h5 ]; do sleep 0.05; done; sleep 0.3; kill -" + signal +
        " $p; wait $p; echo code $?");
    EXPECT_THAT(o.text, HasSubstr("code 0"));
    EXPECT_TRUE(fs::exists(folder / "run" / "density.png"));
    EXPECT_THAT(RunReader(folder / "run" / "run.h5").status(), HasSubstr("interrupted"));
  }
}

// `timeout` sends its signal to the program and then to the group of processes that it belongs to.
TEST(Signals, RepeatedAtOnceAreOneRequest) {
  const TemporaryFolder folder;
  const std::string r = (folder / "run").string();
  const Outcome o =
      bash(kurbel + " optimize " + tiny +
           " --quiet --set optimizer.stop.iterations=100000 --set optimizer.stop.design_change=0 --output " +
           r + " & p=$!; while [ ! -e " + r +
           "/run.h5 ]; do sleep 0.05; done; sleep 0.3; kill -TERM $p; sleep 0.01; kill -TERM $p; wait $p; "
           "echo code $?");
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(RunReader(folder / "run" / "run.h5").status(), HasSubstr("interrupted"));
}

// A cluster that takes a job back sends its signal to the study and to its runs.
TEST(Signals, ToAllProcessesOfAStudyLetItsRunsFinishTheirEvaluation) {
  for (const char* signal : {"INT", "TERM"}) {
    SCOPED_TRACE(signal);
    const TemporaryFolder folder;
    const std::string study = (folder / "study.toml").string(), out = (folder / "out").string();
    write_text_file(study, "problem = \"" + fs::absolute(test::input("flexible_crank_small.toml")).string() +
                               "\"\n[study]\n\"optimizer.stop.iterations\" = [100000, 100001]\n"
                               "\"optimizer.stop.design_change\" = [0]\n");
    const Outcome o = bash("set -m; " + kurbel + " study " + study + " --jobs 2 --threads 2 --output " + out +
                           " & p=$!; while [ $(ls " + out +
                           "/*/run.h5 2>/dev/null | wc -l) -lt 2 ]; do sleep 0.05; done; sleep 0.3; kill -" +
                           signal + " -- -$p; wait $p; echo code $?");
    EXPECT_THAT(o.text, HasSubstr("code 3"));
    EXPECT_EQ(o.text.find("killed"), std::string::npos) << o.text;
    EXPECT_EQ(count_of(out, "density.png"), 2U);
  }
}

// A shell starts what runs in the background of a script with interrupts ignored, and so do the runs of a study: an
// interrupt would not reach a simulation.
TEST(Signals, ToAStudyThatIgnoresInterruptsReachItsRuns) {
  const TemporaryFolder folder;
  const std::string study = (folder / "study.toml").string(), out = (folder / "out").string();
  write_text_file(study, "problem = \"" + fs::absolute(test::input("flexible_crank_small.toml")).string() +
                             "\"\ncommand = \"simulate\"\n[study]\n\"integrator.step\" = [1e-5]\n"
                             "\"output.motion\" = [false]\n");
  const Outcome o =
      bash("trap \"\" INT; " + kurbel + " study " + study + " --output " + out + " & p=$!; while ! ls " +
           out + "/*/run.log >/dev/null 2>&1; do sleep 0.05; done; kill -TERM $p; wait $p; echo code $?");
  EXPECT_THAT(o.text, HasSubstr("0 of 1 variants are done"));
  EXPECT_THAT(o.text, HasSubstr("code 3"));
}

TEST(Signals, AHangUpThatIsIgnoredStaysSo) {
  const TemporaryFolder folder;
  const std::string r = (folder / "run").string();
  const Outcome o =
      bash("trap \"\" HUP; " + kurbel + " optimize " + tiny +
           " --quiet --set optimizer.stop.iterations=4 --output " + r + " & p=$!; while [ ! -e " + r +
           "/run.h5 ]; do sleep 0.02; done; kill -HUP $p; wait $p; echo code $?");
  EXPECT_THAT(o.text, HasSubstr("code 0"));
  EXPECT_THAT(RunReader(folder / "run" / "run.h5").status(), HasSubstr("finished"));
}

TEST(FailingWrites, OfWhatACommandOnlyPrintsAreTold) {
  const TemporaryFolder folder;
  ASSERT_EQ(bash(kurbel + " simulate " + tiny + " --quiet --output " + (folder / "r").string()).exit_code, 0);
  const std::string run_h5 = (folder / "r" / "run.h5").string();
  for (const std::string& command :
       {std::string("--version"), std::string("--help"), std::string("optimize --help"),
        std::string("schema"), std::string("schema --markdown"), "info " + run_h5,
        "check " + test::input("flexible_crank_small.toml")}) {
    SCOPED_TRACE(command);
    const std::string line = kurbel + " " + command;
    EXPECT_EQ(bash(line + " > /dev/full; echo code $?").text,
              "error: cannot write to standard output: No space left on device\ncode 3\n");
    EXPECT_EQ(bash(line + " | true; echo code ${PIPESTATUS[0]}").text, "code 0\n");
    EXPECT_EQ(bash(line + " >&-; echo code $?").text, "code 0\n");
  }
}

/// The command on a mesh of 90 000 unknowns is sent the signal after so many seconds; how it ends.
Outcome outcome_of_signal(const std::string& signal, double seconds, const std::string& command) {
  const TemporaryFolder folder;
  return bash(kurbel + " " + command + " " + test::input("flexible_crank.toml") +
              " --set bodies.crank.mesh.divisions=[300,150] --quiet --output " + (folder / "r").string() +
              " & p=$!; sleep " + std::to_string(seconds) + "; kill -" + signal +
              " $p; wait $p 2>/dev/null; echo code $?");
}

// METIS, which orders from some 0.1 to 0.3 s, takes SIGTERM for its own: it ended as a lack of memory.
TEST(Signals, EndACommandAtOnceWheneverTheyCome) {
  for (const char* command : {"simulate", "reduce"}) {
    for (int i = 0; i < 8; ++i) {
      SCOPED_TRACE(command + std::to_string(i));
      EXPECT_EQ(outcome_of_signal("TERM", 0.06 * (i + 1), command).text, "code 143\n");
    }
  }
  EXPECT_EQ(outcome_of_signal("HUP", 0.2, "simulate").text, "code 129\n");
}

}  // namespace
}  // namespace kurbel
