/// @file
/// Geometric stiffening of a clamped body by the motion of its reference frame (Wallrapp and Schwertassek
/// 1991).
///
/// The reference motion loads the body with inertia forces that are linear in the twelve fields x_c e_d,
/// x_c = 1, X, Y, Z: accelerations of the frame, angular accelerations and products of angular velocities.
/// Each field alone gives a static answer and, by its stresses, a geometric stiffness:
///
///     K u_cd = -(m x_c) e_d,     sigma_cd = E_e D B u_cd,
///     Q_cd = Phi^T K_g(sigma_cd) Phi,   phi_k^T K_g(sigma) phi_l = int sigma : (grad phi_k)^T grad phi_l dV.
///
/// So does a unit force at a marker, K u_d = B_d^T; a force of a joint, a spring or a load is a combination
/// of those, and Gamma at the marker is -Phi^T K_g(sigma_d) Phi.
///
/// Q_cd is also the moment int rho x_c Gamma_kl,d dV of the displacement q^T Gamma q / 2 that a deformation
/// takes along, K Gamma_kl = -int B^T E_e D eps2(phi_k, phi_l) dV; gram.hpp makes coefficients of it.
#pragma once

#include <vector>

#include "fem/assembly.hpp"
#include "fem/flexibility.hpp"
#include "fem/gram.hpp"
#include "fem/shape_classes.hpp"

namespace kurbel::fem {

/// The contributions of a body's elements to it.
struct StressModel {
  const Assembly& assembly;
  const ShapeClasses& shapes;
  const MatrixXd& forces;  ///< unit forces at the markers, n_free_dofs x dim n_markers, direction fastest
  const VectorXd& E;       ///< n_elements, Pa
};

/// The moments and the static answers that they come from.
struct GeometricStiffening {
  NodalFields u;  ///< n_nodes x dim n_j, direction d of answer j in column d n_j + j; m s^2 and s^2
  SecondOrderMoments moments;              ///< empty when there is no stiffening
  std::vector<SecondOrderShapes> markers;  ///< empty for a marker that is clamped
};

/// @param W, m_W  fields [1 | X Y (Z) | shapes] and m times them, by position
GeometricStiffening find_geometric_stiffening(const StressModel& model, const Flexibility& K,
                                              const NodalFields& W, const NodalFields& m_W);

/// The displacement itself: Gamma_kl, of which moments and markers are means.
/// @return  (n_nodes x dim n_q^2), direction d of Gamma_kl in column (d n_q + l) n_q + k
NodalFields second_order_fields(const StressModel& model, const Flexibility& K, const NodalFields& W);

/// The contribution of a psi of the moments to the sensitivities of the basis and of the elements, all other things
/// fixed.
struct GeometricStiffeningBar {
  MatrixXd U;          ///< n_free_dofs x n_q
  VectorXd mass;       ///< d psi / d rho_e, n_elements
  VectorXd stiffness;  ///< d psi / d E_e, n_elements
};

/// With L_j the sensitivity of Q_j (inertia loads and forces at markers), symmetrised, and N_j = sum_kl
/// L_j,kl (grad phi_k)^T grad phi_l:
///
///     K w_j = sum_e E_e int (D B)^T N_j dV,     U_bar = 2 sum_j K_g(sigma_j) U L_j,
///     d psi / d E_e = sum_j int (D B u_j) : N_j dV - w_j^T k_e u_j,
///     d psi / d rho_e = -sum_j w_j^T m_e (x_c e_d)_j
///
/// The answers w_j of all functions psi are solved for together.
/// @param bars  of every function
std::vector<GeometricStiffeningBar> pull_back_geometric_stiffening(const StressModel& model,
                                                                   const Flexibility& K, const NodalFields& W,
                                                                   const GeometricStiffening& stiffening,
                                                                   const std::vector<GramBar>& bars);

}  // namespace kurbel::fem
