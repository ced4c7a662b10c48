/// `kurbel examples` and `kurbel new`.
#include "shipped_inputs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using test::run_command;
using testing::HasSubstr;

/// `kurbel new ARGUMENTS` in a folder
Outcome make_new(const std::filesystem::path& folder, const std::string& arguments) {
  return run_command(fmt::format("cd {} && {} new {}", folder.string(), KURBEL_PROGRAM, arguments));
}

TEST(ShippedInputs, AreListedEachWithItsPurpose) {
  const Outcome list = run("examples");
  EXPECT_EQ(list.exit_code, 0);
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::input(""))) {
    if (entry.path().extension() != ".toml") continue;
    ++n;
    const std::string name = entry.path().stem().string();
    EXPECT_THAT(list.text, testing::ContainsRegex("(^|\n)" + name + " +[A-Z][^\n]+\n"));
  }
  EXPECT_GT(n, 30u);
  EXPECT_THAT(list.text, HasSubstr("four_bar                  A four-bar linkage with two flexible links"));
}

TEST(ShippedInputs, AreCopiedWithWhatTheyIncludeAndRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(make_new(folder.path(), "conrod rod.toml").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "parts/conrod.geo"));
  EXPECT_EQ(make_new(folder.path(), "stress_crank").exit_code, 0);
  EXPECT_EQ(read_text_file(folder.path() / "flexible_crank.toml"),
            read_text_file(test::input("flexible_crank.toml")));
  const Outcome check = run("check " + (folder.path() / "stress_crank.toml").string());
  EXPECT_EQ(check.exit_code, 0) << check.text;
}

TEST(ShippedInputs, ReplaceNoFileUnasked) {
  const TemporaryFolder folder;
  write_text_file(folder.path() / "four_bar.toml", "mine");
  const Outcome refused = make_new(folder.path(), "four_bar");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.text, HasSubstr("four_bar.toml exists; give another FILE, or --overwrite"));
  EXPECT_EQ(read_text_file(folder.path() / "four_bar.toml"), "mine");
  EXPECT_EQ(make_new(folder.path(), "four_bar --overwrite").exit_code, 0);
  EXPECT_EQ(make_new(folder.path(), "four_bar").exit_code, 0) << "the same file is no other one";
}

TEST(ShippedInputs, AreNotCopiedUnderTheNameOfWhatTheyInclude) {
  const TemporaryFolder folder;
  const Outcome refused = make_new(folder.path(), "stress_crank flexible_crank.toml");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.text, HasSubstr("is the name of a file that the example includes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ShippedInputs, OfUnknownNameAreRefusedWithTheNearest) {
  const Outcome refused = run("new four_bars");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.text, HasSubstr("there is no example four_bars; did you mean four_bar?"));
}

}  // namespace
}  // namespace kurbel
