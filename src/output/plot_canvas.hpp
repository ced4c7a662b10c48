/// @file
/// Lines, texts and axes drawn into memory, with PLplot and without a display.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "output/plot_axis.hpp"
#include "output/png_file.hpp"

namespace kurbel {

/// Text with `_12` and `^-3` as subscript and superscript digits; other characters stay.
std::string typeset(const std::string& text);

/// A white sheet. Lengths are pixels, points are counted from the lower left corner. PLplot's state is
/// global: a second canvas waits until the first is gone.
class PlotCanvas {
 public:
  static constexpr double font = 25.0;          ///< size of letters
  static constexpr double glyph = 0.68 * font;  ///< ample mean width of a character

  PlotCanvas(int width, int height);
  ~PlotCanvas();
  PlotCanvas(const PlotCanvas&) = delete;
  PlotCanvas& operator=(const PlotCanvas&) = delete;

  /// True if PLplot's cairo driver is installed; without it, no canvas can be made.
  static bool is_available();

  /// For all that follows.
  void pen(const Color& color, double width) const;
  void dashes(double mark, double space) const;
  void solid() const;

  void line(const std::vector<double>& x, const std::vector<double>& y) const;
  /// Filled with white.
  void circle(double x, double y, double radius, const Color& color) const;
  /// @param anchor  0: the text starts at (x, y), 0.5: it is centred there, 1: it ends there
  void text(double x, double y, double anchor, const std::string& text) const;
  void text_upwards(double x, double y, const std::string& text) const;
  /// Grid lines, then the frame with ticks and their numbers; those of x only if requested.
  void axes(const PlotAxis& x, const PlotAxis& y, bool x_numbers, const Color& grid,
            const Color& frame) const;

  /// The picture; nothing can be added afterwards.
  RgbImage image();

 private:
  void logarithmic_marks(const PlotAxis& axis, const PlotAxis& other, bool is_x, bool numbers,
                         const Color& grid, const Color& frame) const;

  std::lock_guard<std::mutex> lock_;
  int width_, height_;
  std::vector<std::uint8_t> bytes_;  ///< row by row from above
};

}  // namespace kurbel
