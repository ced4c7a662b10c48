#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/files.hpp"
#include "base/hdf5_file.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;

void append(Hdf5File& file, int i) {
  file.append_row("rows", VectorXd::Constant(1, i));
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

TEST(Hdf5Commit, LeavesAWholeFileEveryTime) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  {
    Hdf5File file = Hdf5File::create(path);
    int rows = 0;
    for (const int batch : {1, 0, 3, 1, 2, 5, 1}) {
      for (int i = 0; i < batch; ++i) append(file, rows++);
      file.commit();
      EXPECT_TRUE(counts_up(path, rows));
    }
    append(file, rows);  // never committed
  }
  EXPECT_TRUE(counts_up(path, 13));
  EXPECT_EQ(n_files(folder), 1);
}

TEST(Hdf5Commit, ReplacesAnOldFileOnlyTheFirstTime) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  write_text_file(path, "old");
  Hdf5File file = Hdf5File::create(path);
  append(file, 0);
  EXPECT_EQ(read_text_file(path), "old");
  file.commit();
  EXPECT_TRUE(counts_up(path, 1));
}

TEST(Hdf5Commit, ReplacesWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  {
    Hdf5File file = Hdf5File::create(path);
    for (int i = 0; i < 3; ++i) append(file, i);
    file.commit();
  }
  write_text_file(folder / "run.h5.part", "half of a file");
  {
    Hdf5File file = Hdf5File::open(path);
    for (int i = 3; i < 6; ++i) {
      append(file, i);
      file.commit();
      EXPECT_TRUE(counts_up(path, i + 1));
    }
  }
  EXPECT_EQ(n_files(folder), 1);
}

TEST(Hdf5Commit, ADeletedFileComesBack) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  Hdf5File file = Hdf5File::create(path);
  int rows = 0;
  for (const char* damage : {"none", "removed", "garbage", "removed", "garbage"}) {
    if (damage == std::string("removed")) fs::remove(path);
    if (damage == std::string("garbage")) write_text_file(path, "garbage");
    append(file, rows++);
    file.commit();
    EXPECT_TRUE(counts_up(path, rows)) << damage;
  }
}

TEST(Hdf5Commit, AReaderKeepsWhatItOpened) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  Hdf5File file = Hdf5File::create(path);
  append(file, 0);
  file.commit();
  const Hdf5File reader = Hdf5File::open(path);
  for (int i = 1; i < 5; ++i) {
    append(file, i);
    file.commit();
    EXPECT_EQ(reader.n_rows("rows"), 1);
    EXPECT_TRUE(counts_up(path, i + 1));
  }
}

TEST(Hdf5Commit, CanBeRepeatedOnceTheDiskHasRoom) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  Hdf5File file = Hdf5File::create(path);
  append(file, 0);
  file.commit();
  append(file, 1);
  fs::create_symlink("/dev/full", folder / "run.h5.part");
  expect_write_error([&] { file.commit(); }, {"cannot write", "run.h5", "No space left"});
  EXPECT_TRUE(counts_up(path, 1));
  append(file, 2);
  file.commit();
  EXPECT_TRUE(counts_up(path, 3));
}

TEST(Hdf5Commit, DyingInTheMiddleOfAChangeLeavesEveryByte) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  Hdf5File file = Hdf5File::create(path);
  for (int i = 0; i < 3; ++i) {
    append(file, i);
    file.commit();
  }
  const std::string before = read_text_file(path);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3000; ++i) file.write_vector("many/" + std::to_string(i), VectorXd::Ones(1000));
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(read_text_file(path) == before);
  Hdf5File resumed = Hdf5File::open(path);
  append(resumed, 3);
  resumed.commit();
  EXPECT_TRUE(counts_up(path, 4));
}

/// Writes rows until it is killed, telling the number of committed rows through the pipe.
[[noreturn]] void write_for_ever(const fs::path& path, int pipe_end) {
  Hdf5File file = Hdf5File::create(path);
  for (int i = 0;; ++i) {
    append(file, i);
    file.append_row("payload", VectorXd::Random(5000));
    file.commit();
    const int committed = i + 1;
    if (write(pipe_end, &committed, sizeof committed) != sizeof committed) _exit(1);
  }
}

TEST(Hdf5Commit, SurvivesKillAtAnyMoment) {
  const TemporaryFolder folder;
  const fs::path path = folder / "run.h5";
  for (int kill_after = 20000; kill_after < 60000;
       kill_after += 2171) {  // microseconds; a commit takes about 1000
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) write_for_ever(path, ends[1]);
    close(ends[1]);
    int committed = 0, number = 0;
    ASSERT_EQ(read(ends[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
    usleep(static_cast<useconds_t>(kill_after));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    do {
      committed = number;
    } while (read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number));
    close(ends[0]);
    const Hdf5File file = Hdf5File::open(path);
    const Index rows = file.n_rows("rows");
    EXPECT_TRUE(rows == committed || rows == committed + 1) << rows << " rows, " << committed << " committed";
    EXPECT_TRUE(counts_up(path, rows));
    EXPECT_EQ(file.n_rows("payload"), rows);
    EXPECT_EQ(file.read_row("payload", rows - 1).size(), 5000);
  }
}

}  // namespace
}  // namespace kurbel
