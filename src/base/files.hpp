/// @file
/// Text files and atomic replacement: a reader finds the old file or the whole new one, never a part.
#pragma once

#include <filesystem>
#include <string>

namespace kurbel {

/// @throws InputError that names the file and the reason (missing, a folder, not readable)
void require_readable(const std::filesystem::path& path);

/// Whole content of a file.
/// @throws InputError as require_readable
std::string read_text_file(const std::filesystem::path& path);

/// Replaces the file by this text, atomically.
/// @throws InputError if the file cannot be written; what was there before is untouched
void write_text_file(const std::filesystem::path& path, const std::string& text);

/// A file under construction: write to temporary(), then commit() renames it. Without commit() it is removed.
/// The temporary is `<name>.part` in the same folder, so that what a killed process leaves is replaced next
/// time.
class AtomicFile {
 public:
  /// @throws InputError if the folder of `path` does not exist or `path` is a folder
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }

  /// @param durable  the bytes reach the disk before the name does: survives a power failure, at the cost of
  /// a wait
  /// @throws InputError if the file cannot be renamed
  void commit(bool durable = false);

 private:
  std::filesystem::path path_, temporary_;
  bool pending_ = true;
};

/// Waits until the bytes of a file are on the disk; does nothing where the file system cannot tell.
void flush_to_disk(const std::filesystem::path& path);

}  // namespace kurbel
