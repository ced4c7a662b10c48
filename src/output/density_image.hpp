/// @file
/// A field on a mesh as a picture with axes, drawn without a display.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/mesh_view.hpp"

namespace kurbel {

struct ImageOptions {
  std::string title{};
  int length = 1600;  ///< of the longest side that is seen, pixels; whole pixels per element
};

/// The place of a view in its picture, pixels from the lower left corner.
struct ViewPlace {
  int left = 0, bottom = 0, width = 0, height = 0;
};

/// A picture of a field or a surface.
struct FieldPicture {
  int width = 0, height = 0;
  std::vector<ViewPlace> views;
};

/// Densities on a flat mesh with axes in mm or m, a scale bar and the title: grey levels with their colour bar, white
/// for 0, nearly black for 1, values outside are clipped; x to the right and y upwards; where cells lie on each other the
/// largest. Without PLplot's cairo driver the view alone.
/// @throws InputError if a value is not finite, their number is not that of the elements, or the file cannot
/// be written
FieldPicture write_density_png(const std::filesystem::path& path, const MeshField& density,
                               const ImageOptions& options = {});

/// The surface of a solid, with the same axes, scale bar and title: from above (x to the right, y upwards), below it from the
/// front (x, z), and beside that from the right (y, z).
/// @param space  in which it was designed: what the axes show
/// @throws InputError if the file cannot be written
FieldPicture write_solid_png(const std::filesystem::path& path, const Surface& surface, const MeshBox& space,
                             const ImageOptions& options = {});

/// A signed field in blue (negative), white and red (positive), in 3D its mean along the shortest edge. The
/// colours saturate at the 98th percentile of the absolute values, since sensitivities peak sharply at joints
/// and clamps.
FieldPicture write_signed_png(const std::filesystem::path& path, const MeshField& field,
                              const ImageOptions& options = {});

}  // namespace kurbel
