/// @file
/// `kurbel gradient` of a mechanism whose bodies come from augmented SID files: no mesh is needed
/// [P0, section 3].
#pragma once

#include <optional>
#include <vector>

#include "app/command_line.hpp"
#include "problem/problem.hpp"
#include "sid/augmented_sid.hpp"

namespace kurbel {

/// The files of the bodies of type "sid" that have derivatives; one per body of the problem.
/// @throws InputError if one cannot be read
std::vector<std::optional<AugmentedSid>> augmented_files(const Problem& problem);

/// Simulates, solves the adjoint once, and contracts it with the derivatives in the files; writes
/// gradient.csv. Returns the exit code.
/// @throws InputError if there is no objective, or options are given that need a mesh
int run_gradient_of_files(const CommandLine& args, const Problem& problem,
                          const std::vector<std::optional<AugmentedSid>>& files);

}  // namespace kurbel
