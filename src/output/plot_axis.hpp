/// @file
/// The numbers along an axis of a plot.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace kurbel {

/// A mark of a logarithmic axis; without a label it is a small one.
struct PlotTick {
  double pixel;
  std::string label;
};

/// Numbers from low to high, times `unit` = 10^exponent, over pixels.
struct PlotAxis {
  double low = 0.0, high = 1.0, step = 0.2;  ///< step: between ticks
  bool logarithmic = false;  ///< low and high then are decimal logarithms, and step has no meaning
  int exponent = 0;          ///< a multiple of 3; 0 if the numbers need none
  double unit = 1.0;
  double first_pixel = 0.0, last_pixel = 1.0;

  /// Tells whether the value can be drawn: a finite number, on a logarithmic axis at least its lowest one.
  bool has(double value) const;
  double at(double value) const;
  /// Marks at 1, 2, ..., 9 times powers of ten; labels at 1, 2 and 5 times, or beyond three decades at the powers.
  std::vector<PlotTick> logarithmic_ticks() const;
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
  /// A logarithmic axis of positive values, from and to 1, 2 or 5 times a power of ten. Without values, one decade.
  PlotAxis logarithmic_axis() const;
  /// The same, from the lowest value to the highest one, which differ.
  PlotAxis exact_logarithmic_axis() const;
  /// Degrees, from and to a multiple of 45 with 9 degrees to spare.
  PlotAxis axis_of_degrees() const;
};

}  // namespace kurbel
