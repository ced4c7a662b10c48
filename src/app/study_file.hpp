/// @file
/// A file of `kurbel study`: one problem, and what of it varies.
///
///     problem = "flexible_crank.toml"     # from this file's folder
///     command = "optimize"                # or "simulate"
///     sampling = "grid"                   # or "list", "latin-hypercube"
///     [study]
///     "constraints.volume_fraction" = [0.3, 0.4, 0.5]
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

struct StudyFile {
  std::filesystem::path problem;  ///< absolute
  std::string command = "optimize";
  std::vector<std::string> keys;                  ///< key paths that vary, in the order of the file
  std::vector<std::vector<std::string>> samples;  ///< of each variant, a TOML value per key
};

/// Reads and checks a study. Grids have every combination, the last key fastest; lists take their first values together,
/// then their second ones; a Latin hypercube has `samples` values between the two bounds of each key, one in each of as many
/// equal parts, in an order that `seed` determines.
/// @throws InputError with file, line and key
StudyFile read_study_file(const std::string& file);

}  // namespace kurbel
