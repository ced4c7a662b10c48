/// @file
/// Ctrl-C as a request to finish, not as an end.
#pragma once

#include <atomic>

namespace kurbel {

/// While it lives, the first SIGINT or SIGTERM sets a flag; a second one ends the program at once. One at a
/// time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>& flag() const;
};

}  // namespace kurbel
