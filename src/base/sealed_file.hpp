/// @file
/// Files that end with a checksum of their content, the seal. Libraries believe what a file says of itself, and crash on
/// damaged ones: no byte of a file reaches one before its seal is found right.
///
///     <content>
///     <!-- kurbel: checksum XXH3 0123456789abcdef0123456789abcdef -->
///
/// Other programs read a sealed file as it is: the seal is a comment in XML, and HDF5 ignores what follows its data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kurbel {

/// Replaces the file by this content and its seal, atomically.
/// @param durable  as in AtomicFile::commit
/// @throws WriteError; what was there before is untouched
void write_sealed_file(const std::filesystem::path& path, std::string_view content, bool durable = false);

struct FileKind {
  std::string_view name;       ///< with its article, "an HDF5 file"
  std::string_view signature;  ///< bytes with which its files begin
};

/// Content of a sealed file of that kind.
/// @throws InputError if the file cannot be read, is of another kind, has no seal, or was changed after it got it
std::string read_sealed_file(const std::filesystem::path& path, const FileKind& kind);

}  // namespace kurbel
