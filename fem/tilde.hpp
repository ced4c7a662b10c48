/// @file
/// The cross product as a matrix.
#pragma once

#include "base/types.hpp"

namespace kurbel::fem {

/// The matrix x~ with x~ b = x x b.
inline Matrix3d tilde(const Vector3d& x) {
  Matrix3d X;
  X << 0.0, -x[2], x[1], x[2], 0.0, -x[0], -x[1], x[0], 0.0;
  return X;
}

}  // namespace kurbel::fem
