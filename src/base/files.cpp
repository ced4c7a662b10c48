#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/spelling.hpp"

namespace kurbel {
namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Why there cannot be a file of this name; empty if there can.
std::string why_no_place(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(folder_of(path), ignored))
    return fmt::format("{} is not a folder", folder_of(path).string());
  if (!path.has_filename() || fs::is_directory(path, ignored)) return "a folder has this name";
  return {};
}

WriteError write_error(const fs::path& path, const std::string& why) {
  return WriteError(fmt::format("cannot write {}: {}", path.string(), why));
}

/// "; did you mean OTHER?" if the folder of a missing file, or a folder within it, has a file of this kind and almost this
/// name; else nothing.
std::string advice_if_missing(const fs::path& path) {
  std::vector<fs::path> others;
  std::vector<std::string> names;
  const auto add_files = [&](const fs::path& folder, const auto& go_into) {
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      std::error_code ignored;
      if (entry->is_directory(ignored)) go_into(entry->path());
      if (entry->path().extension() != path.extension() || !entry->is_regular_file(ignored)) continue;
      others.push_back(path.parent_path() / entry->path().lexically_relative(folder_of(path)));
      names.push_back(entry->path().stem().string());
    }
  };
  add_files(folder_of(path), [&](const fs::path& folder) { add_files(folder, [](const fs::path&) {}); });
  const std::optional<std::string> nearest = nearest_spelling(path.stem().string(), names);
  if (!nearest) return {};
  return fmt::format(
      "; did you mean {}?",
      others[static_cast<std::size_t>(std::ranges::find(names, *nearest) - names.begin())].string());
}

/// Waits until the bytes of a file, or the names in a folder, are on the disk; does nothing where the file system
/// cannot tell.
void flush_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  errno = 0;
  const bool failed = ::fsync(descriptor) != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  const int why = errno;
  ::close(descriptor);
  if (failed) throw write_error(path, std::strerror(why));
}

}  // namespace

void require_readable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError(fmt::format("cannot read {}: it is a folder", path.string()));
  if (fs::is_character_file(path, ignored) || fs::is_block_file(path, ignored))  // may have no end
    throw InputError(fmt::format("cannot read {}: it is a device", path.string()));
  errno = 0;
  if (!std::ifstream(path)) {
    const int why = errno;
    throw InputError(fmt::format("cannot read {}: {}{}", path.string(), std::strerror(why),
                                 why == ENOENT ? advice_if_missing(path) : ""));
  }
}

void require_writable(const fs::path& path) {
  const fs::path folder = folder_of(path);
  const auto cannot = [&](const std::string& why) {
    return InputError(fmt::format("cannot write {}: {}", path.string(), why));
  };
  if (const std::string why = why_no_place(path); !why.empty()) throw cannot(why);
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw cannot(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

std::string read_text_file(const fs::path& path) {
  require_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw InputError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  return std::move(text).str();
}

void write_file(const fs::path& path, std::initializer_list<std::string_view> pieces, bool durable) {
  AtomicFile file(path);
  errno = 0;
  std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
  for (const std::string_view piece : pieces)
    out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  out.close();
  if (!out) throw write_error(path, std::strerror(errno));
  file.commit(durable);
}

void write_text_file(const fs::path& path, const std::string& text) {
  write_file(path, {text});
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".part";
  if (const std::string why = why_no_place(path_); !why.empty()) throw write_error(path_, why);
  // A link to somebody's file is not followed.
  std::error_code ignored;
  if (fs::is_symlink(temporary_, ignored) && !fs::is_character_file(temporary_, ignored))
    fs::remove(temporary_, ignored);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      pending_(std::exchange(other.pending_, false)) {}

AtomicFile::~AtomicFile() {
  std::error_code ignored;
  if (pending_) fs::remove(temporary_, ignored);
}

void AtomicFile::commit(bool durable) {
  if (durable) flush_to_disk(temporary_);
  std::error_code error;
  fs::rename(temporary_, path_, error);
  if (error) throw write_error(path_, error.message());
  pending_ = false;
  if (durable) flush_to_disk(folder_of(path_));
}

}  // namespace kurbel
