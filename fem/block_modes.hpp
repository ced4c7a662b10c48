/// @file
/// The lowest modes by an inverse that is not exact: locally optimal block preconditioned conjugate gradients.
#pragma once

#include "base/errors.hpp"
#include "fem/modes.hpp"

namespace kurbel::fem {

/// Approximate modes of a pencil, ascending, M-orthonormal, on the displacements that its conditions allow.
struct RitzModes {
  VectorXd lambda;              ///< (rad/s)^2, one for each column of X at least
  MatrixXd X;                   ///< n_dofs x (n + 1, or n if there are no more)
  bool meet_tolerance = false;  ///< if not, rounding keeps them from it
  int iterations = 0;
};

/// Iterates the block X of the n lowest modes, one above, and guard columns by Rayleigh-Ritz on [X, Z, P] (Knyazev,
/// SIAM J. Sci. Comput. 23, 2001),
///
///     R = K X - M X Lambda,    Z = T R,    P: the last change of X,
///
/// with T the preconditioner of the body. Directions that are dependent but for rounding are dropped by the eigenvalues
/// of their Gram matrix. A column has converged when sqrt(r^T T r / lambda), its error in the norm of the energy, is
/// below the tolerance; it then adds no direction. As the block spans multiple eigenvalues, no copy is missed that the
/// guard columns have room for.
/// @param n          1 <= n < n_dofs less the conditions
/// @param tolerance  of the n lowest; the one above converges to 1e-5, its eigenvalue to the square of that
/// Fails when they do not converge.
Status find_ritz_modes(const HeldPencil& body, Eigen::Index n, double tolerance, RitzModes& out);

}  // namespace kurbel::fem
