/// @file
/// Pull-back to the positions of the nodes, with what pullback.hpp has found for the matrices:
///
///     d psi = sum_e E_e sum(dk .* (L_e U_e^T)) + rho_e sum(dm .* (W_e Y_e^T))       elements, ElementFields
///           + sum_d dX_d^T m W (G_bar + G_bar^T)_d                                  X, Y, Z columns of W
///           + sum_markers R_bar . dR + sum(Psi_bar .* dPsi)                         at fixed shapes
///           + sum_j X_j^T dB_j^T                                                    unit moments
///
/// X_j = K^-1 Psi_bar_j is the adjoint of the j-th static answer. Forces and the markers' mean displacements
/// do not depend on the positions. Every node counts as free to move by itself; the topology stays.
#pragma once

#include "fem/body_design.hpp"
#include "fem/pullback.hpp"
#include "fem/shape_classes.hpp"

namespace kurbel::fem {

/// The pull-back of the matrices, by pullback.hpp.
struct MatrixPullback {
  const GramBar& gram;
  const ModeAdjoint& modes;
  const ElementFields& fields;
};

/// The part of the elements alone, 3 x n_nodes by number.
/// @param factors, shapes  of the elements whose matrices the fields belong to
Mesh::Points pull_back_positions_of_elements(const Assembly& assembly, const ElementFields& fields,
                                             const ElementFactors& factors, const ShapeClasses& shapes);

/// d psi / d x, 3 x n_nodes by number, 1/m times the unit of psi; the third row is zero in 2D.
/// The rotation of a marker whose nodes lie on a line has derivatives only along motions that keep them on
/// one.
/// @param factors, shapes  of the elements of the body in `reduced`
Mesh::Points pull_back_positions(const HeldBody& body, const ReducedBody& reduced,
                                 const MatrixPullback& found, const ElementFactors& factors,
                                 const ShapeClasses& shapes);

}  // namespace kurbel::fem
