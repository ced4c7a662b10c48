/// @file
/// Torsion springs and stops of hinges, and loads over angles, within half a turn of the angle about which they take that of
/// their hinge.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// True if the mechanism has torsion springs or stops whose torque would jump at half a turn, or loads that would.
bool has_torsion_range(const SystemSpec& spec);

/// Shortens a motion to the states before the first one in which a torsion spring has passed half a turn from its free
/// angle, a stop half a turn from the middle of its limits, or the angle of a load half a turn from that of its table: there
/// it jumps, and no derivative knows of the jump.
/// @param of_bodies   the motion as states of the bodies; it may be the same object
/// @param layout      of of_bodies
/// @param trajectory  its n_stored is reduced
/// @return a Failure with the spring, stop or load and the time if there is such a state
Status end_at_half_turn(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                        const Trajectory<double>& of_bodies, Trajectory<double>& trajectory);

}  // namespace kurbel
