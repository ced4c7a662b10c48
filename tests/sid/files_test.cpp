#include "base/files.hpp"

#include <unistd.h>

#include <fstream>

#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

TEST(Files, TextComesBackByteForByte) {
  const TemporaryFolder folder;
  const std::string text("a\r\n\0b\xc3\xa4", 7);
  write_text_file(folder / "a.txt", text);
  EXPECT_EQ(read_text_file(folder / "a.txt"), text);
  EXPECT_FALSE(fs::exists(folder / "a.txt.part"));
}

TEST(Files, ReadingNamesFileAndReason) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_text_file(folder / "none.txt"); }, {"none.txt", "No such file"});
  expect_input_error([&] { read_text_file(folder.path()); }, {folder.path().string(), "it is a folder"});
}

TEST(Files, WritingNamesFileAndReason) {
  const TemporaryFolder folder;
  write_text_file(folder / "file", "x");
  expect_write_error([&] { write_text_file(folder / "file/a.txt", "x"); }, {"file/a.txt", "is not a folder"});
  expect_write_error([&] { write_text_file(folder / "none/a.txt", "x"); }, {"none/a.txt", "is not a folder"});
  fs::create_directory(folder / "a.txt");
  expect_write_error([&] { write_text_file(folder / "a.txt", "x"); }, {"a.txt", "a folder has this name"});
}

TEST(Files, UnwritableFolderIsReported) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_write_error([&] { write_text_file(folder / "a.txt", "x"); }, {"a.txt", "Permission denied"});
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(AtomicFile, LeavesTheOldFileWithoutCommit) {
  const TemporaryFolder folder;
  write_text_file(folder / "a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    std::ofstream(file.temporary()) << "new";
    EXPECT_EQ(read_text_file(folder / "a.txt"), "old");
  }
  EXPECT_EQ(read_text_file(folder / "a.txt"), "old");
  EXPECT_FALSE(fs::exists(folder / "a.txt.part"));
}

TEST(AtomicFile, ReplacesWhatAKilledProcessLeft) {
  const TemporaryFolder folder;
  write_text_file(folder / "a.txt.part", "half of a much longer text");
  write_text_file(folder / "a.txt", "whole");
  EXPECT_EQ(read_text_file(folder / "a.txt"), "whole");
  EXPECT_FALSE(fs::exists(folder / "a.txt.part"));
}

}  // namespace
}  // namespace kurbel
