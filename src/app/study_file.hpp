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
/// then their second ones; a Latin hypercube has `samples` values between the two bounds of each key, numbers or both with the same unit, one in each of as many
/// equal parts, in an order that `seed` determines.
/// @throws InputError with file, line and key
StudyFile read_study_file(const std::string& file);

/// The share of the variants that a process runs: every n-th, from the k-th on.
struct StudyShare {
  std::size_t k = 1, n = 1;

  /// Returns how many of all variants are in the share.
  std::size_t n_of(std::size_t n_variants) const { return (n_variants + n - k) / n; }
};

/// @param text  "K/N", or empty for all variants
/// @throws InputError if it is neither
StudyShare share_of_study(const std::string& text);

}  // namespace kurbel
