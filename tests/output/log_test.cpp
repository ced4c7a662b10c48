#include "output/log.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "tests/output/captured_console.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  void TearDown() override { configure_log({}); }
  TemporaryFolder folder_;
  CapturedConsole captured_;
};

TEST_F(LogTest, SendsMessagesToTheConsole) {
  configure_log({.console = &captured_.console()});
  log_info("an {info}");
  log_detail("a detail");
  log_warning("a warning");
  log_error("a reason");
  EXPECT_EQ(captured_.out(), "an {info}\n");
  EXPECT_EQ(captured_.err(), "warning: a warning\nerror: a reason\n");
}

TEST_F(LogTest, KeepsAMessageOnItsLine) {
  configure_log({.console = &captured_.console()});
  log_error("unknown key a\nb");
  EXPECT_EQ(captured_.err(), "error: unknown key a\\nb\n");
}

TEST_F(LogTest, IsQuietButForWarnings) {
  configure_log({.quiet = true, .console = &captured_.console()});
  log_info("an info");
  log_warning("a warning");
  EXPECT_EQ(captured_.out(), "");
  EXPECT_EQ(captured_.err(), "warning: a warning\n");
}

TEST_F(LogTest, TheFileHasEverythingSinceTheStart) {
  configure_log({.quiet = true, .console = &captured_.console()});
  log_info("early");
  open_log_file(folder_ / "run.log");
  log_detail("late");
  const std::string text = read_text_file(folder_ / "run.log");
  EXPECT_THAT(text, HasSubstr("info     early\n"));
  EXPECT_THAT(text, EndsWith("debug    late\n"));
  EXPECT_LT(text.find("early"), text.find("late"));
}

TEST_F(LogTest, AppendsOnlyOnRequest) {
  for (const bool append : {false, true, false}) {
    configure_log({.quiet = true, .console = &captured_.console()});
    open_log_file(folder_ / "run.log", append);
    log_info(append ? "second" : "first");
  }
  EXPECT_THAT(read_text_file(folder_ / "run.log"), Not(HasSubstr("second")));
  configure_log({.quiet = true, .console = &captured_.console()});
  open_log_file(folder_ / "run.log", true);
  log_info("second");
  EXPECT_THAT(read_text_file(folder_ / "run.log"), HasSubstr("first\n"));
  EXPECT_THAT(read_text_file(folder_ / "run.log"), EndsWith("second\n"));
}

TEST_F(LogTest, TellsAWarningThatDiffersByNumbersOnceAndCountsIt) {
  configure_log({.console = &captured_.console()});
  open_log_file(folder_ / "run.log");
  for (const char* text :
       {"evaluation 3 fails at t = 0.1 s", "link1 is lost", "evaluation 51 fails at t = -2e-03 s",
        "link2 is lost", "way@1 is lost", "way@2 is lost"})
    log_warning(text);
  EXPECT_EQ(captured_.err(),
            "warning: evaluation 3 fails at t = 0.1 s\nwarning: link1 is lost\nwarning: link2 is lost\n"
            "warning: way@1 is lost\nwarning: way@2 is lost\n")
      << "digits in names are no numbers";
  EXPECT_THAT(read_text_file(folder_ / "run.log"),
              HasSubstr("warning: evaluation 51 fails at t = -2e-03 s\n"));
  log_repeated_warnings();
  log_repeated_warnings();
  const std::string end =
      "way@2 is lost\nwarning: 2 times in all, last: evaluation 51 fails at t = -2e-03 s\n";
  EXPECT_THAT(captured_.err(), EndsWith(end));
}

TEST_F(LogTest, RefusesAFileThatCannotBeWritten) {
  configure_log({.console = &captured_.console()});
  expect_write_error([&] { open_log_file(folder_.path()); }, {"cannot write", folder_.path().string()});
}

TEST_F(LogTest, SaysOnceThatItCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  configure_log({.console = &captured_.console()});
  open_log_file("/dev/full");
  EXPECT_TRUE(log_is_complete());
  log_info("one");
  log_info("two");
  EXPECT_FALSE(log_is_complete());
  EXPECT_EQ(captured_.out(), "one\ntwo\n");
  const std::string said = captured_.err();
  EXPECT_THAT(said, HasSubstr("error: cannot write the log"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

}  // namespace
}  // namespace kurbel
