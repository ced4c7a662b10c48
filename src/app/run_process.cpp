#include "app/run_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/files.hpp"

namespace kurbel {

namespace {

/// Makes the new process the program. Only functions that are safe after fork() are called.
[[noreturn]] void become(char* const* arguments, int log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);  // it was killed before that
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv("/proc/self/exe", arguments);
  constexpr char message[] = "error: the program cannot be started a second time\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  _exit(1);
}

}  // namespace

bool ProcessEnd::is_exit(int code) const {
  return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

bool ProcessEnd::is_kill() const {
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::string ProcessEnd::signal_in_words() const {
  if (!WIFSIGNALED(status)) return {};
  if (!is_kill())
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  constexpr double megabyte = 1e6;
  return fmt::format(
      "killed by {} when it held {:.0f} MB: give the job more memory, or run fewer variants at a "
      "time (--jobs)",
      is_of_memory ? "the kernel, because memory was short,"
                   : "signal 9, which clusters send if a job exceeds its memory or time,",
      peak_memory / megabyte);
}

std::optional<RunProcess> RunProcess::start(const std::vector<std::string>& words,
                                            const std::filesystem::path& log) {
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) throw WriteError(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
  // The lock is that of the open file, which the process has as its output, and this object until what the run left is kept.
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file);
    return {};
  }
  [[maybe_unused]] const int emptied = ftruncate(file, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) become(arguments.data(), file, parent);
  const int error = errno;
  if (pid < 0) {
    ::close(file);
    throw WriteError(fmt::format("cannot start another process: {}", std::strerror(error)));
  }
  return RunProcess(pid, file);
}

RunProcess::RunProcess(pid_t pid, int log) : pid_(pid), log_(log), n_killed_before_(n_killed_for_memory()) {}

RunProcess::RunProcess(RunProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      log_(std::exchange(other.log_, -1)),
      is_asked_(other.is_asked_),
      n_killed_before_(other.n_killed_before_) {}

RunProcess& RunProcess::operator=(RunProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(log_, other.log_);
  std::swap(is_asked_, other.is_asked_);
  std::swap(n_killed_before_, other.n_killed_before_);
  return *this;
}

RunProcess::~RunProcess() {
  if (pid_ != 0) {
    ask_to_end(SIGTERM);
    ::waitpid(pid_, nullptr, 0);
  }
  if (log_ >= 0) ::close(log_);
}

void RunProcess::ask_to_end(int signal) {
  if (pid_ != 0 && !std::exchange(is_asked_, true)) ::kill(pid_, signal);
}

std::optional<ProcessEnd> RunProcess::take_end() {
  constexpr double kilobyte = 1024.0;
  ProcessEnd end;
  rusage used{};
  if (pid_ == 0) return {};
  const pid_t ended = ::wait4(pid_, &end.status, WNOHANG, &used);
  if (ended == 0) return {};
  constexpr int as_of_exit_1 = 1 << 8;
  if (ended < 0) end.status = as_of_exit_1;  // nobody knows how it ended
  pid_ = 0;
  end.peak_memory = kilobyte * static_cast<double>(used.ru_maxrss);
  end.is_of_memory = n_killed_for_memory() > n_killed_before_;
  return end;
}

}  // namespace kurbel
