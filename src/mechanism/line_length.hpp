/// @file
/// Lengths of lines that give directions: those of springs, of forces between two places, of distances.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace kurbel {

/// Shorter lines have no direction, m. Its fourth power is still a number.
constexpr double shortest_line = 1e-70;

/// The length l of a vector d, at least shortest_line: d / l, and all derivatives of l, are zero where d is zero.
/// @param square  d . d
template <class S>
S line_length(const S& square) {
  using std::sqrt;
  const S l = sqrt(square);
  return real_part(l) < shortest_line ? S(shortest_line) : l;
}

}  // namespace kurbel
