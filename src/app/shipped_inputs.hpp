/// @file
/// The input files that come with the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

struct ShippedInput {
  std::filesystem::path
      file;             ///< within the folder of the examples: "flexible_crank.toml", "cranks/four_bar.toml"
  std::string purpose;  ///< first sentence of the comment at its head, or its title

  /// The name by which `kurbel new` knows it: that of the file without folder and ".toml".
  std::string name() const { return file.stem().string(); }
};

/// The folder of the shipped inputs: of the installation that the running program belongs to, or of the sources beside
/// its build folder.
/// @throws InputError if neither exists
std::filesystem::path examples_folder();

/// All problem files of a folder, then those of its folders, by name.
std::vector<ShippedInput> shipped_inputs(const std::filesystem::path& folder);

/// The first sentence of the comment at the head of a problem file; its title if it has no such comment; else nothing.
std::string purpose_of_input(const std::string& text);

}  // namespace kurbel
