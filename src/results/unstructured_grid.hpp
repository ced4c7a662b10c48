/// @file
/// Meshes with fields on them, as plain data.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Cells of one kind; each column of `corners` lists the points of a cell in VTK order.
struct CellBlock {
  /// VTK's number of the kind of cells. Elements may be of kinds without a word here (fem::ElementTopology::vtk_type).
  enum class Kind : int {
    line = 3,
    polyline = 4,
    triangle = 5,
    quadrilateral = 9,
    tetrahedron = 10,
    hexahedron = 12,
    wedge = 13,
    pyramid = 14,
    // The following also have points in the middles of their edges.
    quadratic_triangle = 22,
    quadratic_quadrilateral = 23,
    quadratic_tetrahedron = 24,
    quadratic_hexahedron = 25
  };
  Kind kind = Kind::quadrilateral;
  Eigen::MatrixXi corners;  ///< points of a cell x n_cells
};

/// A mesh of points (3 x n_points, m) and cells, numbered block after block.
struct UnstructuredGrid {
  MatrixXd points = MatrixXd(3, 0);
  std::vector<CellBlock> cells{};
  Eigen::Index n_cells() const;
};

/// Points r + S x.
UnstructuredGrid placed(UnstructuredGrid grid, const Vector3d& r, const Matrix3d& S);
/// Adds the points and cells of a part.
void append(UnstructuredGrid& to, UnstructuredGrid part);

/// Values on points or cells: one column each, one row per component.
struct FieldArray {
  std::string name;
  MatrixXd values;
  std::string unit{};  ///< "m", "Pa"; empty: none
};

/// A mesh with fields that has a name in a picture.
struct NamedBlock {
  std::string name;
  UnstructuredGrid grid{};  ///< points where they are at the time, m
  std::vector<FieldArray> cell_arrays{}, point_arrays{};
  bool moves = true;  ///< otherwise all frames show it as the first one does
};

}  // namespace kurbel
