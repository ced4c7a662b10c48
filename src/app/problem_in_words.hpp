/// @file
/// A problem in sentences.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Tells bodies, joints, drives and forces, the time of the motion, the objective, and the constraints with their bounds.
std::vector<std::string> problem_in_words(const Problem& problem);

}  // namespace kurbel
