/// @file
/// What the harnesses share: LLVMFuzzerTestOneInput(data, size) of each gives some bytes to one reader. The
/// reader takes them, or refuses them with an InputError of one line; anything else is a fault that ends the
/// program.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/errors.hpp"

namespace kurbel::test {

/// Reads; the only exception that may leave `read` is an InputError.
template <class Read>
int accept_or_refuse(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    if (std::string(error.what()).empty()) std::abort();
  }
  return 0;
}

/// A file for readers that take no bytes but a path, removed at the end.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("kurbel_fuzz_" + std::to_string(getpid()) + "_" + name)) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write(const std::uint8_t* data, std::size_t size) const {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kurbel::test
