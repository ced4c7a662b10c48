/// @file
/// A check that a mechanism starts, and is loaded, in the plane z = 0 or planes parallel to it.
#pragma once

#include <optional>
#include <string>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The key of the first part of a mechanism that does not stay in its plane for what it is itself, like
/// "bodies.rod.initial.rotation"; of joints, their constraints tell.
std::optional<std::string> out_of_plane(const SystemSpec& spec);

}  // namespace kurbel
