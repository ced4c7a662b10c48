/// @file
/// Seconds of the parts of a run, measured by a run that writes into a folder of its own and removes it.
#pragma once

#include "study/study.hpp"

namespace kurbel {

/// Seconds of a whole run, some of them scaled from fewer steps, frames or elements.
struct RunTimes {
  double start = 0.0;  ///< bodies and mechanism, before the first evaluation
  ChainTimes evaluation;
  double files = 0.0;         ///< of a simulation: histories, pictures, the moving mechanism
  double share = 1.0;         ///< of the steps of the motion that was simulated
  bool has_gradient = false;  ///< evaluation.adjoint and .pullback were measured

  double simulation() const { return start + evaluation.reduction + evaluation.simulation + files; }
  double one_evaluation() const {
    return evaluation.reduction + evaluation.simulation + evaluation.adjoint + evaluation.pullback;
  }
};

/// The problem with so many steps, its instants moved along.
Problem with_steps(Problem problem, int n_steps);

/// Writes what a simulation writes of this result, into a folder that is there for this alone. Without room for files their
/// time is not known, and stays 0.
Status time_files(Study& study, ChainResult& result, RunTimes& times);

/// Simulates a reduced design, finds its gradients where something varies, and writes what a simulation writes.
/// @param result  of EvaluationChain::reduce(); its motion and values are found
Status time_run(Study& study, ChainResult& result, RunTimes& times);

}  // namespace kurbel
