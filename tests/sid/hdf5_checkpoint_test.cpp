#include "base/hdf5_checkpoint.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;

CheckpointedHdf5::Change append(int i) {
  return [i](Hdf5File& file) { file.append_row("rows", VectorXd::Constant(1, i)); };
}

/// The table holds 0, 1, ..., n - 1.
::testing::AssertionResult counts_up(const fs::path& path, Index n) {
  const Hdf5File file = Hdf5File::open(path);
  if (file.n_rows("rows") != n) return ::testing::AssertionFailure() << file.n_rows("rows") << " rows";
  for (Index i = 0; i < n; ++i) {
    if (file.read_row("rows", i)[0] != static_cast<double>(i))
      return ::testing::AssertionFailure() << "row " << i;
  }
  return ::testing::AssertionSuccess();
}

std::ptrdiff_t n_files(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

TEST(CheckpointedHdf5, IsCompleteAfterEveryCheckpoint) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  {
    CheckpointedHdf5 file = CheckpointedHdf5::create(path);
    int rows = 0;
    for (const int batch : {1, 0, 3, 1, 2, 5, 1}) {
      for (int i = 0; i < batch; ++i) file.add(append(rows++));
      file.checkpoint();
      EXPECT_TRUE(counts_up(path, rows));
    }
    file.add(append(rows));  // never published
  }
  EXPECT_TRUE(counts_up(path, 13));
  EXPECT_EQ(n_files(folder), 1);
}

TEST(CheckpointedHdf5, ReplacesAnOldFileOnlyAtTheFirstCheckpoint) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  write_text_file(path, "old");
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  file.add(append(0));
  EXPECT_EQ(read_text_file(path), "old");
  file.checkpoint();
  EXPECT_TRUE(counts_up(path, 1));
}

TEST(CheckpointedHdf5, GoesOnAfterACrash) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  {
    CheckpointedHdf5 file = CheckpointedHdf5::create(path);
    for (int i = 0; i < 3; ++i) file.add(append(i));
    file.checkpoint();
  }
  write_text_file(folder / "run.h5.spare", "what a killed process left");
  write_text_file(folder / "run.h5.previous", "and this");
  {
    CheckpointedHdf5 file = CheckpointedHdf5::resume(path);
    for (int i = 3; i < 6; ++i) {
      file.add(append(i));
      file.checkpoint();
      EXPECT_TRUE(counts_up(path, i + 1));
    }
  }
  EXPECT_EQ(n_files(folder), 1);
}

TEST(CheckpointedHdf5, RefusesToGoOnWithADamagedFile) {
  const TemporaryFolder folder;
  write_text_file(folder / "run.h5", "no HDF5");
  expect_input_error([&] { CheckpointedHdf5::resume(folder / "run.h5"); }, {"run.h5", "truncated or not"});
  expect_input_error([&] { CheckpointedHdf5::resume(folder / "none.h5"); }, {"none.h5", "No such file"});
}

TEST(CheckpointedHdf5, DoesNotNeedItsSpareCopy) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  int rows = 0;
  for (const char* damage : {"none", "removed", "garbage", "removed", "garbage"}) {
    const fs::path spare = folder / "run.h5.spare";
    if (damage == std::string("removed")) fs::remove(spare);
    if (damage == std::string("garbage")) write_text_file(spare, "garbage");
    file.add(append(rows++));
    file.checkpoint();
    EXPECT_TRUE(counts_up(path, rows)) << damage;
  }
}

TEST(CheckpointedHdf5, AReaderKeepsWhatItOpened) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  file.add(append(0));
  file.checkpoint();
  const Hdf5File reader = Hdf5File::open(path);
  for (int i = 1; i < 5; ++i) {
    file.add(append(i));
    file.checkpoint();
    EXPECT_EQ(reader.n_rows("rows"), 1);
    EXPECT_TRUE(counts_up(path, i + 1));
  }
}

TEST(CheckpointedHdf5, AFailingChangeLeavesThePublishedFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  file.add(append(0));
  file.checkpoint();
  file.add(append(1));
  file.add([](Hdf5File& f) { throw f.error("rows", "the disk is full"); });
  expect_input_error([&] { file.checkpoint(); }, {"rows", "the disk is full"});
  EXPECT_TRUE(counts_up(path, 1));
}

TEST(CheckpointedHdf5, DyingInTheMiddleOfAChangeLeavesEveryByte) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  for (int i = 0; i < 3; ++i) {
    file.add(append(i));
    file.checkpoint();
  }
  const std::string before = read_text_file(path);
  const pid_t child = fork();
  if (child == 0) {
    file.add([](Hdf5File& f) {
      for (int i = 0; i < 3000; ++i) f.write_vector("many/" + std::to_string(i), VectorXd::Ones(1000));
      raise(SIGKILL);
    });
    file.checkpoint();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(read_text_file(path) == before);
  CheckpointedHdf5 resumed = CheckpointedHdf5::resume(path);
  resumed.add(append(3));
  resumed.checkpoint();
  EXPECT_TRUE(counts_up(path, 4));
}

/// Writes rows until it is killed, telling the number of published rows through the pipe.
[[noreturn]] void write_for_ever(const fs::path& path, int pipe_end) {
  CheckpointedHdf5 file = CheckpointedHdf5::create(path);
  for (int i = 0;; ++i) {
    file.add(append(i));
    file.add([](Hdf5File& f) { f.append_row("payload", VectorXd::Random(5000)); });
    file.checkpoint();
    const int published = i + 1;
    if (write(pipe_end, &published, sizeof published) != sizeof published) _exit(1);
  }
}

TEST(CheckpointedHdf5, SurvivesKillAtAnyMoment) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  for (int kill_after = 20000; kill_after < 60000;
       kill_after += 2171) {  // microseconds; a checkpoint takes about 1000
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) write_for_ever(path, ends[1]);
    close(ends[1]);
    int published = 0, number = 0;
    ASSERT_EQ(read(ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
    usleep(static_cast<useconds_t>(kill_after));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    do {
      published = number;
    } while (read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number));
    close(ends[0]);
    const Hdf5File file = Hdf5File::open(path);
    const Index rows = file.n_rows("rows");
    EXPECT_TRUE(rows == published || rows == published + 1) << rows << " rows, " << published << " published";
    EXPECT_TRUE(counts_up(path, rows));
    EXPECT_EQ(file.n_rows("payload"), rows);
    EXPECT_EQ(file.read_row("payload", rows - 1).size(), 5000);
  }
}

}  // namespace
}  // namespace kurbel
