/// @file
/// The bytes of a fuzzer as a file, for readers that open one by name.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace kurbel {

/// One file per process, written anew for each input.
inline std::filesystem::path input_file(const std::uint8_t* data, std::size_t size,
                                        const std::string& extension) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("kurbel_fuzz_" + std::to_string(getpid()) + extension);
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace kurbel
