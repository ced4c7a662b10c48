/// @file
/// Options of an input file that says nothing, where they differ between problems.
#pragma once

#include "optimizers/optimizer.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Progress in ten iterations, relative, that ends an optimization of densities.
inline constexpr double progress_of_densities = 1e-4;

inline OptimizerOptions default_optimizer(const Problem& problem) {
  OptimizerOptions options;
  if (!problem.design.bodies.empty()) options.progress = progress_of_densities;
  return options;
}

}  // namespace kurbel
