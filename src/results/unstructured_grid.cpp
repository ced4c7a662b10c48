#include "results/unstructured_grid.hpp"

#include <utility>

namespace kurbel {

using Eigen::Index;

Index UnstructuredGrid::n_cells() const {
  Index n = 0;
  for (const CellBlock& block : cells) n += block.corners.cols();
  return n;
}

UnstructuredGrid placed(UnstructuredGrid grid, const Vector3d& r, const Matrix3d& S) {
  grid.points = ((S * grid.points).colwise() + r).eval();
  return grid;
}

void append(UnstructuredGrid& to, UnstructuredGrid part) {
  const Index n = to.points.cols();
  to.points.conservativeResize(3, n + part.points.cols());
  to.points.rightCols(part.points.cols()) = part.points;
  for (CellBlock& block : part.cells) {
    block.corners.array() += static_cast<int>(n);
    to.cells.push_back(std::move(block));
  }
}

}  // namespace kurbel
