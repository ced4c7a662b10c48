#include "output/run_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/files.hpp"
#include "base/version.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 37> files = {"convergence.csv",
                                                    "sid.h5",
                                                    "history.csv",
                                                    "timing.csv",
                                                    "density.pvd",
                                                    "motion.pvd",
                                                    "modes.pvd",
                                                    "gradient.vtu",
                                                    "density.png",
                                                    "check.csv",
                                                    "sensitivity.png",
                                                    "variables.csv",
                                                    "gradient.csv",
                                                    "control.csv",
                                                    "control.png",
                                                    "convergence.png",
                                                    "states.csv",
                                                    "states.png",
                                                    "outputs.csv",
                                                    "outputs.png",
                                                    "adjoint_constraints.csv",
                                                    "adjoint_constraints.png",
                                                    "adjoint.csv",
                                                    "adjoint.png",
                                                    "run.log",
                                                    "run.h5",
                                                    "final.vtu",
                                                    "cut.vtu",
                                                    "answer.vtu",
                                                    "cut.png",
                                                    "modes.csv",
                                                    "response.csv",
                                                    "response.png",
                                                    "histories.csv",
                                                    "histories.png",
                                                    "gradient_over_time.csv",
                                                    "gradient_over_time.png"};

/// Suffixes of files that an interrupted writer may leave.
constexpr std::array<std::string_view, 2> leftovers = {"", ".part"};

/// Folders of numbered files: <name>/<name>_00000.vtu or .vtm, with <name>_00000_0.vtu, ... Of several cases
/// each has its own, motion_<case>, with a motion_<case>.pvd.
bool is_series(std::string_view name) {
  return name == "density" || name == "motion" || name == "modes" || name.starts_with("motion_");
}

/// True for motion_<case>.pvd and modes_<case>.csv.
bool is_of_case(std::string_view name) {
  return (name.starts_with("motion_") && name.ends_with(".pvd")) ||
         (name.starts_with("modes_") && name.ends_with(".csv"));
}

/// Pictures of several bodies: <name>_<body>.png.
constexpr std::array<std::string_view, 3> pictures = {"density_", "sensitivity_", "cut_"};

std::string_view after_digits(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
}

/// <name>_00000.vtu, .vtm, or _<block>.vtu, or what an interrupted writer leaves of one.
bool is_of_series(const fs::path& file, std::string_view name) {
  const std::string text = file.filename().string(), begin = fmt::format("{}_", name);
  if (!text.starts_with(begin)) return false;
  const std::string_view number = std::string_view(text).substr(begin.size());
  std::string_view end = after_digits(number);
  if (number.size() - end.size() < 5) return false;
  if (end.ends_with(".part")) end.remove_suffix(5);
  if (!end.starts_with('_')) return end == ".vtu" || end == ".vtm";
  const std::string_view block = end.substr(1);
  return after_digits(block) == ".vtu" && block != ".vtu";
}

/// True for the name of a file of ours directly in the folder.
bool is_own_name(std::string_view name) {
  const auto is_of = [name](std::string_view file) {
    return std::any_of(leftovers.begin(), leftovers.end(), [&](std::string_view leftover) {
      return name.starts_with(file) && name.substr(file.size()) == leftover;
    });
  };
  return is_of(run_mark_name) || std::any_of(files.begin(), files.end(), is_of) || name == "density" ||
         name == "motion" || name == "modes" || is_of_case(name) ||
         std::any_of(pictures.begin(), pictures.end(), [name](std::string_view picture) {
           return name.starts_with(picture) && name.ends_with(".png");
         });
}

/// The place of the name itself, whatever it links to.
fs::path place_of(const fs::path& file) {
  std::error_code ignored;
  const fs::path path = fs::absolute(file);
  return fs::weakly_canonical(path.parent_path(), ignored) / path.filename();
}

fs::path nearest_existing(fs::path path) {
  path = fs::absolute(path).lexically_normal();
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

}  // namespace

RunDirectory::RunDirectory(fs::path folder, RunPurpose purpose)
    : folder_(std::move(folder)), purpose_(std::move(purpose)) {
  require_writable();
  require_ours();
}

