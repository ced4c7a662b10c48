/// @file
/// A check that the tyres of a mechanism remain where the height of the road is given.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// Centre of the wheel of a tyre, m.
/// @param wheel  its marker
Vector3d wheel_centre(const MultibodySystem<double>& system, const MarkerPlace& wheel,
                      const Eigen::Ref<const VectorXd>& x);

/// True if the mechanism has tyres on a road whose table ends.
bool has_end_of_road(const SystemSpec& spec);

/// Shortens a motion to the states before the first one in which a tyre is beyond the table of the road.
/// @param of_bodies   the motion as states of the bodies; it may be the same object
/// @param layout      of of_bodies
/// @param trajectory  its n_stored is reduced
/// @return a Failure with the tyre, x and the time if there is such a state
Status end_with_road(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                     const Trajectory<double>& of_bodies, Trajectory<double>& trajectory);

}  // namespace kurbel
