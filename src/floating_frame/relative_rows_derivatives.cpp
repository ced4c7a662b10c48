/// @file
/// Differentiates c, c_dot and c_ddot of the rows by x and by v.                              [P0, eqs 53-56]
///
/// Each vector that is a factor of a row gets a jet: its time derivatives with their Jacobians. The rows and their
/// Jacobians follow by the product rule. Letters besides those of relative_rows_detail.hpp:
///
///     y[k]        k-th time derivative of a factor, in the inertial frame
///     x[k], v[k]  derivatives of y[k] by the tangent coordinates x and the velocities v of the pair
///     c           a vector and its time derivatives in the frame of the body (Carried)
///     r           velocity and acceleration of that frame, in the frame (FrameRates)
///     w[k]        y[k] in that frame, y[k] = S w[k]
///     b0, b1, b2  skew matrices of a0 and its time derivatives
///     Q           S with the sign of the end in p^t - p^f
///     omega2      omega~ omega~ + omega_dot~
///     column      where the tangent coordinates of an end begin
#include "base/instantiate.hpp"
#include "floating_frame/marker_motion.hpp"
#include "floating_frame/relative_rows_detail.hpp"

namespace kurbel {

template <class S>
void RelativeRows<S>::axis_jet(const End& end, const BodyKinematics<S>& body, int axis, Eigen::Index column,
                               typename Workspace::Jet& jet) const {
  const VectorMotion<S> a0 = axis_motion<S>(end.axes0, axis);
  const FrameRates<S> r = frame_rates(end.n, body);
  const Carried<S> psi{end.psi, elastic_rate(end.has_shapes, end.Psi, body.v, end.n_q),
                       elastic_rate(end.has_shapes, end.Psi, body.v_dot, end.n_q)};
  const Carried<S> c = carried_axis(psi, a0);
  const VectorMotion<S> w = frame_derivatives(r, c);
  for (int k = 0; k < 3; ++k) {
    jet.y[k] = end.S * w[k];
    jet.x[k].setZero(), jet.v[k].setZero();
  }
  if (end.n == 0) return;
  const Matrix3<S> omega_t = tilde(r.omega);
  for (int k = 0; k < 3; ++k) jet.x[k].template middleCols<3>(column + 3) = -end.S * tilde(w[k]);
  jet.v[1].template middleCols<3>(column + 3) = -end.S * tilde(c.a);
  const Matrix3<S> by_omega = tilde(cross(r.omega, c.a)) + omega_t * tilde(c.a) + 2.0 * tilde(c.a_dot);
  jet.v[2].template middleCols<3>(column + 3) = -end.S * by_omega;
  if (!end.has_shapes) return;
  const Matrix3<S> b0 = tilde(a0[0]), b1 = tilde(a0[1]), b2 = tilde(a0[2]);
  const auto elastic = [&](auto& field, const Matrix3<S>& factor) {
    field.middleCols(column + 6, end.n_q).noalias() = -(end.S * factor) * end.Psi;
  };
  const Matrix3<S> omega2 = omega_t * omega_t + tilde(r.omega_dot);
  elastic(jet.x[0], b0);
  elastic(jet.x[1], omega_t * b0 + b1);
  elastic(jet.x[2], omega2 * b0 + 2.0 * omega_t * b1 + b2);
  elastic(jet.v[1], b0);
  elastic(jet.v[2], 2.0 * omega_t * b0 + 2.0 * b1);
}

template <class S>
void RelativeRows<S>::distance_jet(const Pair& pair, const Ends& ends, typename Workspace::Jet& jet) const {
  for (int k = 0; k < 3; ++k) jet.y[k].setZero(), jet.x[k].setZero(), jet.v[k].setZero();
  const auto add_point = [&](const End& end, const BodyKinematics<S>& body, Eigen::Index column,
                             double sign) {
    jet.y[0] += sign * end.point;
    if (end.n == 0) return;
    const FrameRates<S> r = frame_rates(end.n, body);
    Carried<S> c{end.u, elastic_rate(end.has_shapes, end.Phi, body.v, end.n_q),
                 elastic_rate(end.has_shapes, end.Phi, body.v_dot, end.n_q)};
    if (end.second_order() && body.v) {
      const Eigen::Map<const VectorX<S>> q_dot(body.v + 6, end.n_q);
      c.a_ddot += second_order_product(end.layout, end.parameters, q_dot, q_dot);
    }
    VectorMotion<S> w = frame_derivatives(r, c);
    w[1] += r.v;
    w[2] += r.v_dot + cross(r.omega, r.v);
    const Matrix3<S> Q = sign * end.S;
    for (int k = 1; k < 3; ++k) {
      jet.y[k] += Q * w[k];
      jet.x[k].template middleCols<3>(column + 3) = -Q * tilde(w[k]);
    }
    const Matrix3<S> omega_t = tilde(r.omega);
    jet.x[0].template middleCols<3>(column) = Q;
    jet.x[0].template middleCols<3>(column + 3) = -Q * tilde(end.u);
    const Matrix3<S> by_omega =
        tilde(r.v) + tilde(cross(r.omega, end.u)) + omega_t * tilde(end.u) + 2.0 * tilde(c.a_dot);
    jet.v[2].template middleCols<3>(column) = Q * omega_t;
    jet.v[2].template middleCols<3>(column + 3) = -Q * by_omega;
    if (end.has_shapes) {
      const Matrix3<S> omega2 = omega_t * omega_t + tilde(r.omega_dot);
      jet.x[0].middleCols(column + 6, end.n_q).noalias() = Q * end.Phi;
      jet.x[1].middleCols(column + 6, end.n_q).noalias() = (Q * omega_t) * end.Phi;
      jet.x[2].middleCols(column + 6, end.n_q).noalias() = (Q * omega2) * end.Phi;
      jet.v[2].middleCols(column + 6, end.n_q).noalias() = (2.0 * Q * omega_t) * end.Phi;
    }
    if (end.second_order()) add_second_order_jet(end, body, r.omega, Q, column + 6, jet);
  };
  add_point(pair.t, ends.to, 0, 1.0);
  add_point(pair.f, ends.from, pair.t.n, -1.0);
  jet.v[1] = jet.x[0];
}

/// Adds the derivatives of u_dot and u_ddot that a second-order displacement has besides: its Phi depends on q.
template <class S>
void RelativeRows<S>::add_second_order_jet(const End& end, const BodyKinematics<S>& body,
                                           const Vector3<S>& omega, const Matrix3<S>& Q, Eigen::Index column,
                                           typename Workspace::Jet& jet) const {
  using Map = Eigen::Map<const VectorX<S>>;
  for (Eigen::Index l = 0; l < end.n_q; ++l) {
    if (body.v) {
      const Vector3<S> g = second_order_column(end.layout, end.parameters, Map(body.v + 6, end.n_q), l);
      const Vector3<S> Q_g = Q * g;
      jet.x[1].col(column + l) += Q_g;
      jet.x[2].col(column + l) += 2.0 * (Q * cross(omega, g));
      jet.v[2].col(column + l) += 2.0 * Q_g;
    }
    if (body.v_dot) {
      jet.x[2].col(column + l) +=
          Q * second_order_column(end.layout, end.parameters, Map(body.v_dot + 6, end.n_q), l);
    }
  }
}

template <class S>
void RelativeRows<S>::derivatives(const S* p, const Ends& ends, Workspace& ws, Derivatives& out) const {
  const Pair pair(*this, p, ends);
  for (Vec* c : {&out.c, &out.c_dot, &out.c_ddot}) c->setZero(n_rows_);
  for (Matrix* m : {&out.c_x, &out.c_dot_x, &out.c_ddot_x, &out.c_ddot_v}) m->setZero(n_rows_, n_tangent());

  using Jet = typename Workspace::Jet;
  // Adds (factor y)^T field to a row without a temporary. A field may be wider than the row.
  const auto add = [](auto row, const S& factor, const Vector3<S>& y,
                      const typename Workspace::Field& field) {
    const Vector3<S> weighted = factor * y;
    row.noalias() += weighted.transpose() * field.leftCols(row.size());
  };
  const auto add_product = [&](int row, const S& weight, const Jet& a, const Jet& b) {
    out.c[row] += weight * dot(a.y[0], b.y[0]);
    out.c_dot[row] += weight * (dot(a.y[1], b.y[0]) + dot(a.y[0], b.y[1]));
    out.c_ddot[row] += weight * (dot(a.y[2], b.y[0]) + 2.0 * dot(a.y[1], b.y[1]) + dot(a.y[0], b.y[2]));
    for (const auto& [u, w] :
         {std::pair<const Jet&, const Jet&>(a, b), std::pair<const Jet&, const Jet&>(b, a)}) {
      add(out.c_x.row(row), weight, w.y[0], u.x[0]);
      add(out.c_dot_x.row(row), weight, w.y[0], u.x[1]);
      add(out.c_dot_x.row(row), weight, w.y[1], u.x[0]);
      add(out.c_ddot_x.row(row), weight, w.y[0], u.x[2]);
      add(out.c_ddot_x.row(row), 2.0 * weight, w.y[1], u.x[1]);
      add(out.c_ddot_x.row(row), weight, w.y[2], u.x[0]);
      add(out.c_ddot_v.row(row), weight, w.y[0], u.v[2]);
      add(out.c_ddot_v.row(row), 2.0 * weight, w.y[1], u.v[1]);
    }
  };
  std::array<bool, n_factors> is_factor{};
  for_each_product(p, [&](int, const S&, int a, int b) { is_factor[a] = is_factor[b] = true; });
  for (int k = 0; k < 3; ++k) {
    if (is_factor[axis_of_to(k)]) axis_jet(pair.t, ends.to, k, 0, ws.factors[axis_of_to(k)]);
    if (is_factor[axis_of_from(k)]) axis_jet(pair.f, ends.from, k, pair.t.n, ws.factors[axis_of_from(k)]);
  }
  if (is_factor[distance_factor]) distance_jet(pair, ends, ws.factors[distance_factor]);
  for_each_product(p, [&](int row, const S& weight, int a, int b) {
    add_product(row, weight, ws.factors[a], ws.factors[b]);
  });
  if (length_ >= 0) out.c[half_square_row_] -= 0.5 * p[length_];
  for (int k = 0; k < 3; ++k) {
    const int row = translation_row_[k];
    if (row < 0) continue;
    out.c[row] -= ends.shift[k].value;
    out.c_dot[row] -= ends.shift[k].rate;
    out.c_ddot[row] -= ends.shift[k].acceleration;
  }
}

#define KURBEL_INSTANTIATE(S) \
  template void RelativeRows<S>::derivatives(const S*, const Ends&, Workspace&, Derivatives&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
