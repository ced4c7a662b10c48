#include "base/sealed_file.hpp"

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kind = {"a list", "list"};
const std::string content("list\r\n\0\xff of things\n", 18);

/// The bytes, but for one bit.
std::string with_flipped_bit(std::string bytes, std::size_t at, int bit) {
  bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
  return bytes;
}

TEST(SealedFile, ContentComesBackByteForByte) {
  const TemporaryFolder folder;
  write_sealed_file(folder / "a", content);
  EXPECT_EQ(read_sealed_file(folder / "a", kind), content);
  EXPECT_TRUE(read_text_file(folder / "a").starts_with(content)) << "other programs see the content";
  write_sealed_file(folder / "a", content + "more", true);
  EXPECT_EQ(read_sealed_file(folder / "a", kind), content + "more");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

TEST(SealedFile, RefusesAFlippedBitAnywhere) {
  const TemporaryFolder folder;
  write_sealed_file(folder / "a", content);
  const std::string whole = read_text_file(folder / "a");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      write_text_file(folder / "damaged", with_flipped_bit(whole, at, bit));
      expect_input_error([&] { read_sealed_file(folder / "damaged", kind); },
                         {"cannot read", "checksum", "Make it anew"});
    }
  }
}

TEST(SealedFile, RefusesAFileCutOrContinuedAnywhere) {
  const TemporaryFolder folder;
  write_sealed_file(folder / "a", content);
  const std::string whole = read_text_file(folder / "a");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    write_text_file(folder / "cut", whole.substr(0, at));
    expect_input_error([&] { read_sealed_file(folder / "cut", kind); },
                       {"cut: truncated or not a list of kurbel"});
    write_text_file(folder / "longer", whole.substr(0, at) + "x" + whole.substr(at));
    expect_input_error([&] { read_sealed_file(folder / "longer", kind); }, {"cannot read", "longer"});
  }
  write_text_file(folder / "longer", whole + "\n");
  expect_input_error([&] { read_sealed_file(folder / "longer", kind); }, {"cannot read", "longer"});
}

TEST(SealedFile, RefusesFilesOfOtherKinds) {
  const TemporaryFolder folder;
  write_sealed_file(folder / "table", "table");
  expect_input_error([&] { read_sealed_file(folder / "table", kind); }, {"table: truncated or not a list"});
  write_text_file(folder / "plain", content);
  expect_input_error([&] { read_sealed_file(folder / "plain", kind); },
                     {"plain", "earlier versions wrote none"});
  expect_input_error([&] { read_sealed_file(folder / "none", kind); }, {"none", "No such file"});
  expect_input_error([&] { read_sealed_file(folder.path(), kind); }, {"it is a folder"});
}

TEST(SealedFile, AHugeFileOfAnotherKindTakesNoMemory) {
  const TemporaryFolder folder;
  write_sealed_file(folder / "a", content);
  fs::resize_file(folder / "a", std::uintmax_t{1} << 40);  // holes take no room on the disk
  expect_input_error([&] { read_sealed_file(folder / "a", kind); }, {"a: truncated or not a list of kurbel"});
}

TEST(SealedFile, AFailingWriteLeavesTheOldFile) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  write_sealed_file(folder / "a", content);
  fs::create_symlink("/dev/full", folder / "a.part");
  expect_write_error([&] { write_sealed_file(folder / "a", content + content); },
                     {"cannot write", "No space left"});
  EXPECT_EQ(read_sealed_file(folder / "a", kind), content);
}

}  // namespace
}  // namespace kurbel
