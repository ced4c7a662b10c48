/// @file
/// The point on the outline of a section at which a function of it is largest.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "elements/cross_section.hpp"

namespace kurbel {

/// (y, z) over half of the section's extent.
using SectionPoint = std::pair<double, double>;

/// Samples of an outline; rectangles have a corner at every fourth one.
inline constexpr int outline_samples = 16;

inline constexpr int samples_per_side = outline_samples / 4;

/// The side of a rectangular outline on which u is; that of a corner is the one that begins there.
inline int side_of_outline(double u) {
  const double around = u - outline_samples * std::floor(u / outline_samples);
  return std::min(static_cast<int>(around) / samples_per_side, 3);
}

/// The point at u, periodic in outline_samples. The given side of a rectangular outline is straight, also beyond its
/// corners.
inline SectionPoint point_of_outline(SectionShape shape, double u, int side) {
  if (shape == SectionShape::circle || shape == SectionShape::tube) {
    const double angle = 2.0 * std::numbers::pi * u / outline_samples;
    return {std::cos(angle), std::sin(angle)};
  }
  const double from_corner = std::remainder(u - samples_per_side * (side + 0.5), outline_samples);
  const double along = 2.0 * from_corner / samples_per_side;
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

inline SectionPoint point_of_outline(SectionShape shape, double u) {
  return point_of_outline(shape, u, side_of_outline(u));
}

/// Finds the u at which the slope of f vanishes, by Newton's iteration with differences of sixth order. A search by
/// values alone is accurate to the square root of rounding, and so would be the derivatives of the largest value.
template <class Function>
double vertex(const Function& f, double u) {
  constexpr double h = 0.01, longest = 0.01;
  constexpr int iterations = 4;
  for (int i = 0; i < iterations; ++i) {
    const double f0 = f(u);
    double odd[3], even[3];
    for (int k = 0; k < 3; ++k) {
      const double ahead = f(u + (k + 1) * h), behind = f(u - (k + 1) * h);
      odd[k] = ahead - behind, even[k] = ahead - 2.0 * f0 + behind;
    }
    const double slope = (45.0 * odd[0] - 9.0 * odd[1] + odd[2]) / (60.0 * h);
    const double curvature = (270.0 * even[0] - 27.0 * even[1] + 2.0 * even[2]) / (180.0 * h * h);
    if (!(curvature < 0.0)) break;
    u -= std::clamp(slope / curvature, -longest, longest);
  }
  return u;
}

/// The point at which f is largest, found from the largest sample by golden section and Newton's iteration. The
/// derivative along the outline vanishes there, unless the point is a corner.
/// @param f  of a SectionPoint
template <class Function>
SectionPoint largest_on_outline(SectionShape shape, const Function& f) {
  constexpr double near = 1e-4, golden = 0.61803398874989484820;
  constexpr int iterations = 12;
  const auto at = [&](double u) { return f(point_of_outline(shape, u)); };
  double best = 0.0, largest = at(best);
  for (int i = 1; i < outline_samples; ++i) {
    const double value = at(i);
    if (value > largest) largest = value, best = i;
  }
  for (const double turn : {-1.0, 1.0}) {
    if (at(best + near * turn) <= largest) continue;
    double from = 0.0, to = 1.0, low = 1.0 - golden, high = golden;
    double at_low = at(best + turn * low), at_high = at(best + turn * high);
    for (int i = 0; i < iterations; ++i) {
      if (at_low > at_high) {
        to = high, high = low, at_high = at_low;
        low = to - golden * (to - from), at_low = at(best + turn * low);
      } else {
        from = low, low = high, at_low = at_high;
        high = from + golden * (to - from), at_high = at(best + turn * high);
      }
    }
    const int side = side_of_outline(best + 0.5 * turn);
    const auto extended = [&](double u) { return f(point_of_outline(shape, u, side)); };
    return point_of_outline(shape, vertex(extended, best + 0.5 * turn * (from + to)), side);
  }
  return point_of_outline(shape, best);
}

}  // namespace kurbel
