/// @file
/// Loads at rest that give a flexible body the displacements of a motion [Kang, Park and Arora, AIAA Journal 43 (2005)]:
///
///     u_k = Phi q(t_k),    f_k = K u_k = B q_k,    B = K Phi    at every instant t_k
///
/// with the matrices of one design. Their weighted compliance at another design is
///
///     psi = sum_k w_k f_k^T K^-1 f_k = sum_c F_c^T K^-1 F_c,    F = B V S^(1/2),    sum_k w_k q_k q_k^T = V S V^T,
///
/// so that n_q load cases serve all instants. At the design of the motion it is sum_k w_k q_k^T Ke q_k. With f_k held,
/// d psi = -sum_c U_c^T dK U_c, K U = F. What the loads themselves depend on, d f_k / d design, is neglected.
#pragma once

#include "fem/flexible_body.hpp"

namespace kurbel {

/// The loads of one body.
struct EquivalentLoads {
  MatrixXd B;  ///< n_free_dofs x n_q, N
  MatrixXd q;  ///< n_q x (number of instants)
  MatrixXd F;  ///< n_free_dofs x n_q, the load cases

  /// f_k, n_free_dofs, N.
  VectorXd at(Eigen::Index instant) const { return B * q.col(instant); }
};

/// Finds the loads from a motion.
/// @param reduced  the body as it moved, of reduce() at `design`
/// @param q        n_q x (number of instants)
/// @param weights  w_k, not negative
Status find_equivalent_loads(fem::FlexibleBody& body, const fem::BodyDesign& design,
                             const fem::ReducedBody& reduced, const MatrixXd& q, const VectorXd& weights,
                             EquivalentLoads& out);

/// Largest |f_k - f_k,before| over all instants, relative to the largest |f_k|.
double change_of_loads(const EquivalentLoads& now, const EquivalentLoads& before);

/// Adds the compliance of a body at a design under the load cases F to psi, and its derivatives to bar.
Status add_compliance(fem::FlexibleBody& body, const fem::BodyDesign& design, const MatrixXd& F, double& psi,
                      fem::BodyDesign& bar);

}  // namespace kurbel
