/// @file
/// Faces that pass through each other.
#pragma once

#include <utility>
#include <vector>

#include "base/types.hpp"

namespace kurbel::fem {

/// Pairs of edges in the plane, or of triangles in space, that pass through each other, in any order and with repetitions.
/// @param corners  2 or 3 x n, of the faces
/// @param flat     Points that are closer to a line or plane, as a share of the size of the faces, are on no side of it,
///                 whatever their rounding says.
std::vector<std::pair<int, int>> crossing_faces(const MatrixXd& points, const Eigen::MatrixXi& corners,
                                                double flat = 1e-10);

}  // namespace kurbel::fem
