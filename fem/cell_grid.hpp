/// @file
/// Points sorted into cubes, so that the neighbours of a place are found without a look at all points.
#pragma once

#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Points in cubes of one size: all that are at most that far from a place lie in its cube and the 26 around it.
class CellGrid {
 public:
  /// @param points  at least one
  /// @param size    of a cube, m, positive
  CellGrid(const Mesh::Points& points, double size)
      : points_(points), lowest_(points.rowwise().minCoeff()), size_(size) {
    const Vector3d extent = points.rowwise().maxCoeff() - lowest_;
    for (std::size_t d = 0; d < 3; ++d)
      cells_[d] = static_cast<Eigen::Index>(extent[static_cast<Eigen::Index>(d)] / size_) + 1;
    for (Eigen::Index i = 0; i < points.cols(); ++i)
      members_[key(cell_of(points.col(i)))].push_back(static_cast<int>(i));
  }

  /// Calls until(number of a point) on the points in the cubes around a place, until it returns true.
  /// @return  whether it did
  template <class Until>
  bool find(const Vector3d& place, const Until& until) const {
    const Cell c = cell_of(place);
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const Cell other = {c[0] + dx, c[1] + dy, c[2] + dz};
          if (!inside(other)) continue;
          const auto cell = members_.find(key(other));
          if (cell == members_.end()) continue;
          for (const int j : cell->second) {
            if (until(j)) return true;
          }
        }
      }
    }
    return false;
  }

  /// True if a point is at most as far from a place as this, which is at most the size of a cube.
  bool has_within(const Vector3d& place, double distance) const {
    return find(place, [&](int j) { return (points_.col(j) - place).norm() <= distance; });
  }

 private:
  using Cell = std::array<Eigen::Index, 3>;

  /// A place that is far from all points, or is no number, is in a cell without neighbours.
  Cell cell_of(const Vector3d& place) const {
    constexpr Eigen::Index far_away = -2;
    Cell c;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto axis = static_cast<Eigen::Index>(d);
      const double number = std::floor((place[axis] - lowest_[axis]) / size_);
      const bool is_near = number >= -1.0 && number <= static_cast<double>(cells_[d]);
      c[d] = is_near ? static_cast<Eigen::Index>(number) : far_away;
    }
    return c;
  }
  bool inside(const Cell& c) const {
    for (std::size_t d = 0; d < 3; ++d) {
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

}  // namespace kurbel::fem
