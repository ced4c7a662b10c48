/// @file
/// The steps of FlexibleBody::pullback: sensitivities of the Gram matrix -> of the basis -> of the elements.
///
/// With U = [Phi, Psi'], Psi' = (Psi - Phi C) T, C = Phi^T M Psi, Psi = K^-1 B^T and a psi that depends on
/// span(U) only (U^T U_bar = 0),
///
///     Psi_bar = Psi'_bar T^T,   Phi_bar_eff = Phi_bar - Psi_bar C^T,
///     X = K^-1 Psi_bar,         (K - lambda_i M) v_i = P^T Phi_bar_eff,i,   Phi^T M v_i = 0,   P = E - Phi
///     Phi^T M d psi = sum(G_bar .* (W^T dm W)) + sum(Ke_bar .* (U^T dK U))
///             - sum_i v_i^T (dK - lambda_i dM) phi_i - sum_j X_j^T dK Psi_j          (design.md, section 4)
#pragma once

#include "base/errors.hpp"
#include "fem/assembly.hpp"
#include "fem/cholesky.hpp"
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

/// d psi / d U on the free degrees of freedom at fixed K and M.
struct BasisBar {
  MatrixXd Phi;  ///< n_free_dofs x n
  MatrixXd Psi;  ///< n_free_dofs x n_a, of Psi'
};
BasisBar pull_back_basis(const Assembly& assembly, const std::vector<MarkerOperator>& markers,
                         const ReducedBody& reduced, const GramBar& bar);

/// Adjoint fields of the normal modes (v) and of the attachment modes (X).
struct ModeAdjoint {
  MatrixXd v;  ///< n_free_dofs x n
  MatrixXd X;  ///< n_free_dofs x n_a
  int cg_iterations = 0;
};

/// Conjugate gradients preconditioned with the factor of K, all modes as one block. Overwrites `bar`.
/// Fails when they do not converge, which a nearly closed gap behind the last mode would explain.
Status solve_mode_adjoint(Cholesky& K, const NodalMass& m, const ReducedBody& reduced, BasisBar& bar,
                          ModeAdjoint& out);

/// Fields by position whose products on the elements make up d psi at fixed positions of the nodes:
///
///     d psi = sum_e sum(d(rho_e m) .* (W_e Y_e^T)) + sum(d(E_e k) .* (L_e U_e^T)),   U: the shapes in W
struct ElementFields {
  const NodalFields& W;
  NodalFields Y;  ///< as W
  NodalFields L;  ///< n_nodes x dim n_q
};
ElementFields element_fields(const Assembly& assembly, const ReducedBody& reduced, const GramBar& bar,
                             const ModeAdjoint& adjoint);

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
