#include "base/memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "base/numbers.hpp"

namespace kurbel {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double kilobyte = 1024.0;

/// The number behind "NAME:" in a file of such lines, in kilobytes; nothing if it has none.
std::optional<double> line_of(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    double value = 0.0;
    if (word == name + ":" && in >> value) return value * kilobyte;
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return {};
}

std::optional<double> number_in(const char* file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return parse_finite_number(word);
}

double of_system() {
  const std::optional<double> available = line_of("/proc/meminfo", "MemAvailable");
  return available ? *available + line_of("/proc/meminfo", "SwapFree").value_or(0.0) : unlimited;
}

double of_control_group() {
  // What is in use there counts cached files, which give way.
  return number_in("/sys/fs/cgroup/memory.max").value_or(unlimited);
}

}  // namespace

double available_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const double used = line_of("/proc/self/status", "VmSize").value_or(0.0);
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

double available_memory() {
  return std::min({of_system(), of_control_group(), available_address_space()});
}

}  // namespace kurbel
