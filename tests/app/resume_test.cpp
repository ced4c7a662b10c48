/// A run is continued where it was, or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "output/run_file.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run;
using ::testing::HasSubstr;

/// A crank that optimizes in a second.
const std::string tiny =
    test::input("flexible_crank_small.toml") +
    " --quiet --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
    " --set integrator.step=1e-2 --set output.motion=false --set optimizer.stop.iterations=2";

/// Contents of all files by their names.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      contents[fs::relative(entry.path(), folder).string()] = read_text_file(entry.path());
  }
  return contents;
}

void expect_refused_untouched(const std::string& arguments, const fs::path& folder,
                              const std::string& reason) {
  const auto before = contents_of(folder);
  const Outcome o = run(arguments);
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr(reason));
  EXPECT_EQ(std::count(o.text.begin(), o.text.end(), '\n'), 1) << o.text;
  EXPECT_EQ(contents_of(folder), before) << "something in the folder has changed";
}

std::string uniform_densities(const std::string& value) {
  std::string text;
  for (int e = 0; e < 144; ++e) text += value + "\n";
  return text;
}

TEST(Resume, RefusesWhatChangesEvaluationsAndNamesIt) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  ASSERT_EQ(run("optimize " + tiny + " --output " + r).exit_code, 0);
  struct Change {
    const char *override, *message;
  };
  for (const Change& change : {
           Change{"bodies.rod.mass=5.0", "bodies.rod.mass = 5 (was "},
           Change{"objective.weight=2", "objective.weight = 2 (was not given)"},
           Change{"integrator.step=2e-2", "integrator.step = 0.02 (was 0.01)"},
           Change{"integrator.rho_inf=0.7", "integrator.rho_inf = 0.7 (was "},
           Change{"constraints.volume_fraction=0.4", "constraints.volume_fraction = 0.4 (was 0.5)"},
           Change{"optimizer.method=oc", "optimizer.method = \"oc\" (was "},
           Change{"design.start=0.3", "design.start = 0.3 (was not given)"},
       }) {
    SCOPED_TRACE(change.override);
    expect_refused_untouched("optimize --resume " + r + " --quiet --set " + change.override, r,
                             change.message);
  }
}

TEST(Resume, TakesWhatOnlyEndsTheRunOrSaysWhatItWrites) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string(), json = (folder / "n.json").string();
  ASSERT_EQ(run("optimize " + tiny + " --output " + r).exit_code, 0);
  const Outcome o =
      run("optimize --resume " + r + " --quiet --json " + json +
          " --set optimizer.stop.iterations=3 --set optimizer.stop.wall_time=600"
          " --set output.every=1 --set title=longer --set bodies.rod.mass=5e-1");  // as in the file
  ASSERT_EQ(o.exit_code, 0) << o.text;
  const auto numbers = nlohmann::json::parse(read_text_file(json));
  EXPECT_EQ(numbers["iterations"], 3);
  EXPECT_GE(numbers["replayed"], 3);
}

TEST(Resume, RefusesAStartFileThatHasChanged) {
  const TemporaryFolder folder;
  const fs::path start = folder / "start.txt";
  const std::string r = (folder / "r").string();
  write_text_file(start, uniform_densities("0.4"));
  ASSERT_EQ(run("optimize " + tiny + " --density " + start.string() + " --output " + r).exit_code, 0);
  write_text_file(start, uniform_densities("0.45"));
  expect_refused_untouched("optimize --resume " + r + " --quiet", r, "start.txt\" has another content");
  fs::remove(start);
  expect_refused_untouched("optimize --resume " + r + " --quiet", r, "start.txt");
  // The same content elsewhere is the same start.
  write_text_file(folder / "moved.txt", uniform_densities("0.4"));
  const Outcome o =
      run("optimize --resume " + r + " --quiet --set optimizer.stop.iterations=3 --set design.start=\\\"" +
          (folder / "moved.txt").string() + "\\\"");
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

TEST(Resume, RefusesAMotionThatHasChanged) {
  const TemporaryFolder folder;
  const std::string motion = (folder / "motion.csv").string(), r = (folder / "r").string();
  write_text_file(motion, "t [s],angle [deg]\n0,0\n0.1,10\n0.5,180\n");
  const std::string drive =
      " --set 'joints.bearing.drive={dof=\"rz\", type=\"table\", beyond=\"hold\", column=\"angle\", file=\"" +
      motion + "\"}'";
  const Outcome first = run("optimize " + tiny + drive + " --output " + r);
  ASSERT_EQ(first.exit_code, 0) << first.text;
  write_text_file(motion, "t [s],angle [deg]\n0,0\n0.1,11\n0.5,180\n");
  expect_refused_untouched("optimize --resume " + r + " --quiet", r, "motion.csv\" has another content");
}

TEST(Resume, FindsTheFilesOfTheInputFromAnyDirectory) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  write_text_file(folder / "start.txt", uniform_densities("0.4"));
  write_text_file(folder / "case.toml", "include = \"" + test::input("flexible_crank_small.toml") +
                                            "\"\ndesign.start = \"start.txt\"\n");
  const std::string options = tiny.substr(tiny.find(' '));
  ASSERT_EQ(test::run_command("cd " + folder.path().string() + " && " + KURBEL_PROGRAM +
                              " optimize case.toml" + options + " --output r")
                .exit_code,
            0);
  const Outcome o =
      test::run_command("cd / && " + std::string(KURBEL_PROGRAM) + " optimize --quiet --resume " + r +
                        " --set optimizer.stop.iterations=3");
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

TEST(Resume, ADamagedRunFileIsRefusedBeforeAnythingIsTouched) {
  const TemporaryFolder folder;
  const fs::path r = folder / "r";
  ASSERT_EQ(run("optimize " + tiny + " --output " + r.string()).exit_code, 0);
  const std::string whole = read_text_file(r / "run.h5");
  std::vector<std::string> damaged = {"", "no HDF5 at all\n", whole.substr(0, whole.size() / 2)};
  for (std::size_t at = 0; at < whole.size(); at += whole.size() / 12) {
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 1);
  }
  for (const std::string& bytes : damaged) {
    write_text_file(r / "run.h5", bytes);
    expect_refused_untouched("optimize --quiet --resume " + r.string(), r, "Make it anew");
    expect_refused_untouched("info " + (r / "run.h5").string(), r, "run.h5: ");
  }
}

