/// @file
/// The files of an input.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

/// The file and those that it includes, directly or not: all that TomlDocument::read() reads.
/// @throws InputError as that does
std::vector<std::filesystem::path> toml_sources(const std::string& file);

}  // namespace kurbel
