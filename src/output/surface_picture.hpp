/// @file
/// The surfaces of a part with their numbers, drawn without a display.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/png_file.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

/// Faces of a solid, or edges of a plane part.
struct NumberedSurfaces {
  UnstructuredGrid grid;              ///< triangles and quadrilaterals, also quadratic ones, or lines
  std::vector<int> numbers;           ///< of the surface of each cell, from 1
  std::vector<std::string> legend{};  ///< texts above the picture, such as which surfaces are cylinders
};

/// A number and its place in the picture, pixels from the lower left corner.
struct SurfaceLabel {
  int number = 0;
  double x = 0.0, y = 0.0;
};

/// Draws a solid from two opposite sides, lit from the viewer, each surface in a colour of its own with its number where it
/// is seen best; a plane part from above. Surfaces that no side sees have no number.
/// Without PLplot's cairo driver numbers, edges and the legend are missing.
/// @param length  of the longest side of a view, pixels
/// @return the numbers that were drawn
/// @throws WriteError if the file cannot be written
std::vector<SurfaceLabel> write_surfaces_png(const std::filesystem::path& path,
                                             const NumberedSurfaces& surfaces, int length = 1200);

}  // namespace kurbel
