#include "app/interrupt.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>

namespace kurbel {

namespace {

std::atomic<bool> interrupted{false};
std::atomic<bool> guarded{false};

using Clock = std::chrono::steady_clock;

/// `timeout` sends its signal to the program and, at once, to the group of processes that the program belongs to: both are
/// one request.
constexpr std::chrono::milliseconds one_request{500};

struct EndingSignal {
  int number;
  bool was_ignored = false;                     ///< written before the thread starts
  std::atomic<bool> taken = false;              ///< by the InterruptGuard that lives
  std::optional<Clock::time_point> taken_at{};  ///< of the thread that takes signals
};
constinit std::array<EndingSignal, 3> ending_signals{{{SIGINT}, {SIGTERM}, {SIGHUP}}};

template <typename Filter>
sigset_t set_of(const Filter& filter) {
  sigset_t set;
  sigemptyset(&set);
  for (const EndingSignal& s : ending_signals)
    if (filter(s)) sigaddset(&set, s.number);
  return set;
}

bool is_hang_up_to_ignore(const EndingSignal& s) {
  return s.number == SIGHUP && s.was_ignored;
}

/// Ends as a program does that does not handle the signal.
void end_by(int signal) {
  raise(signal);  // waits, as it is blocked
  std::signal(signal, SIG_DFL);
  const sigset_t set = set_of([signal](const EndingSignal& s) { return s.number == signal; });
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  _exit(128 + signal);  // the first process of a container outlives signals that it does not handle
}

void take(EndingSignal& s) {
  if (guarded && !s.taken) {
    s.taken_at = Clock::now();
    s.taken = true;
    interrupted = true;
  } else if (s.taken_at && Clock::now() - *s.taken_at < one_request) {
    return;
  } else if (guarded || !s.was_ignored) {
    end_by(s.number);
  }
}

void* wait_for_signals(void*) {
  const sigset_t set = set_of([](const EndingSignal& s) { return !is_hang_up_to_ignore(s); });
  for (;;) {
    int signal = 0;
    sigwait(&set, &signal);
    for (EndingSignal& s : ending_signals)
      if (s.number == signal) take(s);
  }
}

}  // namespace

void let_failed_writes_fail() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest number that is free
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void block_ending_signals() {
  const sigset_t set = set_of([](const EndingSignal&) { return true; });
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void take_ending_signals() {
  for (EndingSignal& s : ending_signals) {
    struct sigaction before {};
    s.was_ignored = sigaction(s.number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
  }
  pthread_t thread;
  if (pthread_create(&thread, nullptr, wait_for_signals, nullptr) == 0) {
    pthread_detach(thread);
    return;
  }
  // No thread to be had: they end the program as if nobody cared.
  const sigset_t set = set_of([](const EndingSignal&) { return true; });
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

InterruptGuard::InterruptGuard() {
  interrupted = false;
  for (EndingSignal& s : ending_signals) s.taken = false;
  guarded = true;
}

InterruptGuard::~InterruptGuard() {
  guarded = false;
}

const std::atomic<bool>& InterruptGuard::flag() const {
  return interrupted;
}

int InterruptGuard::signal_for_others() const {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    for (const EndingSignal& s : ending_signals)
      if (s.number == signal && !s.taken && !s.was_ignored) return signal;
  }
  return SIGTERM;
}

}  // namespace kurbel
