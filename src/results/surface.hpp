/// @file
/// The surface of a solid, as plain data.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// Triangles whose corners are counterclockwise as seen from outside.
struct Surface {
  MatrixXd points = MatrixXd(3, 0);                   ///< m
  Eigen::MatrixXi triangles = Eigen::MatrixXi(3, 0);  ///< indices of corners among the points
};

/// (1/6) sum a . (b x c) over the triangles: the volume within a closed surface, m^3.
double enclosed_volume(const Surface& surface);

/// Faults for which a surface does not bound a solid.
struct SurfaceFaults {
  int open_edges = 0;                 ///< of one triangle
  int crowded_edges = 0;              ///< of more than two
  int turned_edges = 0;               ///< of two triangles that pass it in the same direction
  int flat_triangles = 0;             ///< without area
  Vector3d place = Vector3d::Zero();  ///< the middle of one of these edges, m
  bool is_closed() const { return open_edges == 0 && crowded_edges == 0 && turned_edges == 0; }
};
SurfaceFaults find_faults(const Surface& surface);

/// Pieces that share no point, of which each encloses material. Cavities do not count.
int count_pieces(const Surface& surface);

}  // namespace kurbel
