/// @file
/// Stresses of a body by its elastic coordinates.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// sigma_i = S_i q at points i of a body, linear as the displacements are. As the SID, they are what the
/// mechanics sees of a finite-element model, but no motion depends on them.
struct StressModes {
  Eigen::Index n_components = 3;  ///< 3: xx, yy, xy in plane stress; 6: xx, yy, zz, yz, zx, xy
  MatrixXd S;  ///< n_components n_points x n_q, Pa; component c of point i in row c n_points + i

  Eigen::Index n_points() const { return S.rows() / n_components; }
};

/// G = V sigma, the part of a stress that the von Mises stress sees, sigma_vm^2 = sigma^T V sigma:
///
///     (V sigma)_xx = sigma_xx - (sigma_yy + sigma_zz) / 2, cyclic,   (V sigma)_xy = 3 sigma_xy, and so on
///
/// @param sigma  rows as StressModes::S, any columns     @param G  the same size, overwritten
template <class Scalar>
void von_mises_part(const MatrixX<Scalar>& sigma, Eigen::Index n_components, MatrixX<Scalar>& G) {
  const Eigen::Index n = sigma.rows() / n_components, n_normal = n_components == 3 ? 2 : 3;
  G.topRows(n * n_normal) = 1.5 * sigma.topRows(n * n_normal);
  for (Eigen::Index c = 0; c < n_normal; ++c) {
    for (Eigen::Index d = 0; d < n_normal; ++d) G.middleRows(c * n, n) -= 0.5 * sigma.middleRows(d * n, n);
  }
  G.bottomRows(sigma.rows() - n * n_normal) = 3.0 * sigma.bottomRows(sigma.rows() - n * n_normal);
}

/// von Mises stress of every point, Pa.
VectorXd von_mises(const StressModes& modes, const VectorXd& q);

}  // namespace kurbel
