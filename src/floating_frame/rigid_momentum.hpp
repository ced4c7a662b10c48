/// @file
/// Momenta of a rigid body in its frame, P = M (v, omega), with mc its first moments of mass:
///
///     P = (m v + omega x mc, mc x v + J omega)
///
/// Only the symmetric part of J counts: M has to be symmetric along every direction of parameter space.
#pragma once

#include "floating_frame/parameters.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

template <class S>
Matrix6<S> rigid_mass_matrix(const BodyLayout& body, const S* p) {
  const Matrix3<S> mc = tilde(view<3>(body.mdCM0, p).col(0));
  const Eigen::Map<const Matrix3<S>> J(p + body.J0.offset);
  Matrix6<S> M;
  M << Matrix3<S>::Identity() * p[body.mass.offset], -mc, mc, 0.5 * (J + J.transpose());
  return M;
}

/// p_bar += d(w . M V)/dp
template <class S>
void pull_back_rigid_momentum(const BodyLayout& body, const Vector6<S>& V, const Vector6<S>& w, S* p_bar) {
  const auto v = V.template head<3>(), omega = V.template tail<3>();
  const auto w_v = w.template head<3>(), w_omega = w.template tail<3>();
  p_bar[body.mass.offset] += dot(w_v, v);
  view<3>(body.mdCM0, p_bar) += cross(w_v, omega) + cross(v, w_omega);
  Eigen::Map<Matrix3<S>>(p_bar + body.J0.offset) +=
      0.5 * (w_omega * omega.transpose() + omega * w_omega.transpose());
}

}  // namespace kurbel
