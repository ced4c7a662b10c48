/// Times of runs on free cores.
#include "app/run_times.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

#include "base/timer.hpp"

namespace kurbel {
namespace {

using std::chrono_literals::operator""ms;

/// Waits until threads of libraries, which look out for work after their start, have gone to sleep.
void wait_for_idle_threads() {
  std::clock_t now = std::clock();
  for (int tries = 0; tries < 100; ++tries) {
    std::this_thread::sleep_for(100ms);
    const std::clock_t before = std::exchange(now, std::clock());
    if (now - before < CLOCKS_PER_SEC / 100) return;
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
  wait_for_idle_threads();
  const WorkTimer work;
  const Timer all;
  const std::clock_t start = std::clock();
  while (all.seconds() < 0.05 || std::clock() - start < CLOCKS_PER_SEC / 20) continue;
  EXPECT_GE(work.seconds(), 0.049);
}

}  // namespace
}  // namespace kurbel
