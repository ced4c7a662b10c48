/// @file
/// Faults of an input that only its motion shows.
#pragma once

#include "app/motion_trial.hpp"

namespace kurbel {

/// "body crank: first frequency 835 Hz, last kept 6.2e+04 Hz", with those of the drives; a line per body.
std::vector<std::string> frequencies_of(const Problem& problem, const MotionTrial& trial);

/// Bodies that bend too far, that a drive excites, that vibrate faster than the steps resolve or not at all, and
/// bounds that the start is far from: a sentence for each, with file, line and key.
std::vector<std::string> implausible_motion_of(const Problem& problem, const MotionTrial& trial);

}  // namespace kurbel
