/// @file
/// The outline of a flat shape as closed lines.
#pragma once

#include <map>
#include <vector>

#include "shape/boundary.hpp"

namespace kurbel {

/// A closed line, the last point before the first: counterclockwise around a piece, clockwise around a hole.
struct OutlineLoop {
  std::vector<int> points;      ///< of the outline
  std::vector<bool> is_smooth;  ///< of each: between two cuts, and not held
};

struct OutlineLoops {
  std::vector<int> piece;                              ///< of every point of the outline
  std::map<int, std::vector<OutlineLoop>> of_piece{};  ///< the outer one first
};

/// Follows the outline. Smooth points that lie closer than 0.4 of the size to their neighbours are omitted.
/// @param size  m
/// @throws ShapeFailure if the shape touches itself in a point
OutlineLoops find_outline_loops(const Boundary& outline, double size);

/// The distance that counts as close, m.
constexpr double close_to(double size) {
  return 0.4 * size;
}

}  // namespace kurbel
