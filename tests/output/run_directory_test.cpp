#include "output/run_directory.hpp"

#include <unistd.h>

#include "base/files.hpp"
#include "base/version.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

const RunPurpose simulate{"simulate"}, optimize{"optimize"};

/// What a run leaves, and notes of the user.
void leave_a_run(const fs::path& folder, const RunPurpose& purpose = simulate,
                 const char* status = "finished") {
  {
    RunDirectory directory(folder, purpose);
    directory.begin();
    directory.claim(folder / "crank.SID_FEM");
    directory.finish(status);
  }
  fs::create_directories(folder / "density");
  fs::create_directories(folder / "motion");
  for (const char* name : {"run.h5",
                           "run.h5.part",
                           "run.log",
                           "history.csv",
                           "density.pvd",
                           "density/density_00000.vtu",
                           "motion.pvd",
                           "motion/motion_00007.vtm",
                           "motion/motion_00007_0.vtu",
                           "motion/motion_00007_12.vtu.part",
                           "density.png",
                           "control.csv",
                           "control.png",
                           "states.csv",
                           "states.png",
                           "outputs.csv",
                           "outputs.png",
                           "adjoint.csv",
                           "adjoint.png",
                           "notes.txt",
                           "crank.SID_FEM",
                           "density/mine.txt",
                           "density/density_best.vtu",
                           "motion/motion_mine_0.vtu",
                           "best.SID_FEM"}) {
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
  const RunDirectory directory(folder / "deep/run", simulate);
  EXPECT_FALSE(fs::exists(folder / "deep"));
}

TEST(RunDirectory, MakesTheFolderWhenTheRunBegins) {
  const TemporaryFolder folder;
  RunDirectory directory(folder / "deep/run", simulate);
  directory.begin();
  EXPECT_TRUE(fs::is_directory(folder / "deep/run"));
}

TEST(RunDirectory, KeepsTheEarlierRunUntilTheNewOneBegins) {
  const TemporaryFolder folder;
  leave_a_run(folder.path());
  const std::size_t before = files_in(folder.path()).size();
  RunDirectory directory(folder.path(), simulate);
  EXPECT_EQ(files_in(folder.path()).size(), before);
  directory.begin();
  EXPECT_THAT(files_in(folder.path()),
              ::testing::UnorderedElementsAre(".kurbel-run", "notes.txt", "density/mine.txt",
                                              "density/density_best.vtu", "motion/motion_mine_0.vtu",
                                              "best.SID_FEM"));
}

TEST(RunDirectory, SparesFilesThatNoRunWrote) {
  for (const char* name : {"history.csv", "run.log", "run.h5", "run.h5.part", "density/x.vtu", "motion/x",
                           "sid.h5", "density_crank.png", ".kurbel-run"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    write_text_file(folder / "notes.txt", "mine");
    EXPECT_NO_THROW(RunDirectory(folder.path(), simulate));
    fs::create_directories((folder / name).parent_path());
    write_text_file(folder / name, "mine");
    for (const bool overwrite : {false, true}) {
      expect_input_error(
          [&] {
            RunDirectory(folder.path(), {"optimize", overwrite});
          },
          {"cannot write", "was not written by a run", "choose another folder"});
    }
    EXPECT_EQ(read_text_file(folder / name), "mine");
  }
}

TEST(RunDirectory, ReplacesAnUnfinishedOptimizationOnRequestOnly) {
  for (const char* status : {"running", "interrupted"}) {
    const TemporaryFolder folder;
    leave_a_run(folder.path(), optimize, status);
    const std::size_t before = files_in(folder.path()).size();
    expect_input_error([&] { RunDirectory(folder.path(), optimize); },
                       {"unfinished optimization", "--resume", "--overwrite"});
    EXPECT_EQ(files_in(folder.path()).size(), before);
    EXPECT_NO_THROW(RunDirectory(folder.path(), {"optimize", true}));
    fs::remove(folder / "run.h5");
    EXPECT_NO_THROW(RunDirectory(folder.path(), optimize)) << "there is nothing to go on with";
  }
  for (const char* status : {"finished", "failed"}) {
    const TemporaryFolder folder;
    leave_a_run(folder.path(), optimize, status);
    EXPECT_NO_THROW(RunDirectory(folder.path(), optimize));
  }
  const TemporaryFolder folder;
  leave_a_run(folder.path(), simulate, "running");
  EXPECT_NO_THROW(RunDirectory(folder.path(), simulate)) << "a simulation cannot be continued";
}

TEST(RunDirectory, SparesWhatTheRunReads) {
  const TemporaryFolder folder;
  leave_a_run(folder.path());
  for (const char* name : {"sid.h5", "density/density_00003.vtu", "run.h5", "variables.csv"}) {
    RunDirectory directory(folder.path(), simulate);
    expect_input_error([&] { directory.spare({folder / name}); },
                       {name, "which it would replace", "--output"});
  }
  RunDirectory directory(folder.path(), simulate);
  directory.spare({folder / "crank.SID_FEM", folder / "density/density_best.vtu"});
  directory.begin();
  EXPECT_TRUE(fs::exists(folder / "crank.SID_FEM"));
  EXPECT_TRUE(fs::exists(folder / "density/density_best.vtu"));
}

TEST(RunDirectory, DoesNotFollowLinks) {
  const TemporaryFolder folder, other;
  leave_a_run(folder.path());
  write_text_file(other / "density_00000.vtu", "theirs");
  fs::remove_all(folder / "density");
  fs::create_directory_symlink(other.path(), folder / "density");
  expect_input_error([&] { RunDirectory(folder.path(), simulate); }, {"density is a symbolic link"});
  fs::remove(folder / "density");
  fs::remove(folder / "run.log");
  fs::create_symlink(other / "density_00000.vtu", folder / "run.log");
  RunDirectory(folder.path(), simulate).begin();
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "run.log")));
  EXPECT_EQ(read_text_file(other / "density_00000.vtu"), "theirs");
}

