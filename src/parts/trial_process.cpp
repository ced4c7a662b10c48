#include "parts/trial_process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace kurbel {

namespace {

/// Signals that tell of a fault of the code, and not of someone who ends the process.
constexpr std::array faults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

[[noreturn]] void run_copy(const std::function<void()>& function, unsigned seconds) {
  for (const int fault : faults) std::signal(fault, SIG_DFL);
  for (const int end : {SIGALRM, SIGINT, SIGTERM}) std::signal(end, SIG_DFL);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  alarm(seconds);
  try {
    function();
  } catch (...) {
    _exit(0);  // this process meets it, too, and tells it
  }
  _exit(0);
}

TrialEnd end_of(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? TrialEnd::done : TrialEnd::crashed;
  if (WTERMSIG(status) == SIGALRM) return TrialEnd::out_of_time;
  for (const int fault : faults) {
    if (WTERMSIG(status) == fault) return TrialEnd::crashed;
  }
  return TrialEnd::done;
}

}  // namespace

TrialEnd try_in_a_copy(const std::function<void()>& function, unsigned seconds) {
  const pid_t pid = fork();
  if (pid == 0) run_copy(function, seconds);
  if (pid < 0) return TrialEnd::done;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return TrialEnd::done;
  }
  return end_of(status);
}

}  // namespace kurbel
