/// @file
/// A surface as it is lit in a picture.
#pragma once

#include "results/surface.hpp"

namespace kurbel {

struct ShownSurface {
  MatrixXd points;            ///< 3 x n, m
  MatrixXd normals;           ///< 3 x n, out of the material, of about unit length
  Eigen::MatrixXi triangles;  ///< 3 x n: points
};

/// The triangles with the mean normal of those around a point. At edges where they turn by more than 50 degrees, each side
/// has points of its own.
ShownSurface with_normals(const Surface& surface);

}  // namespace kurbel
