/// @file
/// Stages and steps of an optimization, each from the end of the one before.
#pragma once

#include "problem/problem.hpp"

namespace kurbel {

/// A stage, or, where the densities are sharpened, one step of that.
struct StageStep {
  std::size_t stage = 0;      ///< index in Problem::stages()
  int number = 1, count = 1;  ///< of the steps of its stage
  double steepness = 0.0;     ///< beta of the projection; 0: there is none
  OptimizerOptions optimizer;

  bool is_first() const { return number == 1; }
  bool is_last() const { return number == count; }
};

/// The stages of a problem. With a projection a stage has several steps, between which beta doubles until it is
/// `beta_max`. A step before the last one ends after `beta_interval` iterations, or as soon as five iterations improve
/// the objective by less than half a per cent. The iterations of a stage count together: its limit holds for their sum.
/// A stage that varies controls alone has one step, with the beta that was reached before.
std::vector<StageStep> sequence_of(const Problem& problem);

}  // namespace kurbel
