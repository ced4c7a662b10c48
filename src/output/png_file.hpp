/// @file
/// Pictures of coloured pixels as .png files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace kurbel {

using Color = std::array<std::uint8_t, 3>;       ///< red, green, blue
inline constexpr Color paper = {255, 255, 255};  ///< of every picture

/// width * height pixels, row by row from below.
struct RgbImage {
  int width = 0, height = 0;
  std::vector<Color> pixels;
};

/// Writes the picture, atomically.
/// @throws WriteError if the file cannot be written
void write_png(const std::filesystem::path& path, const RgbImage& image);

}  // namespace kurbel
