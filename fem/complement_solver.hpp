/// @file
/// Shifted systems in the complement of the kept normal modes (docs/theory.md, "From densities to standard
/// input data").
#pragma once

#include "base/errors.hpp"
#include "fem/modes.hpp"

namespace kurbel::fem {

/// A block of shifted systems, by column.
struct ShiftedSystems {
  VectorXd lambda;  ///< the shift, an eigenvalue of a kept mode
  /// The size of what r was formed from: the sum of the norms of its terms, before they cancelled. A load that is no
  /// larger than the rounding errors of that is zero, and others are solved for to the digits that they have.
  VectorXd size;
  MatrixXd r;          ///< loads, n_free_dofs x any; overwritten
  MatrixXd v{};        ///< the solution
  int iterations = 0;  ///< those spent
};

/// (K - lambda_i M) v_i = P^T r_i,   Phi^T M v_i = 0,   P = E - Phi Phi^T M, for all columns together by
/// conjugate gradients preconditioned with the factor of K. Every column has a shift and step lengths of its
/// own.
/// The part in the span of modes.left_out is exact, sum_j phi_j (phi_j^T r_i) / (lambda_j - lambda_i); the
/// iteration runs in the complement of all modes that were found, where K - lambda_i M is definite.
/// @param body  as it is held for these modes; r and v count on its displacements alone
/// Fails when they do not converge, which a nearly closed gap behind the last mode would explain.
Status solve_in_complement(const HeldPencil& body, const NormalModes& modes, ShiftedSystems& systems);

}  // namespace kurbel::fem
