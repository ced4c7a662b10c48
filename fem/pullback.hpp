/// @file
/// The steps of FlexibleBody::pullback: sensitivities of the Gram matrix -> of the basis -> of the elements.
///
/// For a psi that depends on the span of U only (U^T U_bar = 0), with what the basis makes of U_bar
/// (fem/modal_basis.hpp),
///
///     d psi = sum(G_bar .* (W^T dm W)) + sum(Ke_bar .* (U^T dK U)) + sum(Y .* dM U) + sum(L .* dK U).
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
void fill_fields(const Mesh::Points& positions, const NodeOrder& order, int dim, const MatrixXd& U,
                 NodalFields& W);

/// Adds U (n_free_dofs x k) to columns first + d n_q .. + k of fields by position.
void scatter_shapes(const MatrixXd& U, int dim, Eigen::Index n_q, Eigen::Index first, NodalFields& fields);

/// G_bar + G_bar^T of the fields that exist in the mesh's dimension.
MatrixXd compact_gram_bar(const GramBar& bar, int dim, Eigen::Index n_q);

/// d psi / d U at fixed K and M.
BasisBar pull_back_basis(const HeldBody& body, const ReducedBody& reduced, const GramBar& bar);

/// Takes out of U_bar what a change of the basis within its span would do to psi, where that is nothing but rounding
/// errors, which the answers of a soft part of the body would amplify: U_bar - M U (U^T U_bar).
void take_out_span(const Assembly& assembly, const ReducedBody& reduced, BasisBar& bar);

/// Fields by position whose products on the elements make up d psi at fixed positions of the nodes:
///
///     d psi = sum_e sum(d(rho_e m) .* (W_e Y_e^T)) + sum(d(E_e k) .* (L_e U_e^T)),   U: the shapes in W
struct ElementFields {
  const NodalFields& W;
  NodalFields Y;  ///< as W
  NodalFields L;  ///< n_nodes x dim n_q
};
ElementFields element_fields(const HeldBody& body, const ReducedBody& reduced, const GramBar& bar,
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
