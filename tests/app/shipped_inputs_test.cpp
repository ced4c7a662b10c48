/// `kurbel examples` and `kurbel new`.
#include "tests/shipped_inputs.hpp"

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
  const std::vector<std::filesystem::path> files = test::inputs();
  for (const std::filesystem::path& file : files)
    EXPECT_THAT(list.text, testing::ContainsRegex("(^|\n)  " + file.stem().string() + " +[A-Z][^\n]+\n"));
  EXPECT_GT(files.size(), 30u);
  EXPECT_THAT(list.text, testing::StartsWith("  flexible_crank            The crank of a slider-crank"));
  EXPECT_THAT(list.text,
              testing::ContainsRegex("\n\ncranks\n.*\n  four_bar +A four-bar linkage.*\n\npapers\n"));
}

TEST(ShippedInputs, AreCopiedWithWhatTheyIncludeAndRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(make_new(folder.path(), "conrod rod.toml").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "parts/conrod.geo"));
  EXPECT_EQ(make_new(folder.path(), "robot_link").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "parts/robot_link.step"));
  EXPECT_EQ(make_new(folder.path(), "stress_crank").exit_code, 0);
  EXPECT_EQ(read_text_file(folder.path() / "flexible_crank.toml"),
            read_text_file(test::input("flexible_crank.toml")));
  EXPECT_EQ(make_new(folder.path(), "flexible_crank_small mine/crank.toml").exit_code, 0);
  EXPECT_THAT(read_text_file(folder.path() / "mine/crank.toml"),
              HasSubstr("\ninclude = \"flexible_crank.toml\"\n"))
      << "what the example includes stands beside the copy";
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "mine/flexible_crank.toml"));
  EXPECT_EQ(make_new(folder.path(), "crank_from_sid sid.toml").exit_code, 0);
  EXPECT_THAT(read_text_file(folder.path() / "sid.toml"),
              HasSubstr("\"outputs/flexible_crank_reduce/sid.h5\""))
      << "where `kurbel reduce flexible_crank.toml` writes it";
  const Outcome check = run("check " + (folder.path() / "stress_crank.toml").string());
  EXPECT_EQ(check.exit_code, 0) << check.text;
}

TEST(ShippedInputs, AreFoundWhereAnotherFolderIsNamed) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "arms");
  write_text_file(folder.path() / "arms/robot_arm.toml", "");
  const auto told = [&](const std::string& file) {
    return run_command(fmt::format("cd {} && {} check {}", folder.path().string(), KURBEL_PROGRAM, file))
        .text;
  };
  EXPECT_EQ(
      told("robot_arm.toml"),
      "error: cannot read robot_arm.toml: No such file or directory; did you mean arms/robot_arm.toml?\n");
  EXPECT_THAT(told("arms/robotarm.toml"), HasSubstr("; did you mean arms/robot_arm.toml?"));
  EXPECT_EQ(told("crank.toml"), "error: cannot read crank.toml: No such file or directory\n");
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
  EXPECT_THAT(run("new crank").text,
              HasSubstr("there is no example crank; choose one of flexible_crank, balanced_crank, "));
}

}  // namespace
}  // namespace kurbel
