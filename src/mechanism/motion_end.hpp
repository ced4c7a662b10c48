/// @file
/// The quantities that scale with the end of the motion: nodes of controls and relative functions of time.
#pragma once

#include "mechanism/criterion_spec.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The mechanism whose motion ends at t1.
void set_end_of_motion(double t1, SystemSpec& spec);

/// Relative functions in a motion of the mechanism.
void follow_motion(const MotionTime& time, TimeFunctionPtr& function);
void follow_motion(const MotionTime& time, MarkerLoadSpec& load);
/// The term with its targets in that motion.
CriterionTerm in_motion(CriterionTerm term, const MotionTime& time);

}  // namespace kurbel
