/// @file
/// Criteria that are the same in all cases, and count once in a sum over them.
#pragma once

#include "problem/problem.hpp"

namespace kurbel {

/// True if a term is the same number in all cases: a mass that no case changes.
bool is_in_common(const Problem& problem, const CriterionTerm& term);

/// Lets terms in common count once where psi_c of cases c are added, in the objective of each stage and in
/// constraints on a sum over cases: in sum_c w_c psi_c the first case bears such a term, with its weight divided by
/// w_c, and in the others its weight is zero.
void count_once(Problem& problem);

}  // namespace kurbel
