/// @file
/// What the joints made of a start as it was given, in words.
#pragma once

#include <string>
#include <vector>

#include "mechanism/system_spec.hpp"

namespace kurbel {

struct StartReport {
  std::vector<std::string> set_aside;    ///< constraints that others imply
  std::vector<std::string> corrections;  ///< of what was not given, or only in digits that were cut off
  std::vector<std::string> lost;         ///< given values that the joints do not allow
};

/// The start of a mechanism beside what its bodies' InitialState says. Changes count from 1e-9 on, and as
/// lost from 1e-3 on: of the mechanism's size (its largest radius of gyration or distance of a body's mass
/// from its frame), in rad, of the largest velocities. Where a start in equilibrium is asked for, positions
/// that move to it are not counted.
/// @return nothing of those if the start fails
StartReport report_start(const SystemSpec& spec, double t0);

}  // namespace kurbel
