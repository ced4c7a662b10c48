#include "output/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/output/captured_console.hpp"

namespace kurbel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProgressState state(int iteration, double elapsed) {
  return {iteration, 2.5e-4, 0.5, 0.123, {{"fem", 0.12}, {"motion", 0.2}}, elapsed};
}

TEST(Progress, WritesPlainLinesToAFile) {
  CapturedConsole captured;
  {
    Progress progress({.max_iterations = 200}, captured.console());
    progress.update(state(0, 0.0));
    progress.update(state(1, 2.0));
  }
  const std::string text = captured.out();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  for (const char* part :
       {"1/200", "objective 0.00025", "volume 0.5000", "change 0.1230", "fem 0.12", "motion 0.2"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(Progress, RewritesOneLineOnATerminal) {
  CapturedConsole captured(200);
  Progress progress({}, captured.console());
  progress.update(state(0, 0.0));
  progress.update(state(1, 1.0));
  std::string text = captured.out();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  progress.finish();
  progress.finish();
  text = captured.out();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST(Progress, FitsTheTerminal) {
  CapturedConsole captured(20);
  Progress progress({}, captured.console());
  progress.update(state(0, 0.0));
  EXPECT_EQ(captured.out().size(), 1u + 19u + 3u);  // carriage return, text, erase to the end
}

// The bar and the time left are within the 80 columns of a usual terminal.
TEST(Progress, HasABarAndTheTimeLeftWithinTheTerminal) {
  CapturedConsole captured(80);
  Progress progress({.max_iterations = 40}, captured.console());
  progress.update(state(0, 0.0));
  progress.update(state(20, 60.0));
  EXPECT_THAT(captured.out(),
              HasSubstr("\r[##########----------]   20/40  1:00, at most 1:00 left  |  objective 0.00025"));
  progress.update(state(50, 150.0));
  EXPECT_THAT(captured.out(), HasSubstr("\r[####################]   50/40"));
}

TEST(Progress, IsSilentWhenQuiet) {
  CapturedConsole captured(80);
  {
    Progress progress({.quiet = true}, captured.console());
    progress.update(state(0, 0.0));
  }
  EXPECT_EQ(captured.out(), "");
}

TEST(Progress, EstimatesFromTheLastTenIterations) {
  CapturedConsole captured;
  Progress progress({.max_iterations = 100}, captured.console());
  progress.update(state(0, 0.0));
  EXPECT_THAT(captured.out(), Not(HasSubstr("left")));
  double elapsed = 0.0;
  for (int i = 1; i <= 20; ++i) progress.update(state(i, elapsed += 0.01));  // replayed
  for (int i = 21; i <= 30; ++i) progress.update(state(i, elapsed += 3.0));
  EXPECT_THAT(captured.out(), HasSubstr("at most 3:30 left"));  // 70 iterations of 3 s
}

TEST(Progress, TheWallTimeLimitsTheEstimate) {
  CapturedConsole captured;
  Progress progress({.max_iterations = 1000, .wall_time = 100.0}, captured.console());
  progress.update(state(0, 0.0));
  progress.update(state(1, 10.0));
  EXPECT_THAT(captured.out(), HasSubstr("at most 1:30 left"));
}

TEST(Progress, ClockTextRollsOver) {
  EXPECT_EQ(clock_text(-1.0), "0:00");
  EXPECT_EQ(clock_text(59.6), "1:00");
  EXPECT_EQ(clock_text(75.0), "1:15");
  EXPECT_EQ(clock_text(3725.0), "1:02:05");
}

TEST(Console, WholeLinesClearTheLineInPlace) {
  CapturedConsole captured(80);
  captured.console().print_in_place("progress");
  captured.console().print("a message");
  EXPECT_EQ(captured.out(), "\rprogress\033[K\r\033[Ka message\n");
}

}  // namespace
}  // namespace kurbel