void RunDirectory::require_run(const fs::path& folder, const char* what_for) {
  if (!fs::exists(folder / "run.h5"))
    throw InputError(fmt::format(
        "cannot {} {}: there is no run.h5. Name the folder in which a run of kurbel left its results",
        what_for, folder.string()));
  require_readable_run(folder);
}

RunDirectory RunDirectory::of_run(fs::path folder, const char* what_for) {
  require_run(folder, what_for);
  RunDirectory directory;
  directory.folder_ = std::move(folder);
  directory.purpose_ = {"optimize", true};
  directory.require_writable();
  directory.require_no_links();
  directory.lock();
  directory.mark_ = read_run_mark(directory.folder_).value_or(RunMark());
  return directory;
}

RunDirectory RunDirectory::to_read(fs::path folder, const char* what_for) {
  require_run(folder, what_for);
  RunDirectory directory;
  directory.folder_ = std::move(folder);
  if (!directory.try_to_lock(Access::reading))
    throw InputError(fmt::format("cannot {} {}: a run is writing there; wait until it has ended", what_for,
                                 directory.folder_.string()));
  return directory;
}

InputError RunDirectory::cannot_write(const std::string& why) const {
  return InputError(fmt::format("cannot write to {}: {}", folder_.string(), why));
}

void RunDirectory::require_writable() const {
  const fs::path existing = nearest_existing(folder_);
  if (!fs::is_directory(existing)) throw cannot_write(fmt::format("{} is not a folder", existing.string()));
  if (access(existing.c_str(), W_OK | X_OK) != 0)
    throw cannot_write(fmt::format("{}: {}", existing.string(), std::strerror(errno)));
}

void RunDirectory::require_no_links() const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_series(name) && entry.is_symlink(ignored))
      throw cannot_write(fmt::format("its {} is a symbolic link, which a run does not follow", name));
  }
}

void RunDirectory::require_ours() const {
  std::error_code ignored;
  if (!fs::exists(folder_, ignored)) return;
  require_no_links();
  if (const std::optional<RunMark> mark = read_run_mark(folder_)) {
    require_replaceable_run(*mark, folder_);
    const bool unfinished = mark->command == "optimize" && fs::exists(*this / "run.h5") &&
                            (mark->status == "running" || mark->status == "interrupted");
    if (!unfinished || purpose_.overwrite) return;
    throw cannot_write(fmt::format(
        "it holds an unfinished optimization; go on with it (kurbel optimize --resume {}), or replace it "
        "(--overwrite)",
        folder_.string()));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (is_own_name(name))
      throw cannot_write(fmt::format("its {} was not written by a run; choose another folder", name));
  }
}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) ::close(lock_);
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : folder_(std::move(other.folder_)),
      purpose_(std::move(other.purpose_)),
      mark_(std::move(other.mark_)),
      spared_(std::move(other.spared_)),
      lock_(std::exchange(other.lock_, -1)) {}

bool RunDirectory::try_to_lock(Access access) {
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) {
    const std::string why = std::strerror(errno);
    throw access == Access::alone ? cannot_write(why)
                                  : InputError(fmt::format("cannot read {}: {}", folder_.string(), why));
  }
  const int kind = access == Access::alone ? LOCK_EX : LOCK_SH;
  if (flock(lock_, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
  ::close(std::exchange(lock_, -1));
  return false;
}

void RunDirectory::lock() {
  if (!try_to_lock(Access::alone))
    throw cannot_write("another run is writing there, or a command is reading it; wait until it has ended");
}

void RunDirectory::spare(const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code ignored;
    for (const fs::path& place : {place_of(input), fs::weakly_canonical(input, ignored)}) {
      if (place.empty()) continue;  // of a name too long, which its reader refuses
      if (is_name_of_run(place))
        throw cannot_write(fmt::format(
            "this run reads {}, which it would replace; choose another folder (--output)", input.string()));
      spared_.push_back(place);
    }
  }
}

