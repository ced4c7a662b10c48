#include "output/run_mark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/files.hpp"
#include "base/numbers.hpp"
#include "base/version.hpp"

namespace kurbel {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark_title = "kurbel run";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::symlink_status(path, ignored));
}

using Version = std::array<std::int64_t, 3>;

/// "1.0.0" as its numbers; nothing if the text is anything else.
std::optional<Version> numbers_of(std::string_view text) {
  Version numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_last = i + 1 == numbers.size();
    const std::size_t end = is_last ? text.size() : text.find('.');
    if (end == std::string_view::npos) return {};
    const std::optional<std::int64_t> number = parse_integer(text.substr(0, end));
    if (!number || *number < 0) return {};
    numbers[i] = *number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

InputError refused(const fs::path& folder, const std::string& why) {
  return InputError(fmt::format("{}: {}", (folder / run_mark_name).string(), why));
}

/// The version of a mark, unless it is later than that of this program.
/// @param otherwise  what to do with a mark that has no version
Version known_version(const RunMark& mark, const fs::path& folder, const std::string& otherwise) {
  const std::optional<Version> written = numbers_of(mark.version);
  if (!written)
    throw refused(folder,
                  fmt::format("it is damaged: \"{}\" is no version of kurbel. {}", mark.version, otherwise));
  if (*written > numbers_of(version()))
    throw refused(folder, fmt::format("the run is of kurbel {}, and this is the earlier version {}. Use that "
                                      "version for it, or choose another folder",
                                      mark.version, version()));
  return *written;
}

}  // namespace

std::optional<RunMark> read_run_mark(const fs::path& folder) {
  const fs::path path = folder / run_mark_name;
  if (!is_file(path)) return {};
  std::istringstream text(read_text_file(path));
  std::string line;
  if (!std::getline(text, line) || line != mark_title) return {};
  RunMark mark;
  while (std::getline(text, line)) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string key = line.substr(0, space), value = line.substr(std::min(space + 1, line.size()));
    if (key == "version") mark.version = value;
    if (key == "command") mark.command = value;
    if (key == "status") mark.status = value;
    if (key == "claimed" && value.find('/') == std::string::npos) mark.claimed.push_back(value);
  }
  return mark;
}

void write_run_mark(const fs::path& folder, const RunMark& mark) {
  std::string text = fmt::format("{}\nversion {}\ncommand {}\nstatus {}\n", mark_title, mark.version,
                                 mark.command, mark.status);
  for (const std::string& name : mark.claimed) text += fmt::format("claimed {}\n", name);
  write_text_file(folder / run_mark_name, text);
}

void require_replaceable_run(const RunMark& mark, const fs::path& folder) {
  known_version(mark, folder, "Choose another folder");
}

void require_readable_run(const fs::path& folder) {
  const std::string otherwise = fmt::format("Remove this file if kurbel {} wrote the run", version());
  if (const std::optional<RunMark> mark = read_run_mark(folder)) {
    const Version written = known_version(*mark, folder, otherwise);
    if (written.front() != numbers_of(version())->front())
      throw refused(folder, fmt::format("the run is of kurbel {}, and kurbel {} does not read its files. Run "
                                        "the input anew, or use that version",
                                        mark->version, version()));
  } else if (is_file(folder / run_mark_name)) {
    throw refused(folder, fmt::format("it is damaged, or not of kurbel: its first line is not \"{}\". {}",
                                      mark_title, otherwise));
  }
}

}  // namespace kurbel
