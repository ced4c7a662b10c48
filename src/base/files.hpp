/// @file
/// Text files and atomic replacement: a reader finds the old file or the whole new one, never a part.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kurbel {

/// A file that cannot be written: a full disk, a limit, a failing device, a folder that has vanished. Exit
/// code 3: what was written before is on disk. (A file that the user should not have named is an InputError,
/// found before.)
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws InputError that names the file and the reason (missing, a folder, not readable)
void require_readable(const std::filesystem::path& path);

/// @throws InputError unless a file of this name can be made or replaced, as far as one can tell beforehand
void require_writable(const std::filesystem::path& path);

/// Whole content of a file.
/// @throws InputError as require_readable
std::string read_text_file(const std::filesystem::path& path);

/// Replaces the file by these pieces, one behind the other, atomically.
/// @param durable  as in AtomicFile::commit
/// @throws WriteError; what was there before is untouched
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> pieces,
                bool durable = false);

/// Replaces the file by this text, atomically.
/// @throws WriteError; what was there before is untouched
void write_text_file(const std::filesystem::path& path, const std::string& text);

/// A file under construction: write to temporary(), then commit() renames it. Without commit() it is removed.
/// The temporary is `<name>.part` in the same folder, so that what a killed process leaves is replaced next
/// time.
class AtomicFile {
 public:
  /// @throws WriteError if the folder of `path` does not exist or `path` is a folder
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }

  /// @param durable  the bytes reach the disk before the name does, and then the name: survives a power failure, at
  /// the cost of a wait
  /// @throws WriteError if the bytes do not reach the disk, or the file cannot be renamed
  void commit(bool durable = false);

 private:
  std::filesystem::path path_, temporary_;
  bool pending_ = true;
};

}  // namespace kurbel
