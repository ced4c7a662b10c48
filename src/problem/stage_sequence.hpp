/// @file
/// What is optimized one after the other, each from the end of the one before.
#pragma once

#include "problem/problem.hpp"

namespace kurbel {

/// A stage, or, where the densities are sharpened, one step of that.
struct StageStep {
  std::size_t stage = 0;      ///< place in Problem::stages()
  int number = 1, count = 1;  ///< of the steps of its stage
  double steepness = 0.0;     ///< beta of the projection; 0: there is none
  OptimizerOptions optimizer;

  bool is_first() const { return number == 1; }
  bool is_last() const { return number == count; }
};

/// The stages of a problem; with a projection each in steps of `beta_interval` iterations, between which beta
/// doubles until it is `beta_max`, for all iterations that are left.
std::vector<StageStep> sequence_of(const Problem& problem);

}  // namespace kurbel
