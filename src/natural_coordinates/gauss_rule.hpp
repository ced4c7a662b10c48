/// @file
/// Integration over a beam element.
#pragma once

#include <array>

namespace kurbel {

/// Gauss's rule on [0, 1] with five points, exact to degree 9.
struct GaussPoint {
  double xi, weight;
};
inline constexpr std::array<GaussPoint, 5> gauss_points = [] {
  constexpr double near_node = 0.5384693101056831, far_node = 0.9061798459386640;
  constexpr double middle_weight = 0.5688888888888889, near_weight = 0.4786286704993665,
                   far_weight = 0.2369268850561891;
  return std::array<GaussPoint, 5>{{{0.5 - 0.5 * far_node, 0.5 * far_weight},
                                    {0.5 - 0.5 * near_node, 0.5 * near_weight},
                                    {0.5, 0.5 * middle_weight},
                                    {0.5 + 0.5 * near_node, 0.5 * near_weight},
                                    {0.5 + 0.5 * far_node, 0.5 * far_weight}}};
}();

}  // namespace kurbel
