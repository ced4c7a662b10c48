/// @file
/// Inputs with other values, and what `kurbel check` says of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel::test {

inline std::string user_problem(const std::string& name) {
  return std::string(KURBEL_SOURCE_DIR) + "/tests/user_problems/" + name;
}

/// An input with other values, and the key and words of the warning.
struct Variant {
  const char* what;
  const char* file;
  std::vector<const char*> overrides;
  const char* key;
  const char* words;
};

inline std::string file_of(const Variant& variant) {
  const bool is_shipped = std::ranges::any_of(
      inputs(), [&](const std::filesystem::path& file) { return file.filename() == variant.file; });
  return is_shipped ? input(variant.file) : user_problem(variant.file);
}

inline Outcome check(const Variant& variant, const std::string& options = "") {
  std::string command = "check " + file_of(variant) + options;
  for (const char* text : variant.overrides) command += fmt::format(" --set '{}'", text);
  return run(command);
}

}  // namespace kurbel::test
