/// @file
/// Torsion springs between half a turn back and half a turn forwards of their free angles.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// Whether the mechanism has torsion springs whose torque would jump at half a turn.
bool has_torsion_range(const SystemSpec& spec);

/// Shortens a motion to the states before the first one in which a torsion spring has passed half a turn from its free
/// angle: its torque jumps there from one sign to the other, and no derivative knows of the jump.
/// @param of_bodies   the motion as states of the bodies; it may be the same object
/// @param layout      of of_bodies
/// @param trajectory  its n_stored is reduced
/// @return a Failure with the spring and the time if there is such a state
Status end_at_half_turn(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                        const Trajectory<double>& of_bodies, Trajectory<double>& trajectory);

}  // namespace kurbel
