/// @file
/// Signals: Ctrl-C as a request to finish, not as an end.
#pragma once

#include <atomic>

namespace kurbel {

/// A write to a pipe that nobody reads any more, or beyond a limit on file sizes, fails; the signal that
/// comes with it (SIGPIPE, SIGXFSZ) does not end the program. A standard stream that is closed leads nowhere,
/// instead of into the first file that is opened.
void let_failed_writes_fail();

/// While it lives, the first SIGINT, SIGTERM or SIGHUP (unless ignored, as under nohup) sets a flag; a second
/// one ends the program at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>& flag() const;

 private:
  void (*hang_up_)(int);  ///< what SIGHUP did before
};

}  // namespace kurbel
