/// @file
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace kurbel {

/// Wall-clock seconds since its construction.
class Timer {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Seconds that work takes on free cores, since its construction: where other programs take the cores, time passes
/// without work, and processor time is less.
class WorkTimer {
 public:
  double seconds() const {
    const double of_processor = static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC;
    return std::min(timer_.seconds(), of_processor);
  }
  /// Returns the share of work in the seconds that have passed, in [0, 1].
  double share() const {
    const double passed = timer_.seconds();
    return passed > 0.0 ? std::min(1.0, seconds() / passed) : 1.0;
  }

 private:
  Timer timer_;
  std::clock_t start_ = std::clock();
};

}  // namespace kurbel
