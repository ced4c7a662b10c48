/// @file
/// Evaluates the equations of motion of one body, their Jacobians and their pull-back.         [P0, eqs 68-77]
///
/// body_dynamics.hpp has the equations and the letters v, omega, q, zeta, Omega, mc, J, Ct, Cr, Gr, Oe. All vectors are
/// in the body's reference frame. The code adds:
///
///     b, p                  layout of the coefficients, and the parameters that hold them
///     m, c                  parts of the motion (Parts), coefficients at q (Coefficients)
///     n                     n_q, number of elastic coordinates
///     f_t, f_r, f_e         rows of f: translation (N), rotation (N m), elastic coordinates
///     mu_t, mu_r, mu_e      the same parts of the weights mu
///     omega_t, mc_t, v_t, g_t   skew matrices of omega, mc, v, gravity: tilde(a) b = a x b
///     Gr_q_dot, Ge_q_dot    sum_k Gr_k q_dot_k (3 x 3), sum_l Ge_l q_dot_l (n x 3)
///     dmc, dJ, dCt, ...     derivatives by one q_l, or by all
///     X_bar                 d(mu . f)/dX of a coefficient X; j_bar: the 9 entries of J_bar
#include "floating_frame/body_dynamics.hpp"

#include "base/instantiate.hpp"
#include "floating_frame/second_order_displacement.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

namespace {

/// The motion split into its parts, and the products that several terms share.
template <class S>
struct Parts {
  explicit Parts(const BodyMotion<S>& m)
      : v(m.v.template head<3>()),
        omega(m.v.template segment<3>(3)),
        omega_dot(m.v_dot.template segment<3>(3)),
        zeta(m.v_dot.template head<3>() + cross(omega, v) - m.gravity) {
    Omega << omega[0] * omega[0], omega[1] * omega[1], omega[2] * omega[2], omega[0] * omega[1],
        omega[1] * omega[2], omega[0] * omega[2];
  }
  Vector3<S> v, omega, omega_dot, zeta;
  Vector6<S> Omega;
};

/// d Omega / d omega.
template <class S>
Eigen::Matrix<S, 6, 3> dOmega(const Vector3<S>& w) {
  const S o(0);
  Eigen::Matrix<S, 6, 3> d;
  d << 2.0 * w[0], o, o, o, 2.0 * w[1], o, o, o, 2.0 * w[2], w[1], w[0], o, o, w[2], w[1], w[2], o, w[0];
  return d;
}

template <class S>
using MatMap = Eigen::Map<const MatrixX<S>>;
template <class S>
using Mat3Map = Eigen::Map<const Matrix3<S>>;
template <class S>
using Mat3nMap = Eigen::Map<const Eigen::Matrix<S, 3, Eigen::Dynamic>>;

template <class S>
using Outer = Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 3>>;

/// Evaluates the coefficients at q: mc and J here; Ct, Cr, Gr and Oe in the workspace (column-major entries).
template <class S>
struct Coefficients {
  Vector3<S> mc;
  Matrix3<S> J;

  Coefficients(const BodyLayout& b, const S* p, const Eigen::Ref<const VectorX<S>>& q, BodyWorkspace<S>& ws) {
    mc = view<3>(b.mdCM0, p);
    Eigen::Map<Eigen::Matrix<S, 9, 1>> j(J.data());
    j = view<9>(b.J0, p);
    if (b.n_q == 0) return;
    const Eigen::Index n = b.n_q;
    mc.noalias() += view<3>(b.mdCM1, p) * q;
    add_second_order_moment<S>(b, p, q, mc);
    ws.ct = MatMap<S>(p + b.Ct0.offset, 3 * n, 1);
    if (b.second_order()) ws.ct.noalias() += view(b.Ct1, p) * q;
    // J = J0 + sum_k (J1_k + sum_l Jn_kl q_l) q_k. Column k of ws.dJ holds the bracket.
    for (Eigen::Index k = 0; k < n; ++k) {
      ws.dJ.col(k).noalias() = view<9>(b.Jn, p).middleCols(k * n, n) * q;
    }
    ws.dJ += view<9>(b.J1, p);
    j.noalias() += ws.dJ * q;
    ws.cr = MatMap<S>(p + b.Cr0.offset, 3 * n, 1);
    ws.cr.noalias() += view(b.Cr1, p) * q;
    ws.gr = MatMap<S>(p + b.Gr0.offset, 9 * n, 1);
    ws.gr.noalias() += view(b.Gr1, p) * q;
    ws.oe = MatMap<S>(p + b.Oe0.offset, 6 * n, 1);
    ws.oe.noalias() += view(b.Oe1, p) * q;
  }
};

}  // namespace

