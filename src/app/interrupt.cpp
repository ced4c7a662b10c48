#include "app/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace kurbel {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

void on_signal(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void let_failed_writes_fail() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest number that is free
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

InterruptGuard::InterruptGuard() {
  interrupted = false;
  hang_up_ = std::signal(SIGHUP, on_signal);
  if (hang_up_ == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, hang_up_);
}

const std::atomic<bool>& InterruptGuard::flag() const {
  return interrupted;
}

}  // namespace kurbel
