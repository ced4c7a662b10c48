/// @file
/// Units of criteria.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Unit of a term without its weight: "m", "(m/s)^2", "J s".
std::string unit_of(const Problem& problem, const CriterionTerm& term);

/// Unit of a sum; empty if its terms have several or none.
std::string unit_of(const Problem& problem, const std::vector<CriterionTerm>& terms);

/// Unit of a derivative: "N/(m/s)", "1/m"; empty units are those of plain numbers.
std::string unit_of_derivative(const std::string& of, const std::string& by);

}  // namespace kurbel
