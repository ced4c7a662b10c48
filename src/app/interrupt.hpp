/// @file
/// Signals: Ctrl-C as a request to finish, not as an end.
#pragma once

#include <atomic>

namespace kurbel {

/// A write to a pipe that nobody reads any more, or beyond a limit on file sizes, fails; the signal that
/// comes with it (SIGPIPE, SIGXFSZ) does not end the program. A standard stream that is closed leads nowhere,
/// instead of into the first file that is opened.
void let_failed_writes_fail();

/// SIGINT, SIGTERM and SIGHUP are taken by a thread that does nothing else, so that no library's handler meets them:
/// METIS has one of its own for SIGTERM while it orders, and reports a lack of memory.
/// The calling thread and those that it starts do not see them any more.
void block_ending_signals();

/// Starts the thread that takes them. Without an InterruptGuard they end the program by the signal, but for those that
/// were ignored before.
void take_ending_signals();

/// While it lives, the first SIGINT, SIGTERM or SIGHUP (unless ignored, as under nohup) sets a flag; a second
/// one, half a second later or after that, ends the program at once. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>& flag() const;
  /// A signal that asks other processes to finish, and that this process has neither received nor ignores. A terminal or a
  /// cluster sends its signal to all processes, and a second one of the same kind would end them at once.
  int signal_for_others() const;
};

}  // namespace kurbel