template <class S>
BodyWorkspace<S>::BodyWorkspace(Eigen::Index n_q)
    : ct(3 * n_q),
      cr(3 * n_q),
      gr(9 * n_q),
      oe(6 * n_q),
      dJ(9, n_q),
      dmc(3, n_q),
      gr_bar(9 * n_q),
      oe_bar(6 * n_q),
      cr_bar(3 * n_q),
      qq(n_q * n_q) {}

template <class S>
void body_residual(const BodyLayout& b, const S* p, const BodyMotion<S>& motion, BodyWorkspace<S>& ws,
                   Eigen::Ref<VectorX<S>> f) {
  const Parts<S> m(motion);
  const Coefficients<S> c(b, p, motion.q, ws);
  const S mass = p[b.mass.offset];
  const Vector3<S> J_omega = c.J * m.omega;
  Vector3<S> f_t = mass * m.zeta + cross(m.omega_dot, c.mc) + cross(m.omega, cross(m.omega, c.mc));
  Vector3<S> f_r = cross(c.mc, m.zeta) + c.J * m.omega_dot + cross(m.omega, J_omega);
  if (b.n_q > 0) {
    const Eigen::Index n = b.n_q;
    const auto q_dot = motion.v.tail(n), q_ddot = motion.v_dot.tail(n);
    const MatMap<S> Ct(ws.ct.data(), n, 3), Cr(ws.cr.data(), n, 3), Oe(ws.oe.data(), n, 6);
    Matrix3<S> Gr_q_dot;
    Eigen::Map<Eigen::Matrix<S, 9, 1>>(Gr_q_dot.data()).noalias() = MatMap<S>(ws.gr.data(), 9, n) * q_dot;
    const Vector3<S> Ct_q_dot = Ct.transpose() * q_dot;
    f_t += 2.0 * cross(m.omega, Ct_q_dot);
    f_t.noalias() += Ct.transpose() * q_ddot;
    f_r += Gr_q_dot * m.omega + Cr.transpose() * q_ddot;
    if (b.second_order()) {
      f_t += twice_contracted<S>(b.Ct1, p, q_dot, q_dot);
      f_r += twice_contracted<S>(b.Cr1, p, q_dot, q_dot);
    }
    ws.cr_bar.noalias() = view(b.Ge, p) * q_dot;
    auto f_e = f.tail(n);
    f_e = view(b.ksigma, p);
    f_e.noalias() += Ct * m.zeta + Cr * m.omega_dot;
    f_e.noalias() += Oe * m.Omega + MatMap<S>(ws.cr_bar.data(), n, 3) * m.omega;
    f_e.noalias() += view(b.Me, p) * q_ddot;
    f_e.noalias() += view(b.Ke, p) * motion.q;
    f_e.noalias() += view(b.De, p) * q_dot;
  }
  f.template head<3>() = f_t;
  f.template segment<3>(3) = f_r;
}

