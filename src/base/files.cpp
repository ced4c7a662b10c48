#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/errors.hpp"

namespace kurbel {
namespace fs = std::filesystem;

void require_readable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    throw InputError(fmt::format("cannot read {}: it is a folder", path.string()));
  if (fs::is_character_file(path, ignored) || fs::is_block_file(path, ignored))  // may have no end
    throw InputError(fmt::format("cannot read {}: it is a device", path.string()));
  errno = 0;
  if (!std::ifstream(path))
    throw InputError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
}

std::string read_text_file(const fs::path& path) {
  require_readable(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw InputError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  return std::move(text).str();
}

void write_text_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  std::ofstream out(file.temporary(), std::ios::binary | std::ios::trunc);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw InputError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  file.commit();
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(path_) {
  temporary_ += ".part";
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    throw InputError(fmt::format("cannot write {}: {} is not a folder", path_.string(), folder.string()));
  }
  if (fs::is_directory(path_, ignored)) {
    throw InputError(fmt::format("cannot write {}: a folder has this name", path_.string()));
  }
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
  if (error) throw InputError(fmt::format("cannot write {}: {}", path_.string(), error.message()));
  pending_ = false;
}

void flush_to_disk(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace kurbel
