/// @file
/// Options of an input file that says nothing, where they differ between formulations.
#pragma once

#include "optimizers/optimizer.hpp"
#include "problem/problem.hpp"

namespace kurbel {

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

inline OutputOptions default_output(Formulation formulation) {
  OutputOptions options;
  if (formulation == Formulation::absolute_coordinates) options.motion_frames = 100;
  return options;
}

}  // namespace kurbel
