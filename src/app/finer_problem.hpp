/// @file
/// The problem that `kurbel optimize --finer` solves: that of a run on meshes of half the edge, from its result.
#pragma once

#include "app/command_line.hpp"
#include "keys/toml_document.hpp"

namespace kurbel {

/// Refines the meshes of a run, and starts at its design, whose density variables every new element takes from the one whose
/// centre is nearest. The radius of the filter stays, in m, and the projection begins with the steepness that it ended with. Other
/// variables go on from where they ended. Writes the start into the run, finer.vtu.
/// @param args  its `finer` is the folder of the run; its overrides are laid over the problem
/// @throws InputError if there is no result in the folder, no densities vary, or a mesh cannot become finer
TomlDocument finer_problem(const CommandLine& args);

}  // namespace kurbel