namespace {

template <class S>
void rigid_jacobians(S mass, const Parts<S>& m, const Coefficients<S>& c, const Vector3<S>& gravity,
                     BodyJacobians<S>& out) {
  const Matrix3<S> E = Matrix3<S>::Identity();
  const Matrix3<S> omega_t = tilde(m.omega), mc_t = tilde(c.mc), v_t = tilde(m.v), g_t = tilde(gravity);
  const Vector3<S> omega_mc = cross(m.omega, c.mc), J_omega = c.J * m.omega;

  auto M = out.M.template topLeftCorner<6, 6>();
  M.template topLeftCorner<3, 3>() = mass * E;
  M.template topRightCorner<3, 3>() = -mc_t;
  M.template bottomLeftCorner<3, 3>() = mc_t;
  M.template bottomRightCorner<3, 3>() = c.J;

  auto F_v = out.F_v.template topLeftCorner<6, 6>();
  F_v.template topLeftCorner<3, 3>() = mass * omega_t;
  F_v.template topRightCorner<3, 3>() = -mass * v_t - tilde(omega_mc) - omega_t * mc_t;
  F_v.template bottomLeftCorner<3, 3>() = mc_t * omega_t;
  F_v.template bottomRightCorner<3, 3>() = -mc_t * v_t + omega_t * c.J - tilde(J_omega);

  auto F_x = out.F_x.template topLeftCorner<6, 6>();
  F_x.template leftCols<3>().setZero();
  F_x.template topRightCorner<3, 3>() = -mass * g_t;
  F_x.template bottomRightCorner<3, 3>() = -mc_t * g_t;
}

template <class S>
void elastic_mass(const BodyLayout& b, const S* p, const MatMap<S>& Ct, const MatMap<S>& Cr,
                  BodyJacobians<S>& out) {
  const Eigen::Index n = b.n_q;
  out.M.block(0, 6, 3, n) = Ct.transpose();
  out.M.block(3, 6, 3, n) = Cr.transpose();
  out.M.block(6, 0, n, 3) = Ct;
  out.M.block(6, 3, n, 3) = Cr;
  out.M.block(6, 6, n, n) = view(b.Me, p);
}

/// Adds the derivatives that a second-order displacement has besides that of mc: those of Ct at q, and those of the
/// rates with Ct1 and Cr1 by q_dot.
template <class S>
void add_second_order_jacobians(const BodyLayout& b, const S* p, const BodyMotion<S>& motion,
                                const Parts<S>& m, BodyJacobians<S>& out) {
  const Eigen::Index n = b.n_q;
  const auto q_dot = motion.v.tail(n), q_ddot = motion.v_dot.tail(n);
  for (Eigen::Index l = 0; l < n; ++l) {
    const MatMap<S> dCt(p + b.Ct1.offset + 3 * n * l, n, 3);
    const Vector3<S> dCt_q_dot = dCt.transpose() * q_dot;
    out.F_x.col(6 + l).template head<3>().noalias() += dCt.transpose() * q_ddot;
    out.F_x.col(6 + l).template head<3>() += 2.0 * cross(m.omega, dCt_q_dot);
    out.F_x.col(6 + l).tail(n).noalias() += dCt * m.zeta;
    out.F_v.col(6 + l).template head<3>() += contraction_derivative<S>(b.Ct1, p, q_dot, l);
    out.F_v.col(6 + l).template segment<3>(3) += contraction_derivative<S>(b.Cr1, p, q_dot, l);
  }
}

}  // namespace

