#include "base/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.hpp"

namespace kurbel {

namespace fs = std::filesystem;

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

std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return parse_finite_number(word);
}

double of_system() {
  const std::optional<double> available = line_of("/proc/meminfo", "MemAvailable");
  return available ? *available + line_of("/proc/meminfo", "SwapFree").value_or(0.0) : unlimited;
}

/// Names of files and of their lines, in the two versions of control groups.
struct GroupFiles {
  std::vector<const char*> limits;
  const char* used;
  std::string cached;  ///< what its names begin with in memory.stat
};

/// Cached files count as used there, but give way.
double left_by_group(const fs::path& folder, const GroupFiles& files) {
  double limit = unlimited;
  for (const char* file : files.limits) limit = std::min(limit, number_in(folder / file).value_or(unlimited));
  if (limit == unlimited) return unlimited;
  double used = number_in(folder / files.used).value_or(0.0);
  std::ifstream numbers(folder / "memory.stat");
  std::string name;
  for (double bytes = 0.0; numbers >> name >> bytes;) {
    if (name == files.cached + "active_file" || name == files.cached + "inactive_file") used -= bytes;
  }
  return std::max(0.0, limit - std::max(0.0, used));
}

}  // namespace

double available_address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const double used = line_of("/proc/self/status", "VmSize").value_or(0.0);
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

double available_in_control_groups(const fs::path& mounted, const fs::path& groups) {
  static const GroupFiles first = {{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_"},
                          second = {{"memory.max", "memory.high"}, "memory.current", ""};
  double left = left_by_group(mounted, second);
  std::ifstream lines(groups);
  for (std::string line;
       std::getline(lines, line);) {  // "4:memory:/of/this/process" or "0::/of/this/process"
    const std::size_t controllers = line.find(':'), path = line.find(':', controllers + 1);
    if (controllers == std::string::npos || path == std::string::npos) continue;
    const std::string names = "," + line.substr(controllers + 1, path - controllers - 1) + ",";
    const bool is_second = names == ",,";
    if (!is_second && names.find(",memory,") == std::string::npos) continue;
    const fs::path top = is_second ? mounted : mounted / "memory";
    fs::path inner = fs::path(line.substr(path + 1)).relative_path();
    for (;; inner = inner.parent_path()) {  // groups above limit it, too
      left = std::min(left, left_by_group(top / inner, is_second ? second : first));
      if (inner.empty()) break;
    }
  }
  return left;
}

double available_memory_of_processes() {
  return std::min(of_system(), available_in_control_groups("/sys/fs/cgroup", "/proc/self/cgroup"));
}

double available_memory() {
  return std::min(available_memory_of_processes(), available_address_space());
}

ProcessMemory memory_of_process(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double all = 0.0, resident = 0.0;
  if (!(file >> all >> resident)) return {};
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  return {.resident = resident * page, .address_space = all * page};
}

double n_killed_for_memory() {
  std::ifstream numbers("/proc/vmstat");
  std::string name;
  for (double value = 0.0; numbers >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0.0;
}

}  // namespace kurbel
