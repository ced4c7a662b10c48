/// @file
/// Derivatives of the reduced model by the density of every element, in the basis as it is written. This is the
/// forward counterpart of pullback.hpp.
///
/// With U = [Phi, Psi'] mass-orthonormal, U^T K U = Lambda, and dK, dM of one element,
///
///     d phi_i = sum_j phi_j a_ji + w_i,     (K - lambda_i M) w_i = -P^T (dK - lambda_i dM) phi_i,
///     a_ji = phi_j^T (dK - lambda_i dM) phi_i / (lambda_i - lambda_j),     a_ii = -phi_i^T dM phi_i / 2,
///     d Psi' = Phi alpha + Psi' D + Z,      Z = (d Psi - w C) T,     d Psi = -K^-1 dK Psi
///
/// where alpha and D follow from Phi^T M Psi' = 0, Psi'^T M Psi' = E and Psi'^T K Psi' = diag:
///
///     alpha = -(Phi^T M Z + w^T M Psi' + Phi^T dM Psi'),
///     R = Psi'^T dM Psi' + sym2(Psi'^T M Z),    Q = Psi'^T dK Psi' + sym2(Psi'^T K Z),    sym2(A) = A + A^T,
///     D_ij = (lambda_j R_ij - Q_ij) / (lambda_i - lambda_j),   D_ii = -R_ii / 2,
///     d lambda_i = Q_ii - lambda_i R_ii.
///
/// Only products of w and d Psi with a few fields f are needed: m W, the markers' averages and K Psi'. The adjoint
/// supplies them, f^T w_i = -v^T (dK - lambda_i dM) phi_i with (K - lambda_i M) v = P^T f, so that the number of
/// solves does not depend on the number of elements.
#pragma once

#include <vector>

#include "base/errors.hpp"
#include "fem/flexible_body.hpp"

namespace kurbel::fem {

/// Indices of the numbers that make up the coefficients of the SID, in a row of derivatives.
class ReducedNumbers {
 public:
  ReducedNumbers(int dim, Eigen::Index n_q, Eigen::Index n_markers);

  /// Entry of the Gram matrix in the layout of GramIndex; -1 where it vanishes in 2D.
  Eigen::Index gram(Eigen::Index i, Eigen::Index j) const;
  /// The same entry, by indices among the fields that do not vanish in 2D.
  Eigen::Index compact_gram(Eigen::Index a, Eigen::Index b) const;
  /// Diagonal of Ke.
  Eigen::Index lambda(Eigen::Index k) const { return n_gram_ + k; }
  /// Direction d of Phi, or of Psi (d + 3), of marker m; -1 where it vanishes in 2D.
  Eigen::Index marker(Eigen::Index m, int d, Eigen::Index k) const;
  Eigen::Index size() const { return n_gram_ + n_q_ + n_markers_ * marker_rows() * n_q_; }

  Eigen::Index n_fields() const { return n_fields_; }
  Eigen::Index marker_rows() const { return dim_ == 2 ? 3 : 6; }

 private:
  int dim_;
  Eigen::Index n_q_, n_markers_, n_fields_, n_gram_;
  std::vector<Eigen::Index> compact_;  // of GramIndex; -1 where there is none
};

/// Derivatives of all numbers by the density of every element.
/// @param body        at the design of `reduced`
/// @param basis       of `reduced`
/// @param by_density  d E_e / d p_e, d rho_e / d p_e
/// @param out         n_elements x ReducedNumbers::size(), overwritten
/// Fails where two kept eigenvalues coincide (relative 1e-6), because the modes of the written basis have no
/// derivative there; also where solve_in_complement() fails.
Status differentiate_reduction(const HeldBody& body, const NormalBasis& basis, const ReducedBody& reduced,
                               const ElementFactors& by_density, MatrixXd& out, int& cg_iterations);

}  // namespace kurbel::fem
