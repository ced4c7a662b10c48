#include "output/run_directory.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

/// What a run leaves, and a note of the user.
void leave_a_run(const fs::path& folder) {
  fs::create_directories(folder / "density");
  fs::create_directories(folder / "motion");
  for (const char* name :
       {"run.h5", "run.h5.spare", "run.log", "history.csv", "density.pvd", "density/density_00000.vtu",
        "motion.pvd", "motion/motion_00007.vtu", "density.png", "control.csv", "control.png", "states.csv",
        "states.png", "outputs.csv", "outputs.png", "adjoint.csv", "adjoint.png", "notes.txt",
        "density/mine.txt"}) {
    write_text_file(folder / name, "earlier");
  }
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder).string());
  }
  return names;
}

TEST(RunDirectory, ChecksWithoutATrace) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder / "deep/run");
  EXPECT_FALSE(fs::exists(folder / "deep"));
}

TEST(RunDirectory, MakesTheFolderWhenTheRunBegins) {
  const TemporaryFolder folder;
  RunDirectory directory(folder / "deep/run");
  directory.begin();
  EXPECT_TRUE(fs::is_directory(folder / "deep/run"));
}

TEST(RunDirectory, KeepsTheEarlierRunUntilTheNewOneBegins) {
  const TemporaryFolder folder;
  leave_a_run(folder.path());
  const std::size_t before = files_in(folder.path()).size();
  RunDirectory directory(folder.path());
  EXPECT_EQ(files_in(folder.path()).size(), before);
  directory.begin();
  EXPECT_THAT(files_in(folder.path()), ::testing::UnorderedElementsAre("notes.txt", "density/mine.txt"));
}

TEST(RunDirectory, SparesFilesThatNoRunWrote) {
  const TemporaryFolder folder;
  write_text_file(folder / "notes.txt", "mine");
  EXPECT_NO_THROW(RunDirectory(folder.path()));
  write_text_file(folder / "history.csv", "mine");
  expect_input_error([&] { RunDirectory(folder.path()); },
                     {"cannot write", "history.csv was not written by a run", "choose another folder"});
  EXPECT_EQ(read_text_file(folder / "history.csv"), "mine");
}

TEST(RunDirectory, RefusesWhatCannotBeAFolder) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "");
  expect_input_error([&] { RunDirectory(folder / "file"); }, {"cannot write", "file is not a folder"});
  expect_input_error([&] { RunDirectory(folder / "file/run"); }, {"cannot write", "file is not a folder"});
  expect_input_error([&] { RunDirectory(fs::path("/proc/kurbel")).begin(); },
                     {"cannot write", "/proc/kurbel"});
}

TEST(RunDirectory, RefusesAFolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_input_error([&] { RunDirectory(folder.path()); }, {"cannot write", "Permission denied"});
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(RunDirectory, OneRunAtATime) {
  const TemporaryFolder folder;
  {
    RunDirectory first(folder.path());
    first.begin();
    RunDirectory second(folder.path());
    write_text_file(first.run_h5(), "of the first");
    expect_input_error([&] { second.begin(); }, {"cannot write", "another run is writing there"});
    expect_input_error([&] { second.resume(); }, {"cannot write", "another run is writing there"});
    EXPECT_EQ(read_text_file(first.run_h5()), "of the first");
    const RunDirectory moved = std::move(first);
    expect_input_error([&] { second.begin(); }, {"another run is writing there"});
  }
  EXPECT_NO_THROW(RunDirectory(folder.path()).begin());
}

TEST(RunDirectory, ResumesOnlyARun) {
  const TemporaryFolder folder;
  expect_input_error([&] { RunDirectory(folder.path()).resume(); }, {"cannot resume", "no run.h5"});
  leave_a_run(folder.path());
  const std::size_t before = files_in(folder.path()).size();
  RunDirectory directory(folder.path());
  directory.resume();
  EXPECT_EQ(files_in(folder.path()).size(), before);
}

TEST(RunDirectory, DefaultFoldersDoNotMixCommands) {
  EXPECT_EQ(default_run_folder("inputs/flexible_crank.toml", "optimize"), "outputs/flexible_crank");
  EXPECT_EQ(default_run_folder("inputs/flexible_crank.toml", "gradient"), "outputs/flexible_crank_gradient");
}

TEST(RunDirectory, NamesFieldsByIteration) {
  const TemporaryFolder folder;
  EXPECT_EQ(RunDirectory(folder.path()).density_vtu(12), "density/density_00012.vtu");
}

}  // namespace
}  // namespace kurbel
