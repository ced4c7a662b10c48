/// Runs the program as its user does.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace kurbel::test {

struct Outcome {
  int exit_code;
  std::string text;  ///< stdout and stderr
};

inline Outcome run_command(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome{-1, {}};
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

#ifdef KURBEL_PROGRAM
/// `kurbel ARGUMENTS`
inline Outcome run(const std::string& arguments) {
  return run_command(std::string(KURBEL_PROGRAM) + " " + arguments);
}
#endif

}  // namespace kurbel::test
