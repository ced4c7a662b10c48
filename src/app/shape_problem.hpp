/// @file
/// The problem that `kurbel optimize --shape` solves: the surface of a result moves in the mechanism that it was designed in.
#pragma once

#include "app/command_line.hpp"
#include "keys/toml_document.hpp"

namespace kurbel {

/// Meshes the shapes of a result, and makes the offsets of their surfaces variables in place of the densities. A bound on the
/// volume fraction becomes the same bound on the volume, at most that of the shapes. Other variables go on from where they ended.
/// @param args  its `shape` is the folder of the run; its overrides are laid over the problem
/// @throws InputError       if there is no result in the folder
/// @throws ShapeFailure     if a shape cannot be meshed
TomlDocument shape_problem(const CommandLine& args);

}  // namespace kurbel