template <class S>
void body_jacobians(const BodyLayout& b, const S* p, const BodyMotion<S>& motion, BodyWorkspace<S>& ws,
                    BodyJacobians<S> out) {
  const Parts<S> m(motion);
  const Coefficients<S> c(b, p, motion.q, ws);
  rigid_jacobians<S>(p[b.mass.offset], m, c, motion.gravity, out);
  const Eigen::Index n = b.n_q;
  if (n == 0) return;

  const auto q_dot = motion.v.tail(n), q_ddot = motion.v_dot.tail(n);
  const MatMap<S> Ct(ws.ct.data(), n, 3), Cr(ws.cr.data(), n, 3), Oe(ws.oe.data(), n, 6);
  const Matrix3<S> omega_t = tilde(m.omega), g_t = tilde(motion.gravity);
  elastic_mass<S>(b, p, Ct, Cr, out);

  Matrix3<S> Gr_q_dot;
  Eigen::Map<Eigen::Matrix<S, 9, 1>>(Gr_q_dot.data()).noalias() = MatMap<S>(ws.gr.data(), 9, n) * q_dot;
  const Vector3<S> Ct_q_dot = Ct.transpose() * q_dot;
  ws.cr_bar.noalias() = view(b.Ge, p) * q_dot;
  const MatMap<S> Ge_q_dot(ws.cr_bar.data(), n, 3);

  out.F_v.template block<3, 3>(0, 3) -= 2.0 * tilde(Ct_q_dot);
  out.F_v.template block<3, 3>(3, 3) += Gr_q_dot;
  out.F_v.block(0, 6, 3, n).noalias() = 2.0 * omega_t * Ct.transpose();
  for (Eigen::Index k = 0; k < n; ++k) {
    out.F_v.template block<3, 1>(3, 6 + k).noalias() = Mat3Map<S>(ws.gr.data() + 9 * k) * m.omega;
    out.F_v.block(6, 6 + k, n, 1).noalias() = MatMap<S>(p + b.Ge.offset + 3 * n * k, n, 3) * m.omega;
  }
  out.F_v.block(6, 0, n, 3).noalias() = Ct * omega_t;
  out.F_v.block(6, 3, n, 3).noalias() = Oe * dOmega(m.omega);
  out.F_v.block(6, 3, n, 3).noalias() -= Ct * tilde(m.v);
  out.F_v.block(6, 3, n, 3) += Ge_q_dot;
  out.F_v.block(6, 6, n, n) += view(b.De, p);

  out.F_x.block(6, 0, n, 3).setZero();
  out.F_x.block(6, 3, n, 3).noalias() = -Ct * g_t;
  moment_derivative<S>(b, p, motion.q, ws.dmc);
  const Matrix3<S> centripetal = tilde(m.omega_dot) + omega_t * omega_t;
  out.F_x.block(0, 6, 3, n).noalias() = centripetal * ws.dmc;
  out.F_x.block(3, 6, 3, n).noalias() = -tilde(m.zeta) * ws.dmc;
  for (Eigen::Index l = 0; l < n; ++l) {  // completes dJ/dq_k by the terms in which q_k is the second factor
    ws.dJ.noalias() += view<9>(b.Jn, p).middleCols(l * n, n) * motion.q[l];
  }
  for (Eigen::Index l = 0; l < n; ++l) {
    const Mat3Map<S> dJ(ws.dJ.data() + 9 * l);
    Matrix3<S> dGr_q_dot;
    Eigen::Map<Eigen::Matrix<S, 9, 1>>(dGr_q_dot.data()).noalias() =
        MatMap<S>(p + b.Gr1.offset + 9 * n * l, 9, n) * q_dot;
    const MatMap<S> dCr(p + b.Cr1.offset + 3 * n * l, n, 3), dOe(p + b.Oe1.offset + 6 * n * l, n, 6);
    const Vector3<S> dJ_omega = dJ * m.omega;
    auto column = out.F_x.col(6 + l);
    column.template segment<3>(3) += dJ * m.omega_dot + cross(m.omega, dJ_omega) + dGr_q_dot * m.omega;
    column.template segment<3>(3).noalias() += dCr.transpose() * q_ddot;
    column.tail(n).noalias() = dCr * m.omega_dot;
    column.tail(n).noalias() += dOe * m.Omega;
  }
  out.F_x.block(6, 6, n, n) += view(b.Ke, p);
  if (b.second_order()) add_second_order_jacobians<S>(b, p, motion, m, out);
}

namespace {

/// Pulls back through mc and Ct at q and through the rates of a second-order displacement, to Ct1 and Cr1.
/// @param Ct_bar  (n_q x 3)   of Ct at q; overwritten
/// @param outer   (3 n_q)     scratch memory
template <class S>
void pullback_second_order(const BodyLayout& b, const BodyMotion<S>& motion, const Vector3<S>& mc_bar,
                           const Vector3<S>& mu_t, const Vector3<S>& mu_r, VectorX<S>& Ct_bar,
                           VectorX<S>& outer, S* p_bar) {
  const Eigen::Index n = b.n_q;
  const auto& q = motion.q;
  const auto q_dot = motion.v.tail(n);
  auto Ct1_bar = view(b.Ct1, p_bar);
  Outer<S>(Ct_bar.data(), n, 3).noalias() += 0.5 * q * mc_bar.transpose();
  Ct1_bar.noalias() += Ct_bar * q.transpose();
  Outer<S> rates(outer.data(), n, 3);
  rates.noalias() = q_dot * mu_t.transpose();
  Ct1_bar.noalias() += outer * q_dot.transpose();
  rates.noalias() = q_dot * mu_r.transpose();
  view(b.Cr1, p_bar).noalias() += outer * q_dot.transpose();
}

}  // namespace

