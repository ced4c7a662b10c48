/// @file
/// Checks that a STEP file is complete. The CAD library behind Gmsh takes that for granted, and ends the program where an
/// entity refers to one that does not exist, or to one of another kind.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kurbel {

/// True if a file has the ending of a STEP file.
bool is_step(const std::filesystem::path& path);

/// Checks the text of a file of ISO 10303-21: its first and last line, that no number is given to two entities, that every
/// entity that is referred to is there and of the kind that shapes need, and that no kind is misspelled.
/// @throws InputError with `file`, and its line where the fault has one
void check_step(std::string_view text, const std::string& file);

}  // namespace kurbel