bool RunDirectory::is_name_of_run(const fs::path& file) const {
  std::error_code ignored;
  const fs::path inside =
      place_of(file).lexically_relative(fs::weakly_canonical(fs::absolute(folder_), ignored));
  if (inside.empty() || *inside.begin() == "..") return false;
  if (!inside.has_parent_path()) return is_own_name(inside.string());
  const std::string name = inside.parent_path().string();
  return is_series(name) && is_of_series(inside, name);
}

void RunDirectory::begin() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error == std::errc::no_space_on_device || error == std::errc::io_error)
    throw WriteError(cannot_write(error.message()).what());
  if (error) throw cannot_write(error.message());
  lock();
  require_ours();
  const std::optional<RunMark> earlier = read_run_mark(folder_);
  mark_ = {version(), purpose_.command, "running", earlier ? earlier->claimed : std::vector<std::string>()};
  write_run_mark(folder_, mark_);
  if (!earlier) return;
  remove_earlier_run(*earlier);
  mark_.claimed.clear();
  write_run_mark(folder_, mark_);
}

void RunDirectory::begin_again() {
  mark_ = {version(), purpose_.command, "running", std::move(mark_.claimed)};
  write_run_mark(folder_, mark_);
}

bool RunDirectory::may_replace(const fs::path& file) const {
  if (!fs::exists(fs::symlink_status(file))) return true;
  const std::optional<RunMark> mark = read_run_mark(folder_);
  return mark &&
         std::find(mark->claimed.begin(), mark->claimed.end(), file.filename()) != mark->claimed.end();
}

void RunDirectory::claim(const fs::path& file) {
  if (mark_.command.empty()) return;  // no run has marked the folder, and none may remove what is there
  const std::string name = file.filename().string();
  if (std::find(mark_.claimed.begin(), mark_.claimed.end(), name) != mark_.claimed.end()) return;
  mark_.claimed.push_back(name);
  write_run_mark(folder_, mark_);
}

void RunDirectory::finish(const std::string& status) {
  mark_.status = status;
  write_run_mark(folder_, mark_);
}

void RunDirectory::remove(const fs::path& file) const {
  std::error_code ignored;
  const bool spared = std::find(spared_.begin(), spared_.end(), place_of(file)) != spared_.end();
  if (!spared && !fs::is_directory(fs::symlink_status(file, ignored))) fs::remove(file, ignored);
}

void RunDirectory::remove_earlier_run(const RunMark& earlier) const {
  std::error_code ignored;
  std::vector<fs::path> inside;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) inside.push_back(entry.path());
  for (const fs::path& path : inside) {
    const std::string name = path.filename().string();
    if (!is_series(name) || !fs::is_directory(fs::symlink_status(path, ignored))) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      if (is_of_series(entry.path(), name)) remove(entry.path());
    }
    fs::remove(path, ignored);  // if nothing else is in it
  }
  for (const std::string& name : earlier.claimed) remove(folder_ / name);
  if (is_report(folder_ / "report.html")) remove(folder_ / "report.html");
  for (const std::string_view file : files) {
    for (const std::string_view leftover : leftovers) remove(folder_ / fmt::format("{}{}", file, leftover));
  }
}

bool is_report(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(file, ignored)) &&
         read_text_file(file).find("<footer>Written by kurbel") != std::string::npos;
}

fs::path RunDirectory::operator/(std::string_view name) const {
  if (std::ranges::find(files, name) == files.end())
    throw std::logic_error(fmt::format("{} is not in the list of files that a run writes", name));
  return folder_ / name;
}

std::string RunDirectory::density_vtu(int iteration) const {
  return fmt::format("density/density_{:05}.vtu", iteration);
}

std::string RunDirectory::density_vtm(int iteration) const {
  return fmt::format("density/density_{:05}.vtm", iteration);
}

fs::path default_run_folder(const fs::path& input, const std::string& command) {
  const std::string name = input.stem().string();
  return fs::path("outputs") / (command == "optimize" ? name : fmt::format("{}_{}", name, command));
}

}  // namespace kurbel
