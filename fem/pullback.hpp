/// @file
/// The steps of FlexibleBody::pullback: sensitivities of the Gram matrix -> of the basis -> of the elements.
///
/// For a psi that depends on the span of U only (U^T U_bar = 0). With U = [Phi, Psi'],
/// K Psi' = B^T T - M Phi D (fem/modes.hpp), and what a change of T and D would do left out, for it stays in
/// the span,
///
///     X = G U_bar_a,      (K - lambda_i M) v_i = P^T (U_bar_i - M X D_i^T),
///     Phi^T M v_i = 0,    P = E - Phi Phi^T M,                                        (docs/theory.md)
///     d psi = sum(G_bar .* (W^T dm W)) + sum(Ke_bar .* (U^T dK U))
///             - sum_i (v_i^T dK - (lambda_i v_i - X D_i^T)^T dM) phi_i - sum_j X_j^T dK Psi'_j
///
/// on the displacements that the frame allows. Psi = G B^T in place of Psi' would give the same, as a
/// difference of large numbers where some modes are much softer than the others.
///
/// In Craig and Bampton's basis, U = [Phi, Psi] Y with Psi = G B^T of combined loads, [Phi_bar, Psi_bar] =
/// U_bar Y^T, X = G Psi_bar, v_i on the displacements that the interfaces allow, D = 0.
///
/// In Buckens' frame the displacements allowed change with the design. As R (lambda = 0) is among the modes
/// left out, v_i has a part along R, and with K Psi' = (E - M R R^T) B^T T - M Phi D, R^T M Psi' = 0 there is
/// added
///
///     - sum_j X_j^T dM R (R^T B^T T)_j - sum_j (R^T U_bar_j)^T R^T dM Psi'_j.
#pragma once

#include "base/errors.hpp"
#include "fem/assembly.hpp"
#include "fem/flexible_body.hpp"
#include "fem/gram.hpp"

namespace kurbel::fem {

/// Places in the layout of GramIndex of the fields that exist in the mesh's dimension: [1 | X Y (Z) | Phi_x |
/// ...].
std::vector<Eigen::Index> compact_fields(int dim, const GramIndex& at);

/// Fills W (n_nodes x (1 + dim + dim n_q), rows by position) from the shapes on the free degrees of freedom.
/// @param positions  of the nodes, by number
void fill_fields(const Mesh::Points& positions, const NodeOrder& order, int dim, const MatrixXd& Phi,
                 const MatrixXd& Psi, NodalFields& W);

/// Adds U (n_free_dofs x k) to columns first + d n_q .. + k of fields by position.
void scatter_shapes(const MatrixXd& U, int dim, Eigen::Index n_q, Eigen::Index first, NodalFields& fields);

/// G_bar + G_bar^T of the fields that exist in the mesh's dimension.
MatrixXd compact_gram_bar(const GramBar& bar, int dim, Eigen::Index n_q);

/// d psi / d U on the free degrees of freedom, and what it was formed from.
struct BasisBar {
  MatrixXd U;     ///< n_free_dofs x n_q
  VectorXd size;  ///< n_q: norms of the terms of U, before they cancel

  void add(const MatrixXd& term) {
    U += term;
    size += term.colwise().norm().transpose();
  }
};

/// d psi / d U at fixed K and M.
BasisBar pull_back_basis(const Assembly& assembly, const std::vector<MarkerOperator>& markers,
                         const ReducedBody& reduced, const GramBar& bar);

/// Adjoint fields of the normal modes (v) and of the static answers (X).
struct ModeAdjoint {
  MatrixXd v;            ///< n_free_dofs x n
  MatrixXd X;            ///< n_free_dofs x n_a
  MatrixXd beside_mass;  ///< n_free_dofs x (n + n_a): what is contracted with dM [Phi, Psi]
  MatrixXd relief;       ///< R^T B^T T, n_rigid x n_a; Buckens' frame only, otherwise empty
  int cg_iterations = 0;
};

/// Conjugate gradients preconditioned with the factor of K, all modes as one block.
/// Fails when they do not converge, which a nearly closed gap behind the last mode would explain.
/// @param K        the body as its frame holds it
/// @param K_modes  as it is held for its normal modes
/// @param B_T      unit loads
Status solve_mode_adjoint(const Flexibility& K, const Flexibility& K_modes, const NodalMass& m,
                          const ReferenceFrame& frame, const MatrixXd& B_T, const Assembly& assembly,
                          const ReducedBody& reduced, BasisBar bar, ModeAdjoint& out);

/// Fields by position whose products on the elements make up d psi at fixed positions of the nodes:
///
///     d psi = sum_e sum(d(rho_e m) .* (W_e Y_e^T)) + sum(d(E_e k) .* (L_e U_e^T)),   U: the shapes in W
struct ElementFields {
  const NodalFields& W;
  NodalFields Y;  ///< as W
  NodalFields L;  ///< n_nodes x dim n_q
};
ElementFields element_fields(const Assembly& assembly, const ReferenceFrame& frame,
                             const ReducedBody& reduced, const GramBar& bar, const ModeAdjoint& adjoint);

/// The fields on the corners of an element.
class LocalFields {
 public:
  LocalFields(const Assembly& assembly, const ElementFields& fields);
  void gather(Eigen::Index e);

  NodalFields W, Y;  ///< n_corners x fields
  NodalFields U, L;  ///< n_corners dim x n_q

 private:
  const Assembly& assembly_;
  const ElementFields& fields_;
};

/// d psi / d rho_e and d psi / d E_e.
ElementFactors sum_over_elements(const Assembly& assembly, const ElementFields& fields);

}  // namespace kurbel::fem
