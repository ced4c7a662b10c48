/// @file
/// Steps of a mechanism whose independent coordinates may be those of markers.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/dae_steps.hpp"

namespace kurbel {

/// make_dae_steps(); by Matrix R also with `options.independent` of markers
/// (mechanism/marker_coordinates.hpp).
/// @throws IndependentCoordinates for a body or a marker that does not exist, too
template <class Scalar>
std::unique_ptr<DaeSteps<Scalar>> make_steps(const MultibodySystem<Scalar>& system,
                                             const IntegratorOptions& options);

}  // namespace kurbel
