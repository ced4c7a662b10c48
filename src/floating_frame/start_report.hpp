/// @file
/// Corrections of a given start by the joints, in words.
#pragma once

#include <string>
#include <vector>

#include "floating_frame/multibody_system.hpp"

namespace kurbel {

struct StartReport {
  std::vector<std::string> redundant;    ///< constraints that others imply, in a sentence
  std::size_t n_redundant = 0;           ///< how many
  std::vector<std::string> corrections;  ///< of what was not given, or only in digits that were cut off
  std::vector<std::string> lost;         ///< given values that joints do not allow; velocities that jump
};

/// Constraints that others imply alone, as where the start fails.
StartReport report_redundant(const SystemSpec& spec);

/// The start of a mechanism beside what its bodies' InitialState says. Changes count from 1e-9 on, and as
/// lost from 1e-3 on: of the mechanism's size (its largest radius of gyration or distance of a body's mass
/// from its frame), in rad, of the largest velocities, or of 1e-5 rad/s where nothing moves faster. Where a
/// start in equilibrium is requested, positions that move to it are not counted.
/// @param start  position and velocity, as the joints made them
StartReport report_start(const MultibodySystem<double>& system, const DaeInstant<double>& start);

}  // namespace kurbel
