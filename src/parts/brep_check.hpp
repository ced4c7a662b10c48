/// @file
/// Checks that a BREP file is complete. OpenCASCADE reads some that are cut off without end.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kurbel {

/// True if a file has the ending of a BREP file.
bool is_brep(const std::filesystem::path& path);

/// Checks the text of a BREP file: its first lines, that its sections are there, and as many shapes as it states.
/// @throws InputError with `file`, and its line where the fault has one
void check_brep(std::string_view text, const std::string& file);

}  // namespace kurbel
