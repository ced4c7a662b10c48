/// @file
/// Steps in joint coordinates whose independent coordinates may be those of markers.
#pragma once

#include "integration/dae_steps.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"

namespace kurbel {

/// Makes the steps, as floating_frame/make_steps.hpp does for bodies.
template <class Scalar>
std::unique_ptr<DaeSteps<Scalar>> make_steps(const JointCoordinateSystem<Scalar>& system,
                                             const IntegratorOptions& options);

}  // namespace kurbel
