/// @file
/// Options of an input file that says nothing, where they differ between problems.
#pragma once

#include "optimizers/optimizer.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Progress in ten iterations, relative, that ends an optimization of densities.
inline constexpr double progress_of_densities = 1e-4;

/// Change of every variable that ends an optimization without densities: few numbers, which are wanted precisely.
inline constexpr double change_of_numbers = 5e-4;

/// Iterations of MMA for numbers alone whose long steps look for the region of the optimum. Numbers of a mechanism depend on each
/// other, which its separable approximations do not see: it then goes on with the curvature of the last steps.
inline constexpr int iterations_of_long_steps = 10;

inline OptimizerOptions default_optimizer(const Problem& problem) {
  OptimizerOptions options;
  if (problem.design.bodies.empty()) {
    options.design_change = change_of_numbers;
    options.curvature_after = iterations_of_long_steps;
  } else {
    options.progress = progress_of_densities;
  }
  return options;
}

}  // namespace kurbel
