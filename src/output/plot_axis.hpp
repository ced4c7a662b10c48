/// @file
/// The numbers along an axis of a plot.
#pragma once

#include <limits>
#include <string>

namespace kurbel {

/// Numbers from low to high, times `unit` = 10^exponent, over pixels.
struct PlotAxis {
  double low = 0.0, high = 1.0, step = 0.2;  ///< step: between ticks
  int exponent = 0;                          ///< a multiple of 3; 0 if the numbers need none
  double unit = 1.0;
  double first_pixel = 0.0, last_pixel = 1.0;

  double at(double value) const {
    return first_pixel + (value / unit - low) / (high - low) * (last_pixel - first_pixel);
  }
  /// "×10^6"; empty if the exponent is 0.
  std::string factor() const;
  /// Characters of the longest number at a tick.
  double label_length() const;
};

/// The smallest and the largest of the finite values that were included.
struct PlotSpan {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void include(double value);

  /// Without values, an axis from 0 to 1; around a single one, half of it on either side.
  /// @param margin  left free on either side, as a fraction of the extent
  PlotAxis axis(double margin) const;
};

}  // namespace kurbel
