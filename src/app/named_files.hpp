/// @file
/// The files that keys of a problem name, which no run may replace.
#pragma once

#include <filesystem>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Standard input data, parts, densities and variables to start from; not the input itself.
std::vector<std::filesystem::path> named_files(const Problem& problem);

}  // namespace kurbel
