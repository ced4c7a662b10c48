/// @file
/// Coordinates of markers in the inertial frame by name, "body.marker.x".
#pragma once

#include <string>
#include <vector>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The coordinates of markers among these names; other names end in tx, ry and the like.
std::vector<std::string> coordinates_of_markers(const std::vector<std::string>& names);

/// The mechanism with the negatives of these for its only constraints, in this order; its joints hold
/// nothing. What does not exist is for the model of it to find.
SystemSpec with_marker_coordinates(SystemSpec spec, const std::vector<std::string>& coordinates);

}  // namespace kurbel
