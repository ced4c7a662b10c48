/// @file
/// Faults of an input that only its motion shows, or the answer to its question without time.
#pragma once

#include "analysis/body_question.hpp"
#include "plausibility/body_trial.hpp"

namespace kurbel {

/// "body crank: first frequency 835 Hz, last kept 6.2e+04 Hz", with those of the drives; a line per body.
std::vector<std::string> frequencies_of(const Problem& problem, const std::vector<BodyTrial>& bodies);

/// Bodies that bend too far, that a drive excites, that vibrate faster than the steps resolve, not at all, or
/// because they start undeformed in a motion, and bounds that the start is far from: a sentence for each, with file, line and key.
std::vector<std::string> implausible_motion_of(const Problem& problem, const std::vector<BodyTrial>& bodies,
                                               const VectorXd& criteria);

/// Bounds of the answer to a question without time that its value at the start is orders of magnitude from.
/// @param criteria  values of the constraints on criteria
std::vector<std::string> implausible_bounds_at_rest(const Problem& problem, const VectorXd& criteria);

/// Bodies that bend too far under loads at rest: a sentence for each, with file, line and key.
std::vector<std::string> implausible_displacements(const Problem& problem, const BodyAnswer& answer);

}  // namespace kurbel
