/// @file
/// An unstructured grid as a VTK file has it. Both readers check every number of the file before they use it, because
/// VTK's own readers trust what a file says of itself and crash on damaged ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kurbel {

struct VtkGrid {
  std::vector<double> points;       ///< x, y, z of each node
  std::vector<std::int64_t> nodes;  ///< of all elements, one behind the other
  std::vector<std::int64_t> ends;   ///< index in `nodes` behind the last node of each element
  std::vector<std::int64_t> types;  ///< VTK's number of the type of each element
};

/// @param first_element  number of the first of these elements in messages
/// @throws InputError, with the file and an element, unless each element has a type and nodes that exist
void require_consistent(const VtkGrid& grid, std::size_t first_element, const std::string& file);

/// Grid of a .vtu file: text, base64 or appended data, compressed or not, in one or several pieces.
/// @param file  names the file in messages
/// @throws InputError, with file and line, if the file is damaged or no unstructured grid
VtkGrid read_vtk_xml(std::string_view text, const std::string& file);

/// Grid of a legacy .vtk file, as text or binary, of all versions up to 5.1.
/// @throws InputError, with file and line or section, if the file is damaged or no unstructured grid
VtkGrid read_vtk_legacy(std::string_view text, const std::string& file);

}  // namespace kurbel
