/// @file
/// Where on the outline of a section a function of its point is largest.
#pragma once

#include <cmath>
#include <numbers>
#include <utility>

#include "elements/cross_section.hpp"

namespace kurbel {

/// (y, z) over half of the section's extent.
using SectionPoint = std::pair<double, double>;

/// Samples of an outline; rectangles have a corner at every fourth one.
inline constexpr int outline_samples = 16;

/// The point at u in [0, outline_samples), periodic; rectangular outlines are straight between corners.
inline SectionPoint point_of_outline(SectionShape shape, double u) {
  if (shape == SectionShape::circle || shape == SectionShape::tube) {
    const double angle = 2.0 * std::numbers::pi * u / outline_samples;
    return {std::cos(angle), std::sin(angle)};
  }
  constexpr int per_side = outline_samples / 4;
  const double around = u - outline_samples * std::floor(u / outline_samples);
  const int side = std::min(static_cast<int>(around) / per_side, 3);
  const double along = 2.0 * (around - per_side * side) / per_side - 1.0;
  switch (side) {
    case 0:
      return {along, -1.0};
    case 1:
      return {1.0, along};
    case 2:
      return {-along, 1.0};
    default:
      return {-1.0, -along};
  }
}

/// The largest of the samples, and from there by golden section to where f is largest, at which its derivative along
/// the outline vanishes, unless that is a corner.
/// @param f  of a SectionPoint
template <class Function>
SectionPoint largest_on_outline(SectionShape shape, const Function& f) {
  constexpr double near = 1e-4, golden = 0.61803398874989484820;
  constexpr int iterations = 38;  // to the root of the rounding error, where f changes no more
  const auto at = [&](double u) { return f(point_of_outline(shape, u)); };
  double best = 0.0, largest = at(best);
  for (int i = 1; i < outline_samples; ++i) {
    const double value = at(i);
    if (value > largest) largest = value, best = i;
  }
  for (const double side : {-1.0, 1.0}) {
    if (at(best + near * side) <= largest) continue;
    double from = 0.0, to = 1.0, low = 1.0 - golden, high = golden;
    double at_low = at(best + side * low), at_high = at(best + side * high);
    for (int i = 0; i < iterations; ++i) {
      if (at_low > at_high) {
        to = high, high = low, at_high = at_low;
        low = to - golden * (to - from), at_low = at(best + side * low);
      } else {
        from = low, low = high, at_low = at_high;
        high = from + golden * (to - from), at_high = at(best + side * high);
      }
    }
    best += 0.5 * side * (from + to);
    break;
  }
  return point_of_outline(shape, best);
}

}  // namespace kurbel