template <class S>
void body_pullback(const BodyLayout& b, const BodyMotion<S>& motion, const Eigen::Ref<const VectorX<S>>& mu,
                   BodyWorkspace<S>& ws, S* p_bar) {
  const Parts<S> m(motion);
  const Vector3<S> mu_t = mu.template head<3>(), mu_r = mu.template segment<3>(3);
  const Vector3<S> mu_r_omega = cross(mu_r, m.omega);
  const Vector3<S> mc_bar =
      cross(mu_t, m.omega_dot) + cross(m.omega, cross(m.omega, mu_t)) + cross(m.zeta, mu_r);
  const Matrix3<S> J_bar = mu_r * m.omega_dot.transpose() + mu_r_omega * m.omega.transpose();
  const Eigen::Map<const Eigen::Matrix<S, 9, 1>> j_bar(J_bar.data());
  p_bar[b.mass.offset] += dot(mu_t, m.zeta);
  view<3>(b.mdCM0, p_bar) += mc_bar;
  view<9>(b.J0, p_bar) += j_bar;
  const Eigen::Index n = b.n_q;
  if (n == 0) return;

  const auto& q = motion.q;
  const auto q_dot = motion.v.tail(n), q_ddot = motion.v_dot.tail(n);
  const auto mu_e = mu.tail(n);
  view<3>(b.mdCM1, p_bar).noalias() += mc_bar * q.transpose();
  view<9>(b.J1, p_bar).noalias() += j_bar * q.transpose();
  for (Eigen::Index k = 0; k < n; ++k) ws.qq.segment(k * n, n) = q[k] * q;
  view<9>(b.Jn, p_bar).noalias() += j_bar * ws.qq.transpose();

  const Vector3<S> mu_t_omega = 2.0 * cross(mu_t, m.omega);
  Outer<S> Ct_bar(ws.ct.data(), n, 3);
  Ct_bar.noalias() = q_ddot * mu_t.transpose();
  Ct_bar.noalias() += q_dot * mu_t_omega.transpose();
  Ct_bar.noalias() += mu_e * m.zeta.transpose();
  view(b.Ct0, p_bar) += Ct_bar;
  if (b.second_order()) pullback_second_order<S>(b, motion, mc_bar, mu_t, mu_r, ws.ct, ws.cr_bar, p_bar);

  Outer<S> Cr_bar(ws.cr_bar.data(), n, 3);
  Cr_bar.noalias() = q_ddot * mu_r.transpose();
  Cr_bar.noalias() += mu_e * m.omega_dot.transpose();
  view(b.Cr0, p_bar) += Cr_bar;
  view(b.Cr1, p_bar).noalias() += ws.cr_bar * q.transpose();

  view(b.Me, p_bar).noalias() += mu_e * q_ddot.transpose();

  const Matrix3<S> g = mu_r * m.omega.transpose();
  for (Eigen::Index k = 0; k < n; ++k) {
    ws.gr_bar.template segment<9>(9 * k) = q_dot[k] * Eigen::Map<const Eigen::Matrix<S, 9, 1>>(g.data());
  }
  Eigen::Map<VectorX<S>>(p_bar + b.Gr0.offset, 9 * n) += ws.gr_bar;
  view(b.Gr1, p_bar).noalias() += ws.gr_bar * q.transpose();

  Cr_bar.noalias() = mu_e * m.omega.transpose();
  view(b.Ge, p_bar).noalias() += ws.cr_bar * q_dot.transpose();

  Eigen::Map<MatrixX<S>>(ws.oe_bar.data(), n, 6).noalias() = mu_e * m.Omega.transpose();
  Eigen::Map<VectorX<S>>(p_bar + b.Oe0.offset, 6 * n) += ws.oe_bar;
  view(b.Oe1, p_bar).noalias() += ws.oe_bar * q.transpose();

  view(b.ksigma, p_bar) += mu_e;
  view(b.Ke, p_bar).noalias() += mu_e * q.transpose();
  view(b.De, p_bar).noalias() += mu_e * q_dot.transpose();
}

#define KURBEL_INSTANTIATE(S)                                                                               \
  template struct BodyWorkspace<S>;                                                                         \
  template void body_residual(const BodyLayout&, const S*, const BodyMotion<S>&, BodyWorkspace<S>&,         \
                              Eigen::Ref<VectorX<S>>);                                                      \
  template void body_jacobians(const BodyLayout&, const S*, const BodyMotion<S>&, BodyWorkspace<S>&,        \
                               BodyJacobians<S>);                                                           \
  template void body_pullback(const BodyLayout&, const BodyMotion<S>&, const Eigen::Ref<const VectorX<S>>&, \
                              BodyWorkspace<S>&, S*);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
