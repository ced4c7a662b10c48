/// @file
/// A trial of a run, by which `kurbel check` knows what the mechanism is, how it moves and how long a run takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run_times.hpp"
#include "floating_frame/start_report.hpp"
#include "plausibility/body_trial.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Findings from building a mechanism and moving it.
struct MotionTrial {
  /// Elements of the coarser mesh that replaced a large one, by body; 0 for all others.
  std::vector<Eigen::Index> coarse_elements;
  std::vector<Eigen::Index> n_elastic;  ///< by body, elastic coordinates
  Eigen::Index n_state = 0;             ///< numbers that are stored for an instant
  StartReport start;                    ///< what the joints changed of the given start
  std::string fault;                    ///< of the constraints: singular or contradictory ones, by name
  std::string not_built;  ///< why a coarser mesh could not stand for the large one; empty: it could
  Status status;          ///< of the reduction, the start, a step or a gradient
  int n_steps = 0;        ///< made; fewer than a run has where all of them would take long
  RunTimes times;         ///< of a run with the meshes of the problem
  std::vector<BodyTrial> deforming;  ///< bodies with elastic coordinates
  VectorXd criteria;  ///< of the constraints on criteria, at the start design; empty: not found
};

/// Builds the mechanism of a problem without cases at its start design, moves it, for about two seconds at most, and
/// finds its gradients. Files that it writes to know their time are temporary.
/// @param most_bytes  by least_memory(): a larger mesh is replaced by a coarser one of the same body
/// @throws InputError for what only the finite-element model can find out
MotionTrial try_motion(const Problem& problem, double most_bytes = 40e6);

}  // namespace kurbel
