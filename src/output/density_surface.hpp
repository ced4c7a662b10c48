/// @file
/// The surface of a density in space.
#pragma once

#include "output/mesh_view.hpp"

namespace kurbel {

struct DensitySurface {
  MatrixXd points;            ///< 3 x n, m
  MatrixXd normals;           ///< 3 x n, out of the material, of about unit length
  Eigen::MatrixXi triangles;  ///< 3 x n: points
};

/// The faces around the part of a mesh in which the density of points, the mean of the cells around each, is at least the
/// level. It has no steps where cells of full density lie beside void ones: it passes between them as an exported shape does
/// before it is smoothed. Plates of one cell are thinner than that, and bars of one cell are missing.
/// @param density  in space
DensitySurface surface_of(const MeshField& density, double level);

}  // namespace kurbel
