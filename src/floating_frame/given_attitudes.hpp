/// @file
/// Attitudes at the start that follow from fixed joints.
#pragma once

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// Turns every body whose initial rotation is not stated, and which a joint that locks all six degrees of freedom connects to
/// the ground or to a body whose rotation is stated or was found in this way, so that the frames of the joint are parallel.
/// The correction of the start would find the same attitude only from less than a right angle: half a turn from it the locked
/// rotations are zero, too. Flexible bodies are taken without deformation. Unknown bodies and markers are passed over.
void turn_by_fixed_joints(SystemSpec& spec);

}  // namespace kurbel
