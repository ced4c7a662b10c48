/// @file
/// Bodies that are held, under loads at rest and in free vibration, by all of their degrees of freedom: weight, and the
/// derivatives of functions of displacements and of eigenvalues by the factors of the elements and the places of their nodes.
#pragma once

#include <memory>

#include "fem/body_design.hpp"
#include "fem/modal_basis.hpp"
#include "fem/shape_classes.hpp"

namespace kurbel::fem {

/// M g on the free degrees of freedom, N.
/// @param gravity  m/s^2, along the axes of the body's frame
VectorXd weight_of_body(const HeldBody& body, const Vector3d& gravity);

/// The elements of a body that is held, for derivatives by the positions of their nodes.
struct HeldElements {
  ElementFactors factors;
  std::shared_ptr<const ShapeClasses> shapes;
};

/// The derivatives of a function by what K and M are made of.
struct MatricesBar {
  ElementFactors factors;  ///< d psi / d E_e, d psi / d rho_e
  Mesh::Points
      positions{};  ///< d psi / d x, 3 x n_nodes by number, every node for itself; empty unless requested
};

/// d psi = sum_c (-of_stiffness_c^T dK u_c + of_weight_c^T dM g_c) over load cases c.
struct StaticBars {
  const MatrixXd& u;  ///< n_free_dofs x n_cases
  MatrixXd gravity;   ///< 3 x n_cases
  MatrixXd of_stiffness{}, of_weight{};
};
/// @param elements  nullptr: without derivatives by positions. Forces are taken as independent of them.
MatricesBar pull_back_static(const HeldBody& body, const StaticBars& bars,
                             const HeldElements* elements = nullptr);

/// The same of d psi = sum_i lambda_bar_i phi_i^T (dK - lambda_i dM) phi_i.
/// @param lambda_bar  of modes.lambda
MatricesBar pull_back_eigenvalues(const HeldBody& body, const NormalModes& modes, const VectorXd& lambda_bar,
                                  const HeldElements* elements = nullptr);

}  // namespace kurbel::fem
