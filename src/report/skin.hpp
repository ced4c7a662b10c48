/// @file
/// The triangles and lines by which a mesh is drawn on a page.
#pragma once

#include "results/unstructured_grid.hpp"

namespace kurbel {

struct Skin {
  Eigen::MatrixXi triangles =
      Eigen::MatrixXi(3, 0);  ///< points; of a flat mesh its cells, else the faces of cells
  /// 2 x triangles: the cell whose face it is, and the one beyond it. -1: none. Flat meshes have none beyond.
  Eigen::MatrixXi cells = Eigen::MatrixXi(2, 0);
  Eigen::MatrixXi lines = Eigen::MatrixXi(2, 0);  ///< of cells that are lines
};

/// @param with_inner  also the faces between two cells, which show when one of them is void
Skin skin_of(const UnstructuredGrid& grid, bool with_inner);

}  // namespace kurbel
