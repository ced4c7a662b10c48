/// @file
/// The first steps of a motion, by which `kurbel check` knows what the mechanism is without moving it to the
/// end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "floating_frame/start_report.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// What was found by building a mechanism and making a few steps with it.
struct MotionTrial {
  /// By body: elements of the coarser mesh that stood for a large one; 0 for all others.
  std::vector<Eigen::Index> coarse_elements;
  std::vector<Eigen::Index> n_elastic;  ///< by body, elastic coordinates
  Eigen::Index n_state = 0;             ///< numbers that are stored for an instant
  StartReport start;                    ///< what the joints changed of the given start
  std::string fault;                    ///< of the constraints: singular or contradictory ones, by name
  std::string not_built;           ///< why a coarser mesh could not stand for the large one; empty: it could
  Status status;                   ///< of the reduction, the start or a step
  double reduction_seconds = 0.0;  ///< of the meshes as they were reduced
  double step_seconds = 0.0;       ///< mean over the steps made
  int n_steps = 0;                 ///< made
};

/// Builds the mechanism of a problem without cases at its start design and makes its first steps.
/// @param most_bytes  by least_memory(): a larger mesh is replaced by a coarser one of the same body
/// @throws InputError for what only the finite-element model can find out
MotionTrial try_motion(const Problem& problem, double most_bytes = 40e6);

}  // namespace kurbel
