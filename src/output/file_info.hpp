/// @file
/// What an HDF5 file of ours or a SID text holds, in plain words: `kurbel info FILE`.
#pragma once

#include <filesystem>
#include <string>

namespace kurbel {

/// Origin of the file, its bodies (describe_sid), and of a run: status, iterations, the last row of the
/// history, evaluations, trajectory, densities.
/// @throws InputError if the file cannot be read or is not one of ours
std::string describe_file(const std::filesystem::path& path);

}  // namespace kurbel
