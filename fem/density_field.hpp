/// @file
/// Densities between the centres of elements:
///
///     F(p) = sum_f w_f(p) rho_f / sum_f w_f(p),   w_f(p) = max(0, d_f - |p - x_f|) V_f
///
/// with the size d_f = V_f^(1/dim) of element f (in 2D of its area); where no centre is that near, the nearest one counts that
/// is not farther away than the nodes of its element.
#pragma once

#include <utility>
#include <vector>

#include "fem/cell_grid.hpp"

namespace kurbel::fem {

class DensityField {
 public:
  using Weights = std::vector<std::pair<Eigen::Index, double>>;

  /// @param elements  that have densities, at least one
  DensityField(const Mesh& mesh, const std::vector<Eigen::Index>& elements);
  DensityField(const DensityField&) = delete;
  DensityField& operator=(const DensityField&) = delete;

  /// Elements with their weights, whose sum is 1; empty where none of them is.
  Weights at(const Vector3d& p) const;
  /// The element whose centre lies there, or -1.
  Eigen::Index centred_at(const Vector3d& p) const;

 private:
  const std::vector<Eigen::Index>& elements_;
  Mesh::Points centres_;
  VectorXd volumes_, sizes_;
  VectorXd reach_;  ///< from a centre to the farthest node, m
  CellGrid grid_;
};

}  // namespace kurbel::fem
