/// Times of runs on free cores.
#include "app/run_times.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/timer.hpp"

namespace kurbel {
namespace {

using std::chrono_literals::operator""ms;

/// Waits until threads of libraries, which look out for work after their start, have gone to sleep.
void wait_for_idle_threads() {
  for (std::clock_t before = 0, now = std::clock(); now - before > CLOCKS_PER_SEC / 100;) {
    std::this_thread::sleep_for(100ms);
    before = now, now = std::clock();
  }
}

TEST(WorkTimer, DoesNotCountTimeInWhichOtherProgramsHaveTheCores) {
  wait_for_idle_threads();
  const Timer all;
  const WorkTimer work;
  std::this_thread::sleep_for(200ms);
  EXPECT_GE(all.seconds(), 0.2);
  EXPECT_LT(work.seconds(), 0.05);
  EXPECT_LT(work.share(), 0.25);
}

TEST(WorkTimer, CountsWork) {
  const WorkTimer work;
  const std::clock_t start = std::clock();
  while (std::clock() - start < CLOCKS_PER_SEC / 20) continue;
  EXPECT_GE(work.seconds(), 0.049);
}

}  // namespace
}  // namespace kurbel
