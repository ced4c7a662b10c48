/// @file
/// What `kurbel info` tells of a file, as numbers for programs.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace kurbel {

/// The content of describe_file (output/file_info.hpp): of each body mass, centre_of_mass, inertia, principal
/// moments, frequencies, modal_masses, markers, identities (violation, tolerance, holds) and the definiteness
/// of its mass matrix; of a run status, the last row of the history and the number of evaluations. SI units.
/// @throws InputError as describe_file
nlohmann::json info_numbers(const std::filesystem::path& path);

}  // namespace kurbel
