#include "output/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "sid/sid_text.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

/// Either of them tells that a run of ours was here.
constexpr std::array<std::string_view, 2> marks = {"run.h5", "run.log"};

/// The marks come last: while files are left, they tell whose these are.
constexpr std::array<std::string_view, 22> files = {
    "convergence.csv", "sid.h5",      "history.csv", "timing.csv",      "density.pvd",   "motion.pvd",
    "gradient.vtu",    "density.png", "check.csv",   "sensitivity.png", "variables.csv", "gradient.csv",
    "control.csv",     "control.png", "states.csv",  "states.png",      "outputs.csv",   "outputs.png",
    "adjoint.csv",     "adjoint.png", "run.h5",      "run.log"};

/// What an interrupted writer may leave of a file.
constexpr std::array<std::string_view, 4> leftovers = {"", ".part", ".spare", ".previous"};

/// Folders of numbered files: <name>/<name>_00000.vtu.
constexpr std::array<std::string_view, 2> series = {"density", "motion"};

bool is_of_series(const fs::path& file, std::string_view name) {
  const std::string text = file.filename().string();
  return text.starts_with(fmt::format("{}_", name)) &&
         (text.ends_with(".vtu") || text.ends_with(".vtu.part"));
}

fs::path nearest_existing(fs::path path) {
  path = fs::absolute(path).lexically_normal();
  while (!fs::exists(path) && path.has_relative_path()) path = path.parent_path();
  return path;
}

}  // namespace

RunDirectory::RunDirectory(fs::path folder) : folder_(std::move(folder)) {
  const fs::path existing = nearest_existing(folder_);
  const auto cannot = [&](const std::string& why) {
    return InputError(fmt::format("cannot write to {}: {}", folder_.string(), why));
  };
  if (!fs::is_directory(existing)) throw cannot(fmt::format("{} is not a folder", existing.string()));
  if (access(existing.c_str(), W_OK | X_OK) != 0) {
    throw cannot(fmt::format("{}: {}", existing.string(), std::strerror(errno)));
  }
  const auto here = [&](std::string_view name) { return fs::exists(folder_ / name); };
  if (std::any_of(marks.begin(), marks.end(), here)) return;
  const auto foreign = std::find_if(files.begin(), files.end(), here);
  if (foreign != files.end()) {
    throw cannot(fmt::format("its file {} was not written by a run; choose another folder", *foreign));
  }
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)) {}

void RunDirectory::lock() {
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0)
    throw InputError(fmt::format("cannot write to {}: {}", folder_.string(), std::strerror(errno)));
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(std::exchange(lock_, -1));
  throw InputError(fmt::format("cannot write to {}: another run is writing there", folder_.string()));
}

void RunDirectory::begin() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw InputError(fmt::format("cannot write to {}: {}", folder_.string(), error.message()));
  lock();
  remove_earlier_run();
}

void RunDirectory::resume() {
  if (!fs::exists(run_h5())) {
    throw InputError(fmt::format("cannot resume {}: there is no run.h5", folder_.string()));
  }
  lock();
}

void RunDirectory::remove_earlier_run() const {
  std::error_code ignored;
  for (const std::string_view name : series) {
    const fs::path folder = folder_ / name;
    if (!fs::is_directory(folder, ignored)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (is_of_series(entry.path(), name)) fs::remove(entry.path(), ignored);
    }
    fs::remove(folder, ignored);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() == ".SID_FEM" && is_own_sid_text(entry.path()))
      fs::remove(entry.path(), ignored);
  }
  for (const std::string_view file : files) {
    for (const std::string_view leftover : leftovers)
      fs::remove(folder_ / fmt::format("{}{}", file, leftover), ignored);
  }
}

std::string RunDirectory::density_vtu(int iteration) const {
  return fmt::format("density/density_{:05}.vtu", iteration);
}

fs::path default_run_folder(const fs::path& input, const std::string& command) {
  const std::string name = input.stem().string();
  return fs::path("outputs") / (command == "optimize" ? name : fmt::format("{}_{}", name, command));
}

}  // namespace kurbel
