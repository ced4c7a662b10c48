#include "floating_frame/body_energy.hpp"

#include "base/instantiate.hpp"
#include "floating_frame/second_order_displacement.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

namespace {

template <class S>
using Entries = Eigen::Map<const Eigen::Matrix<S, 9, 1>>;

/// mc and J at q, and into the workspace Ct and Cr (column-major entries) and dJ/dq_k.
template <class S>
struct Inertia {
  S mass;
  Vector3<S> mc;
  Matrix3<S> J;

  Inertia(const BodyLayout& b, const S* p, const Eigen::Ref<const VectorX<S>>& q, BodyWorkspace<S>& ws)
      : mass(p[b.mass.offset]), mc(view<3>(b.mdCM0, p)) {
    Eigen::Map<Eigen::Matrix<S, 9, 1>> j(J.data());
    j = view<9>(b.J0, p);
    const Eigen::Index n = b.n_q;
    if (n == 0) return;
    mc.noalias() += view<3>(b.mdCM1, p) * q;
    add_second_order_moment<S>(b, p, q, mc);
    ws.ct = Eigen::Map<const VectorX<S>>(p + b.Ct0.offset, 3 * n);
    if (b.second_order()) ws.ct.noalias() += view(b.Ct1, p) * q;
    const auto Jn = view<9>(b.Jn, p);
    for (Eigen::Index k = 0; k < n; ++k) ws.dJ.col(k).noalias() = Jn.middleCols(k * n, n) * q;
    ws.dJ += view<9>(b.J1, p);
    j.noalias() += ws.dJ * q;
    for (Eigen::Index l = 0; l < n; ++l) ws.dJ.noalias() += Jn.middleCols(l * n, n) * q[l];
    ws.cr = Eigen::Map<const VectorX<S>>(p + b.Cr0.offset, 3 * n);
    ws.cr.noalias() += view(b.Cr1, p) * q;
  }
};

}  // namespace

template <class S>
BodyEnergy<S> body_energy(const BodyLayout& b, const S* p, const BodyMotion<S>& motion, const S& height,
                          BodyWorkspace<S>& ws) {
  const Inertia<S> c(b, p, motion.q, ws);
  const Vector3<S> v = motion.v.template head<3>(), omega = motion.v.template segment<3>(3);
  const Vector3<S> J_omega = c.J * omega;
  BodyEnergy<S> energy{0.5 * c.mass * dot(v, v) + dot(v, cross(omega, c.mc)) + 0.5 * dot(omega, J_omega),
                       S(0), -c.mass * height - dot(c.mc, motion.gravity)};
  const Eigen::Index n = b.n_q;
  if (n == 0) return energy;
  const auto q_dot = motion.v.tail(n);
  const Vector3<S> Ct_q_dot = Eigen::Map<const MatrixX<S>>(ws.ct.data(), n, 3).transpose() * q_dot;
  const Vector3<S> Cr_q_dot = Eigen::Map<const MatrixX<S>>(ws.cr.data(), n, 3).transpose() * q_dot;
  energy.kinetic +=
      dot(v, Ct_q_dot) + dot(omega, Cr_q_dot) + 0.5 * (q_dot.transpose() * view(b.Me, p) * q_dot).value();
  energy.elastic = 0.5 * (motion.q.transpose() * view(b.Ke, p) * motion.q).value();
  return energy;
}

