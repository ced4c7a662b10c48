/// @file
/// Finds starts whose velocities jump when the mechanism is moved by a little.
///
/// Velocities that are not given follow from those that are, by the least change (initial_conditions.hpp). In a chain
/// that begins stretched, bodies without given velocities cannot move its end along the chain, though they can next to
/// that position. Their velocities are quotients of small numbers there, and the start has no derivative by its
/// position.
#pragma once

#include <optional>
#include <string>

#include "floating_frame/multibody_system.hpp"

namespace kurbel {

/// Compares the initial velocities with those that the same given values make at a position next to the start, to
/// which the mechanism moves with its drives let go. Mechanisms of more than 500 coordinates are not examined.
/// @return a sentence that names the body that changes most, and what to do; nothing where velocities change by less
/// than a twentieth of the largest
std::optional<std::string> jump_of_velocities(const MultibodySystem<double>& system,
                                              const DaeInstant<double>& start);

}  // namespace kurbel
