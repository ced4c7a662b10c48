/// @file
/// The files that keys of a problem name, which no run may replace.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Standard input data, parts, time histories, densities and variables to start from; not the input itself.
std::vector<std::filesystem::path> named_files(const Problem& problem);

/// Files of time histories, by the keys that name them: those beside a key `column`.
std::map<std::string, std::filesystem::path> files_of_columns(const TomlDocument& document);

}  // namespace kurbel
