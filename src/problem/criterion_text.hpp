/// @file
/// A criterion in words.
#pragma once

#include <string>
#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// The word of inputs for a functional: "p-norm".
const std::string& word_of(TimeFunctional functional);

/// "norm 3, in J/m"; the text alone without a unit.
std::string with_unit(const std::string& text, const std::string& unit);

/// "integral of compliance of crank", "final half of the square of position of arm.tip less its target",
/// "40 times mass of forearm".
std::string text_of(const CriterionTerm& term, Analysis analysis = Analysis::motion);

/// Combination of the objectives of the cases: "the sum over 2 cases, each times its weight"; empty without cases.
std::string text_of_cases(const Problem& problem);

/// Warns of objectives that a number less its target enters with its sign: they are least below the target, not at it.
/// There is no warning where `form` says so, or where `component` does.
std::vector<std::string> warnings_of_signed_targets(const Problem& problem);

/// A sum in words: one line of its only term with its unit, or one that counts the terms and one for each.
std::vector<std::string> lines_of(const Problem& problem, const std::vector<CriterionTerm>& terms);

}  // namespace kurbel