TEST(Resume, NeedsNoTablesAndCollections) {
  const TemporaryFolder folder;
  const fs::path r = folder / "r";
  ASSERT_EQ(run("optimize " + tiny + " --output " + r.string()).exit_code, 0);
  const auto whole = contents_of(r);
  for (const char* name : {"history.csv", "timing.csv", "density.pvd"}) write_text_file(r / name, "damaged");
  const Outcome o = run("optimize --resume " + r.string() + " --quiet");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_EQ(read_text_file(r / "history.csv"), whole.at("history.csv"));
  EXPECT_EQ(read_text_file(r / "density.pvd"), whole.at("density.pvd"));
}

TEST(Resume, LeavesTheFieldFilesOfTheWholeRun) {
  const TemporaryFolder folder;
  const std::string options = "optimize " + tiny + " --set output.every=3 --set optimizer.stop.iterations=";
  const std::string whole = (folder / "whole").string(), parts = (folder / "parts").string();
  ASSERT_EQ(run(options + "7 --output " + whole).exit_code, 0);
  ASSERT_EQ(run(options + "4 --output " + parts).exit_code, 0);
  ASSERT_EQ(run("optimize --resume " + parts + " --quiet --set optimizer.stop.iterations=7").exit_code, 0);
  EXPECT_EQ(contents_of(folder / "whole" / "density"), contents_of(folder / "parts" / "density"));
  EXPECT_EQ(read_text_file(folder / "whole" / "density.pvd"),
            read_text_file(folder / "parts" / "density.pvd"));
}

// A record has the motions of the outer loops; their static optimizations are repeated.
TEST(Resume, GoesOnWithEquivalentStaticLoads) {
  const TemporaryFolder folder;
  const std::string options = "optimize " + tiny +
                              " --set 'optimizer.strategy=\"equivalent-static-loads\"' --set "
                              "optimizer.stop.iterations=";
  const std::string whole = (folder / "whole").string(), parts = (folder / "parts").string();
  ASSERT_EQ(run(options + "45 --output " + whole).exit_code, 0);
  ASSERT_EQ(run(options + "20 --output " + parts).exit_code, 0);
  ASSERT_EQ(run("optimize --resume " + parts + " --quiet --set optimizer.stop.iterations=45").exit_code, 0);
  const std::string history = read_text_file(folder / "whole" / "history.csv");
  EXPECT_GE(std::ranges::count(history, '\n'), 3);
  EXPECT_EQ(history, read_text_file(folder / "parts" / "history.csv"));
}

TEST(Resume, AMeshThatDoesNotFitIsRefusedByItsKey) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  ASSERT_EQ(run("optimize " + tiny + " --output " + r).exit_code, 0);
  expect_refused_untouched("optimize --resume " + r + " --quiet --set bodies.crank.mesh.divisions=[30,6]", r,
                           "bodies.crank.mesh.divisions = [30, 6] (was [24, 6])");
}

// The overrides take 128 KB as an attribute, of which HDF5 takes 64.
TEST(Program, KeepsThousandsOfOverrides) {
  const TemporaryFolder folder;
  const std::string r = (folder / "r").string();
  std::string overrides;
  for (int i = 0; i < 8000; ++i) overrides += " --set title=t";
  for (int i = 0; i < 2; ++i) {
    const Outcome o = run("optimize " + tiny + overrides + " --output " + r);
    ASSERT_EQ(o.exit_code, 0) << o.text;
  }
  EXPECT_GT(RunReader(folder / "r" / "run.h5").header().overrides.size(), 8000u);
}

}  // namespace
}  // namespace kurbel
