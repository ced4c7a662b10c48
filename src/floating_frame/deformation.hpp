/// @file
/// Deformations relative to the size of a body: displacements are linear in the elastic coordinates, which
/// holds as long as they are small.
#pragma once

#include <vector>

#include "floating_frame/multibody_system.hpp"
#include "integration/generalized_alpha.hpp"

namespace kurbel {

struct Deformation {
  std::size_t body = 0;
  double ratio = 0.0;  ///< of the root mean square of displacements over the mass to the radius of gyration
                       ///< about the reference frame: sqrt(q^T Me q / m) / sqrt(tr J / (2 m))
  double time = 0.0;   ///< s, at which it is largest
};

/// Finds the largest deformation of every flexible body at the stored instants from `first` up to, not with, `end`.
std::vector<Deformation> largest_deformations(const MultibodySystem<double>& system,
                                              const DaeStateLayout& layout,
                                              const Trajectory<double>& trajectory, Eigen::Index first,
                                              Eigen::Index end);

}  // namespace kurbel
