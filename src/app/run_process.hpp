/// @file
/// The program once more, as a process of its own that runs a variant of a study.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.hpp"

namespace kurbel {

/// How a process ended.
struct ProcessEnd {
  int status = 0;             ///< as of waitpid()
  double peak_memory = 0.0;   ///< bytes that it held at most
  bool is_of_memory = false;  ///< the kernel has ended a process meanwhile, because memory was short

  bool is_exit(int code) const;
  /// True for a signal that no process can take, by which the kernel and clusters end what exceeds a limit.
  bool is_kill() const;
  /// The reason, if it is a signal; empty otherwise.
  std::string signal_in_words() const;
};

/// A process that ends no later than its object. If this program is killed, the kernel asks the process to finish.
class RunProcess {
 public:
  /// Starts the program, unless another process still writes to `log`, which says that it is at the same work.
  /// @param words  arguments, the first of which is the name of the program
  /// @return nothing in that case
  /// @throws WriteError if no process can be started
  static std::optional<RunProcess> start(const std::vector<std::string>& words,
                                         const std::filesystem::path& log);

  RunProcess(RunProcess&& other) noexcept;
  RunProcess& operator=(RunProcess&& other) noexcept;
  /// Asks the process to finish and waits for it.
  ~RunProcess();

  ProcessMemory memory() const { return memory_of_process(pid_); }
  /// Sends a signal that asks it to finish its evaluation and end. A second one would end it at once, and is not sent.
  void ask_to_end(int signal);
  /// Returns how the process ended, once; nothing while it runs.
  std::optional<ProcessEnd> take_end();

 private:
  RunProcess(pid_t pid, int log);

  pid_t pid_;  ///< 0: it has ended
  int log_;    ///< holds the lock
  bool is_asked_ = false;
  double n_killed_before_;
};

}  // namespace kurbel
