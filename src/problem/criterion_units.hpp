/// @file
/// In which unit a criterion is.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Of a term without its weight: "m", "(m/s)^2", "J s".
std::string unit_of(const Problem& problem, const CriterionTerm& term);

/// Of a sum; empty if its terms have several or none.
std::string unit_of(const Problem& problem, const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
