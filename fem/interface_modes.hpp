/// @file
/// The basis of Craig and Bampton: normal modes of the body with its interfaces held, and static answers to
/// loads on them.
///
/// The interfaces are the markers' averages B u where loads act. With the body as its frame holds it, G, the
/// answers Psi = G B^T span the same as the constraint modes Psi (B Psi)^-1, whose interfaces move by one.
/// The fixed-interface modes satisfy K phi - lambda M phi + B^T mu = 0, B phi = 0. Phi^T K Psi = 0, but
/// Phi^T M Psi does not vanish; U = [Phi, Psi] Y are the eigenvectors of the pencil on that span, so that
/// Me = E and Ke is diagonal as with normal modes.
#pragma once

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "fem/modes.hpp"

namespace kurbel::fem {

/// A basis of the normal modes Phi and the static answers Psi = G B^T, U = [Phi, Psi] Y.
struct BasisCombination {
  MatrixXd Y, inverse;  ///< n_q x n_q
};

/// Rows: free degrees of freedom.
struct CraigBamptonModes {
  VectorXd lambda;  ///< n_q, ascending
  MatrixXd U, K_U;  ///< K_U: products with the stiffness, up to reactions of the frame
};

/// Holds the interfaces B of the body that K describes.
/// Fails when they depend on each other; names them.
/// @param B_T    unit loads, balanced by the frame's reactions; n_free_dofs x n_B
/// @param names  n_B
Status hold_interfaces(const Flexibility& K, const MatrixXd& B_T, const std::vector<std::string>& names,
                       InterfaceHold& out);

/// The eigenvectors of the span of fixed-interface modes and static answers.
/// @param interfaces  of hold_interfaces(); the body held by them has the modes `fixed`
/// Fails when the modes depend on each other.
Status find_craig_bampton_modes(const NodalMass& m, const NormalModes& fixed, const InterfaceHold& interfaces,
                                CraigBamptonModes& out, BasisCombination& combination);

}  // namespace kurbel::fem
