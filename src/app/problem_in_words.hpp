/// @file
/// A problem in sentences.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// What moves, by what it is connected and driven, over which time, what is sought within which bounds.
std::vector<std::string> problem_in_words(const Problem& problem);

}  // namespace kurbel
