#include "report/skin.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

/// Two cubes side by side, and a line.
UnstructuredGrid two_cubes() {
  UnstructuredGrid grid;
  grid.points.resize(3, 12);
  for (int k = 0, p = 0; k < 2; ++k) {
    for (int j = 0; j < 2; ++j) {
      for (int i = 0; i < 3; ++i) grid.points.col(p++) << i, j, k;
    }
  }
  Eigen::MatrixXi cubes(8, 2);
  cubes.col(0) << 0, 1, 4, 3, 6, 7, 10, 9;
  cubes.col(1) = cubes.col(0).array() + 1;
  Eigen::MatrixXi line(2, 1);
  line << 0, 11;
  grid.cells = {{CellBlock::Kind::hexahedron, cubes}, {CellBlock::Kind::line, line}};
  return grid;
}

TEST(Skin, OfSolidsHasTheirFaces) {
  const Skin outer = skin_of(two_cubes(), false), all = skin_of(two_cubes(), true);
  EXPECT_EQ(outer.triangles.cols(), 2 * 10);
  EXPECT_TRUE((outer.cells.row(1).array() == -1).all());
  ASSERT_EQ(all.triangles.cols(), 2 * 11);
  int n_shared = 0;
  for (const auto& cells : all.cells.colwise()) n_shared += cells[0] == 0 && cells[1] == 1;
  EXPECT_EQ(n_shared, 2);
  EXPECT_EQ(all.lines.cols(), 1);
}

TEST(Skin, OfFlatMeshesHasTheirCells) {
  UnstructuredGrid grid = two_cubes();
  Eigen::MatrixXi quadrilaterals(4, 2);
  quadrilaterals.col(0) << 0, 1, 4, 3;
  quadrilaterals.col(1) << 1, 2, 5, 4;
  grid.cells = {{CellBlock::Kind::quadrilateral, quadrilaterals}};
  const Skin skin = skin_of(grid, true);
  ASSERT_EQ(skin.triangles.cols(), 4);
  EXPECT_EQ(skin.cells(0, 3), 1);
}

/// Points in the middle of edges follow the corners.
TEST(Skin, OfQuadraticFlatCellsJoinsTheirCornersAlone) {
  UnstructuredGrid grid = two_cubes();
  Eigen::MatrixXi triangle(6, 1), quadrilateral(8, 1);
  triangle << 0, 2, 5, 1, 4, 3;
  quadrilateral << 0, 2, 8, 6, 1, 5, 7, 3;
  grid.cells = {{CellBlock::Kind::quadratic_triangle, triangle},
                {CellBlock::Kind::quadratic_quadrilateral, quadrilateral}};
  const Skin skin = skin_of(grid, true);
  Eigen::MatrixXi triangles(3, 3);
  triangles << 0, 0, 0,  //
      2, 2, 8,           //
      5, 8, 6;
  EXPECT_EQ(skin.triangles, triangles);
}

}  // namespace
}  // namespace kurbel
