/// @file
/// Options of an input file that says nothing, where they differ between problems.
#pragma once

#include "optimizers/optimizer.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Progress in ten iterations, relative, that ends an optimization of densities.
inline constexpr double progress_of_densities = 1e-4;

inline OptimizerOptions default_optimizer(Formulation formulation) {
  OptimizerOptions options;
  if (formulation == Formulation::absolute_coordinates) {
    options.method = "ipopt";
    options.max_iterations = 500;
    options.design_change = 0.0;
    options.feasibility = 1e-8;
  }
  return options;
}

inline OptimizerOptions default_optimizer(const Problem& problem) {
  OptimizerOptions options = default_optimizer(problem.formulation);
  if (!problem.design.bodies.empty()) options.progress = progress_of_densities;
  return options;
}

inline OutputOptions default_output(Formulation formulation) {
  OutputOptions options;
  if (formulation == Formulation::absolute_coordinates) options.motion_frames = 100;
  return options;
}

}  // namespace kurbel
