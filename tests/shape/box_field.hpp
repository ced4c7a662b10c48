/// @file
/// Densities on boxes of equal cells, for tests of shapes.
#pragma once

#include <array>
#include <functional>

#include "shape/boundary.hpp"

namespace kurbel {

using Cells = std::array<int, 3>;  ///< along the axes; the last one 0: flat

/// The unit square or cube of equal elements.
inline DensityField box(const Cells& n, const std::function<double(const Vector3d&)>& density_at) {
  const bool is_flat = n[2] == 0;
  const int nz = is_flat ? 1 : n[2];
  DensityField field;
  const int px = n[0] + 1, py = n[1] + 1, pz = is_flat ? 1 : nz + 1;
  field.mesh.points.resize(3, px * py * pz);
  const Vector3d h(1.0 / n[0], 1.0 / n[1], is_flat ? 0.0 : 1.0 / nz);
  for (int k = 0, p = 0; k < pz; ++k) {
    for (int j = 0; j < py; ++j) {
      for (int i = 0; i < px; ++i, ++p) field.mesh.points.col(p) = h.cwiseProduct(Vector3d(i, j, k));
    }
  }
  Eigen::MatrixXi corners(is_flat ? 4 : 8, n[0] * n[1] * nz);
  field.density.resize(corners.cols());
  for (int k = 0, e = 0; k < nz; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i, ++e) {
        const int p = i + px * (j + py * k), up = px * py;
        corners.col(e).head(4) << p, p + 1, p + 1 + px, p + px;
        if (!is_flat) corners.col(e).tail(4) = corners.col(e).head(4).array() + up;
        field.density[e] = density_at(h.cwiseProduct(Vector3d(i + 0.5, j + 0.5, is_flat ? 0.0 : k + 0.5)));
      }
    }
  }
  field.mesh.cells = {{is_flat ? CellBlock::Kind::quadrilateral : CellBlock::Kind::hexahedron, corners}};
  field.volume = VectorXd::Constant(corners.cols(), 1.0 / static_cast<double>(corners.cols()));
  field.role.assign(static_cast<std::size_t>(corners.cols()), CellRole::varied);
  field.is_held.assign(static_cast<std::size_t>(field.mesh.points.cols()), false);
  return field;
}

inline Vector3d centre_of(const DensityField& field, Eigen::Index cell) {
  Vector3d sum = Vector3d::Zero();
  const auto corners = field.mesh.cells[0].corners.col(cell);
  for (const int point : corners) sum += field.mesh.points.col(point);
  return sum / static_cast<double>(corners.size());
}

/// Gives cells a role.
inline void set_role(DensityField& field, CellRole role, const std::function<bool(const Vector3d&)>& has) {
  for (Eigen::Index e = 0; e < field.density.size(); ++e) {
    if (!has(centre_of(field, e))) continue;
    field.role[static_cast<std::size_t>(e)] = role;
  }
}

inline double distance(const Vector3d& x, const Vector3d& y, int dim) {
  return (x - y).head(dim).norm();
}

}  // namespace kurbel
