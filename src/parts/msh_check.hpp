/// @file
/// Checks that the nodes of the elements of a .msh file exist. Gmsh takes that for granted in its format 4.1, and ends the
/// program where it is not so.
#pragma once

#include <string>
#include <string_view>

namespace kurbel {

/// Checks the text of a file of format 4.1 in ASCII, with an element on each line as Gmsh writes it. Files of other formats pass.
/// @throws InputError with `file` and the line of an element whose node does not exist, or that is no list of numbers
void check_msh(std::string_view text, const std::string& file);

}  // namespace kurbel
