/// @file
/// A field on a structured mesh as a picture, drawn without a display.
#pragma once

#include <array>
#include <filesystem>

#include "base/types.hpp"

namespace kurbel {

/// Elements numbered x fastest, then y, then z; in 2D the third division is 1.
struct StructuredField {
  std::array<int, 3> divisions = {1, 1, 1};
  Vector3d size = Vector3d::Ones();  ///< edge lengths of the whole mesh, m; in 2D the third is ignored
  const VectorXd* values = nullptr;  ///< one per element; not owned
};

struct ImageOptions {
  int length = 1600;  ///< of the longer side of the mesh, pixels; rounded to whole pixels per element
  int margin = 12;    ///< white space around the frame, pixels
};

/// Density as grey levels: white for 0, nearly black for 1, values outside are clipped. Seen along z, or in
/// 3D along the shortest edge as the mean over that direction; the second of the two axes that remain points
/// upwards.
/// @throws InputError if a value is not finite, their number is not that of the elements, or the file cannot
/// be written
void write_density_png(const std::filesystem::path& path, const StructuredField& density,
                       const ImageOptions& options = {});

/// A signed field in blue (negative), white and red (positive). The colours saturate at the 98th percentile
/// of the absolute values, since sensitivities peak sharply at joints and clamps.
void write_signed_png(const std::filesystem::path& path, const StructuredField& field,
                      const ImageOptions& options = {});

}  // namespace kurbel
