/// @file
/// How the criteria of [constraints] become rows of a nonlinear program.
#pragma once

#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// g = scale (value - bound): zero for an equality, at most zero else. The scale is the given one, or one
/// over the size of the bound, or one for a bound of zero; with a minus sign for a lower bound.
struct CriterionRow {
  std::size_t criterion;
  Eigen::Index row;
  double scale, bound;
};

/// Rows of the criteria: equalities first, then the bounds on volume and mass, for which there is room, then
/// upper and lower bounds by criterion.
std::vector<CriterionRow> criterion_rows(const ConstraintOptions& options);

}  // namespace kurbel