template <class S>
void add_body_energy_partials(const BodyLayout& b, const S* p, const BodyMotion<S>& motion, const S& height,
                              const EnergyWeights& weights, BodyWorkspace<S>& ws,
                              Eigen::Ref<VectorX<S>> x_bar, Eigen::Ref<VectorX<S>> v_bar, S* p_bar) {
  const Inertia<S> c(b, p, motion.q, ws);
  const double w = weights.kinetic;
  const Vector3<S> v = motion.v.template head<3>(), omega = motion.v.template segment<3>(3);
  const Vector3<S>&g = motion.gravity, force = -weights.gravitational * g;
  const Vector3<S> mc_bar = w * cross(v, omega) + force;
  const Matrix3<S> J_bar = (0.5 * w) * omega * omega.transpose();
  const Entries<S> j_bar(J_bar.data());

  x_bar.template head<3>() += c.mass * force;
  x_bar.template segment<3>(3) += cross(c.mc, force);
  v_bar.template head<3>() += w * (c.mass * v + cross(omega, c.mc));
  v_bar.template segment<3>(3) += w * cross(c.mc, v) + (0.5 * w) * ((c.J + c.J.transpose()) * omega);
  p_bar[b.mass.offset] += 0.5 * w * dot(v, v) - weights.gravitational * height;
  view<3>(b.mdCM0, p_bar) += mc_bar;
  view<9>(b.J0, p_bar) += j_bar;
  const Eigen::Index n = b.n_q;
  if (n == 0) return;

  const auto& q = motion.q;
  const auto q_dot = motion.v.tail(n);
  const auto Me = view(b.Me, p), Ke = view(b.Ke, p);
  const Eigen::Map<const MatrixX<S>> Ct(ws.ct.data(), n, 3), Cr(ws.cr.data(), n, 3);
  v_bar.template head<3>().noalias() += w * (Ct.transpose() * q_dot);
  v_bar.template segment<3>(3).noalias() += w * (Cr.transpose() * q_dot);
  auto q_dot_bar = v_bar.tail(n);
  q_dot_bar.noalias() += w * (Ct * v);
  q_dot_bar.noalias() += w * (Cr * omega);
  q_dot_bar.noalias() += (0.5 * w) * (Me * q_dot);
  q_dot_bar.noalias() += (0.5 * w) * (Me.transpose() * q_dot);

  Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 3>>(ws.cr_bar.data(), n, 3).noalias() =
      (w * q_dot) * omega.transpose();
  auto q_bar = x_bar.tail(n);
  moment_derivative<S>(b, p, q, ws.dmc);
  q_bar.noalias() += ws.dmc.transpose() * mc_bar;
  q_bar.noalias() += ws.dJ.transpose() * j_bar;
  q_bar.noalias() += view(b.Cr1, p).transpose() * ws.cr_bar;
  q_bar.noalias() += (0.5 * weights.elastic) * (Ke * q);
  q_bar.noalias() += (0.5 * weights.elastic) * (Ke.transpose() * q);

  view<3>(b.mdCM1, p_bar).noalias() += mc_bar * q.transpose();
  view<9>(b.J1, p_bar).noalias() += j_bar * q.transpose();
  for (Eigen::Index k = 0; k < n; ++k) ws.qq.segment(k * n, n) = q[k] * q;
  view<9>(b.Jn, p_bar).noalias() += j_bar * ws.qq.transpose();
  view(b.Ct0, p_bar).noalias() += (w * q_dot) * v.transpose();
  if (b.second_order()) {
    Eigen::Map<Eigen::Matrix<S, Eigen::Dynamic, 3>> Ct_bar(ws.ct.data(), n, 3);
    Ct_bar.noalias() = (w * q_dot) * v.transpose();
    q_bar.noalias() += view(b.Ct1, p).transpose() * ws.ct;
    Ct_bar.noalias() += 0.5 * q * mc_bar.transpose();
    view(b.Ct1, p_bar).noalias() += ws.ct * q.transpose();
  }
  view(b.Cr0, p_bar) += Eigen::Map<const MatrixX<S>>(ws.cr_bar.data(), n, 3);
  view(b.Cr1, p_bar).noalias() += ws.cr_bar * q.transpose();
  view(b.Me, p_bar).noalias() += (0.5 * w * q_dot) * q_dot.transpose();
  view(b.Ke, p_bar).noalias() += (0.5 * weights.elastic * q) * q.transpose();
}

#define KURBEL_INSTANTIATE(S)                                                                             \
  template BodyEnergy<S> body_energy(const BodyLayout&, const S*, const BodyMotion<S>&, const S&,         \
                                     BodyWorkspace<S>&);                                                  \
  template void add_body_energy_partials(const BodyLayout&, const S*, const BodyMotion<S>&, const S&,     \
                                         const EnergyWeights&, BodyWorkspace<S>&, Eigen::Ref<VectorX<S>>, \
                                         Eigen::Ref<VectorX<S>>, S*);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
