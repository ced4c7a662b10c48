/// @file
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace kurbel::test {

/// The problem files of inputs/ and its folders.
inline std::vector<std::filesystem::path> inputs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KURBEL_SOURCE_DIR "/inputs"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The problem file of this name in inputs/ or one of its folders.
inline std::string input(const std::string& name) {
  for (const std::filesystem::path& file : inputs())
    if (file.filename() == name) return file.string();
  throw std::invalid_argument("no shipped input has the name " + name);
}

}  // namespace kurbel::test
