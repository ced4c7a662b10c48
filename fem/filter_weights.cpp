#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "base/errors.hpp"
#include "fem/design_map.hpp"

namespace kurbel::fem {

namespace {

using Cell = std::array<int, 3>;

/// Points sorted into cubes of the radius' size: all neighbours of a point lie in its cube and the 26 around
/// it.
class CellGrid {
 public:
  CellGrid(const Mesh::Points& points, double size)
      : points_(points), lowest_(points.rowwise().minCoeff()), size_(size) {
    const Vector3d extent = points.rowwise().maxCoeff() - lowest_;
    for (int d = 0; d < 3; ++d) cells_[d] = static_cast<Eigen::Index>(extent[d] / size_) + 1;
    for (Eigen::Index i = 0; i < points.cols(); ++i) members_[key(cell_of(i))].push_back(static_cast<int>(i));
  }

  template <class Visit>
  void visit_neighbours(Eigen::Index i, const Visit& visit) const {
    const Cell c = cell_of(i);
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const Cell other = {c[0] + dx, c[1] + dy, c[2] + dz};
          if (!inside(other)) continue;
          const auto cell = members_.find(key(other));
          if (cell == members_.end()) continue;
          for (const int j : cell->second) visit(j);
        }
      }
    }
  }

 private:
  Cell cell_of(Eigen::Index i) const {
    Cell c;
    for (int d = 0; d < 3; ++d) c[d] = static_cast<int>((points_(d, i) - lowest_[d]) / size_);
    return c;
  }
  bool inside(const Cell& c) const {
    for (int d = 0; d < 3; ++d) {
      if (c[d] < 0 || c[d] >= cells_[d]) return false;
    }
    return true;
  }
  Eigen::Index key(const Cell& c) const { return c[0] + cells_[0] * (c[1] + cells_[1] * c[2]); }

  const Mesh::Points& points_;
  Vector3d lowest_;
  double size_;
  std::array<Eigen::Index, 3> cells_{};
  std::unordered_map<Eigen::Index, std::vector<int>> members_;
};

Eigen::SparseMatrix<double, Eigen::RowMajor> identity(Eigen::Index n) {
  Eigen::SparseMatrix<double, Eigen::RowMajor> E(n, n);
  E.setIdentity();
  return E;
}

}  // namespace

Eigen::SparseMatrix<double, Eigen::RowMajor> filter_weights(const Mesh::Points& centres, double radius) {
  if (!(radius >= 0.0) || !std::isfinite(radius)) {
    throw InputError(fmt::format("filter.radius = {} is not a length", radius));
  }
  const Eigen::Index n = centres.cols();
  if (radius == 0.0) return identity(n);
  // A radius far below the elements' size would only make cells without neighbours.
  const double extent = (centres.rowwise().maxCoeff() - centres.rowwise().minCoeff()).maxCoeff();
  const CellGrid grid(centres, std::max(radius, 1e-6 * extent));
  std::vector<Eigen::Triplet<double>> weights;
  std::vector<std::pair<int, double>> row;
  for (Eigen::Index e = 0; e < n; ++e) {
    row.clear();
    double sum = 0.0;
    grid.visit_neighbours(e, [&](int f) {
      const double w = radius - (centres.col(e) - centres.col(f)).norm();
      if (w <= 0.0) return;
      row.emplace_back(f, w);
      sum += w;
    });
    for (const auto& [f, w] : row) weights.emplace_back(e, f, w / sum);
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> H(n, n);
  H.setFromTriplets(weights.begin(), weights.end());
  return H;
}

}  // namespace kurbel::fem
