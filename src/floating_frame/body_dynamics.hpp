/// @file
/// Equations of motion of one body in its reference frame, from SID coefficients.    [P0, eqs 68-77]
///
/// With zeta = v_dot + omega x v - S^T g (gravity is an acceleration of the frame), mc = mdCM(q), J, Cr, Gr,
/// Oe taken at q, and Omega = (w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3):
///
///     f_t = m zeta + omega_dot x mc + omega x (omega x mc) + Ct^T q_ddot + 2 omega x (Ct^T q_dot)
///     f_r = mc x zeta + J omega_dot + omega x (J omega) + (sum_k Gr_k q_dot_k) omega + Cr^T q_ddot
///     f_e = Ct zeta + Cr omega_dot + Me q_ddot + Oe Omega + (sum_l Ge_l q_dot_l) omega + Ke q + De q_dot +
///     ksigma
///
/// With a second-order displacement Phi q + q^T Gamma q / 2 (Ct.M1), Ct is taken at q as well, and
/// mdCM(q) = mdCM0 + mdCM1 q + q^T Ct1 q / 2. The rates sum_kl Ct1_kl q_dot_k q_dot_l enter f_t, and
/// sum_kl Cr1_kl q_dot_k q_dot_l enter f_r. These are Lagrange's equations of the kinetic energy to second order in
/// (q, q_dot).
///
/// f = 0 for a free body. Rows: translation (N), rotation about the frame's origin (N m), elastic
/// coordinates. All vectors are in the body's reference frame.
#pragma once

#include "floating_frame/parameters.hpp"

namespace kurbel {

/// Motion of one body at one instant; references into the state vectors of the system.
template <class Scalar>
struct BodyMotion {
  using Segment = Eigen::Ref<const VectorX<Scalar>>;
  Vector3<Scalar> gravity;  ///< S^T g, m/s^2
  Segment q;                ///< n_q
  Segment v;                ///< (v, omega, q_dot), 6 + n_q       [P0, eq. 17]
  Segment v_dot;            ///< (v_dot, omega_dot, q_ddot)
};

/// Jacobians of f with respect to (delta r, delta theta, delta q) in the frame, to v and to v_dot (the mass
/// matrix).
template <class Scalar>
struct BodyJacobians {
  using Block = Eigen::Ref<MatrixX<Scalar>, 0, Eigen::OuterStride<>>;
  Block F_x, F_v, M;  ///< (6 + n_q) square each; overwritten
};

/// Scratch memory for one body; allocated once.
template <class Scalar>
struct BodyWorkspace {
  explicit BodyWorkspace(Eigen::Index n_q);
  VectorX<Scalar> ct, cr, gr, oe;  ///< coefficients at q, column-major entries
  MatrixX<Scalar> dJ;              ///< 9 x n_q: dJ/dq_k
  MatrixX<Scalar> dmc;             ///< 3 x n_q: dmc/dq_k
  VectorX<Scalar> gr_bar, oe_bar, cr_bar, qq;
};

/// Computes f of the file's head.
template <class Scalar>
void body_residual(const BodyLayout& layout, const Scalar* p, const BodyMotion<Scalar>& motion,
                   BodyWorkspace<Scalar>& ws, Eigen::Ref<VectorX<Scalar>> f);

/// Computes the exact Jacobians of f.
template <class Scalar>
void body_jacobians(const BodyLayout& layout, const Scalar* p, const BodyMotion<Scalar>& motion,
                    BodyWorkspace<Scalar>& ws, BodyJacobians<Scalar> out);

/// p_bar += (d f / d p)^T mu.    mu: (6 + n_q)
template <class Scalar>
void body_pullback(const BodyLayout& layout, const BodyMotion<Scalar>& motion,
                   const Eigen::Ref<const VectorX<Scalar>>& mu, BodyWorkspace<Scalar>& ws, Scalar* p_bar);

}  // namespace kurbel