TEST(RunDirectory, ReplacesOnlyTheTextsThatItsRunClaimed) {
  const TemporaryFolder folder;
  leave_a_run(folder.path());
  const RunDirectory directory(folder.path(), simulate);
  EXPECT_TRUE(directory.may_replace(folder / "crank.SID_FEM"));
  EXPECT_TRUE(directory.may_replace(folder / "none.SID_FEM"));
  EXPECT_FALSE(directory.may_replace(folder / "best.SID_FEM"));
}

TEST(RunDirectory, RefusesWhatCannotBeAFolder) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "");
  expect_input_error([&] { RunDirectory(folder / "file", simulate); },
                     {"cannot write", "file is not a folder"});
  expect_input_error([&] { RunDirectory(folder / "file/run", simulate); },
                     {"cannot write", "file is not a folder"});
  expect_input_error([&] { RunDirectory(fs::path("/proc/kurbel"), simulate).begin(); },
                     {"cannot write", "/proc/kurbel"});
}

TEST(RunDirectory, RefusesAFolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_input_error([&] { RunDirectory(folder.path(), simulate); }, {"cannot write", "Permission denied"});
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(RunDirectory, OneRunAtATime) {
  const TemporaryFolder folder;
  {
    RunDirectory first(folder.path(), simulate);
    first.begin();
    RunDirectory second(folder.path(), simulate);
    write_text_file(first / "run.h5", "of the first");
    expect_input_error([&] { second.begin(); }, {"cannot write", "another run is writing there"});
    expect_input_error([&] { RunDirectory::of_run(folder.path()); },
                       {"cannot write", "another run is writing there"});
    EXPECT_EQ(read_text_file(first / "run.h5"), "of the first");
    const RunDirectory moved = std::move(first);
    expect_input_error([&] { second.begin(); }, {"another run is writing there"});
  }
  EXPECT_NO_THROW(RunDirectory(folder.path(), simulate).begin());
}

TEST(RunDirectory, IsReadByManyAndThenWrittenByNone) {
  const TemporaryFolder folder;
  leave_a_run(folder.path(), optimize, "finished");
  {
    const RunDirectory one = RunDirectory::to_read(folder.path(), "export");
    EXPECT_NO_THROW(RunDirectory::to_read(folder.path(), "verify"));
    expect_input_error([&] { RunDirectory::of_run(folder.path()); },
                       {"cannot write", "a command is reading it"});
  }
  const RunDirectory writer = RunDirectory::of_run(folder.path());
  expect_input_error([&] { RunDirectory::to_read(folder.path(), "export"); },
                     {"cannot export", "a run is writing there"});
}

TEST(RunDirectory, ResumesOnlyARun) {
  const TemporaryFolder folder;
  expect_input_error([&] { RunDirectory::of_run(folder.path()); }, {"cannot resume", "no run.h5"});
  leave_a_run(folder.path(), optimize, "interrupted");
  const std::size_t before = files_in(folder.path()).size();
  RunDirectory directory = RunDirectory::of_run(folder.path());
  directory.begin_again();
  EXPECT_EQ(files_in(folder.path()).size(), before);
}

/// A folder whose run says that it is of this version.
void leave_a_run_of(const std::string& version, const fs::path& folder) {
  leave_a_run(folder);
  write_text_file(folder / ".kurbel-run", "kurbel run\n" + version + "command simulate\nstatus finished\n");
}

/// The next version after that of this program, by its last number.
std::string next_version() {
  const std::string now = version();
  const std::size_t last = now.rfind('.') + 1;
  return now.substr(0, last) + std::to_string(std::stoi(now.substr(last)) + 1);
}

TEST(RunDirectory, IsNeitherReadNorReplacedIfItsVersionIsLaterOrNone) {
  for (const auto& [line, why] :
       {std::pair<std::string, std::string>{"version " + next_version() + "\n",
                                            "the run is of kurbel " + next_version()},
        {"version 99.0.0\n", "the run is of kurbel 99.0.0, and this is the earlier version"},
        {"version abc\n", "\"abc\" is no version of kurbel"},
        {"version 1.0\n", "\"1.0\" is no version of kurbel"},
        {"version 1.0.-1\n", "is no version of kurbel"},
        {"version 1.0.0.0\n", "is no version of kurbel"},
        {"", "\"\" is no version of kurbel"}}) {
    SCOPED_TRACE(line);
    const TemporaryFolder folder;
    leave_a_run_of(line, folder.path());
    const std::size_t before = files_in(folder.path()).size();
    const std::string mark = (folder / ".kurbel-run").string();
    for (const bool overwrite : {false, true})
      expect_input_error(
          [&] {
            RunDirectory(folder.path(), {"optimize", overwrite});
          },
          {mark, why, "hoose another folder"});
    expect_input_error([&] { RunDirectory::of_run(folder.path()); }, {mark, why});
    expect_input_error([&] { RunDirectory::to_read(folder.path(), "export"); }, {mark, why});
    EXPECT_EQ(files_in(folder.path()).size(), before);
  }
}

TEST(RunDirectory, IsReplacedButNotReadIfItIsOfAnEarlierMajorVersion) {
  const TemporaryFolder folder;
  leave_a_run_of("version 0.1.0\n", folder.path());
  expect_input_error([&] { RunDirectory::of_run(folder.path()); },
                     {".kurbel-run", "the run is of kurbel 0.1.0", "Run the input anew"});
  EXPECT_NO_THROW(RunDirectory(folder.path(), simulate).begin());
}

TEST(RunDirectory, IsReadWithItsMarkOrWithoutOneButNotWithADamagedOne) {
  const TemporaryFolder folder;
  leave_a_run(folder.path());
  EXPECT_NO_THROW(RunDirectory::to_read(folder.path(), "export"));
  write_text_file(folder / ".kurbel-run", "kurbel ru");
  expect_input_error([&] { RunDirectory::to_read(folder.path(), "export"); },
                     {".kurbel-run: it is damaged", "Remove this file if kurbel"});
  fs::remove(folder / ".kurbel-run");
  EXPECT_NO_THROW(RunDirectory::to_read(folder.path(), "export"));
}

TEST(RunDirectory, DefaultFoldersDoNotMixCommands) {
  EXPECT_EQ(default_run_folder("inputs/flexible_crank.toml", "optimize"), "outputs/flexible_crank");
  EXPECT_EQ(default_run_folder("inputs/flexible_crank.toml", "gradient"), "outputs/flexible_crank_gradient");
}

TEST(RunDirectory, NamesFieldsByIteration) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path(), simulate);
  EXPECT_EQ(directory.density_vtu(12), "density/density_00012.vtu");
  EXPECT_EQ(directory.density_vtm(12), "density/density_00012.vtm");
}

}  // namespace
}  // namespace kurbel
