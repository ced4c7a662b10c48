/// @file
/// The reduced basis of a body that is held: lowest normal modes and attachment modes.
#pragma once

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"
#include "fem/assembly.hpp"
#include "fem/flexibility.hpp"

namespace kurbel::fem {

/// Relative gap of two eigenvalues that count as one: a basis with one of their modes is not differentiable.
inline constexpr double closed_gap = 1e-8;

/// Relative gap below which the derivative of a mode loses the digits that the gap lacks.
inline constexpr double coincident = 1e-6;

/// Modes that were found beside those of the basis.
struct OtherModes {
  VectorXd lambda;
  MatrixXd Phi, M_Phi;
};

/// K Phi = M Phi Lambda, Phi^T M Phi = E, ascending eigenvalues. Rows: free degrees of freedom.
struct NormalModes {
  VectorXd lambda;           ///< (rad/s)^2
  MatrixXd Phi, M_Phi;       ///< n_free_dofs x n
  double lambda_next = 0.0;  ///< the lowest eigenvalue above; infinite when there is none
  int solves = 0;            ///< back-substitutions spent
  OtherModes left_out;       ///< below lambda_next, M-orthogonal to Phi
};

/// K - lambda M of a body as it is held.
struct HeldPencil {
  Flexibility K;  ///< its G takes the place of K^-1
  const NodalMass& m;

  Eigen::Index n_dofs() const { return m.n_free_dofs(); }
};

/// The n lowest modes. Where the inverse is exact, by shift-invert Lanczos about zero, from a fixed start vector.
/// Copies of multiple eigenvalues that a single Krylov sequence may miss are found by another, with a start of its own,
/// in the M-orthogonal complement, repeated until nothing is left below; it also yields lambda_next. Where it is not,
/// by find_ritz_modes() (fem/block_modes.hpp).
/// Sign: the first of the largest entries of a mode is positive.
/// Fails when the iteration does not converge, or when lambda_next equals the last kept eigenvalue (relative 1e-8):
/// the truncation then depends on the design in no differentiable way.
/// @param n  0 <= n <= n_free_dofs less the conditions
Status find_normal_modes(const HeldPencil& body, int n, NormalModes& out);

/// The same, whatever follows the last one.
Status find_lowest_modes(const HeldPencil& body, int n, NormalModes& out);

/// Psi' = (Psi - Phi C) T with Psi = K^-1 B^T, C = Phi^T M Psi: static answers to unit loads, M-orthogonal to
/// the normal modes, with Psi'^T M Psi' = E and Psi'^T K Psi' = diag(lambda). They are the answers to the
/// loads without what excites the modes,
///
///     K Psi' = (E - M Phi Phi^T) B^T T = B^T T - M Phi D,    D = Phi^T B^T T = Lambda C T,
///
/// and solved for as such: C T is as large as the normal modes are softer than Psi', D is not.
struct AttachmentModes {
  VectorXd lambda;        ///< n_a, ascending
  MatrixXd Psi;           ///< Psi', n_free_dofs x n_a
  MatrixXd M_Psi, K_Psi;  ///< products with Psi'
  MatrixXd C, D;          ///< n x n_a
  MatrixXd T;             ///< n_a x n_a
};

/// Fails when an answer is a combination of the normal modes, or the answers are of each other; names the
/// loads.
/// @param B_T         unit loads, n_free_dofs x n_a
/// @param load_names  n_a
Status find_attachment_modes(const HeldPencil& body, const NormalModes& normal, const MatrixXd& B_T,
                             const std::vector<std::string>& load_names, AttachmentModes& out);

/// Natural frequency of an eigenvalue, Hz.
double frequency_hz(double lambda);

}  // namespace kurbel::fem
