#include "multibody/relative_rows.hpp"
#include "multibody/relative_rows_detail.hpp"

namespace kurbel {

namespace {

/// A vector in the frame of its body and its first two time derivatives there.
template <class S>
struct Carried {
  Vector3<S> a, a_dot, a_ddot;
};

/// a = (E + psi~) a0(t).
template <class S>
Carried<S> carried_axis(const Vector3<S>& psi, const Vector3<S>& psi_dot, const Vector3<S>& psi_ddot,
                        const Vector3<S> (&a0)[3]) {
  Carried<S> c;
  c.a = a0[0] + cross(psi, a0[0]);
  c.a_dot = a0[1] + cross(psi, a0[1]) + cross(psi_dot, a0[0]);
  c.a_ddot = a0[2] + cross(psi, a0[2]) + 2.0 * cross(psi_dot, a0[1]) + cross(psi_ddot, a0[0]);
  return c;
}

template <class S>
struct FrameRates {
  Vector3<S> v, omega, v_dot, omega_dot;
};

template <class S>
FrameRates<S> frame_rates(Eigen::Index n, const BodyKinematics<S>& body) {
  FrameRates<S> r{Vector3<S>::Zero(), Vector3<S>::Zero(), Vector3<S>::Zero(), Vector3<S>::Zero()};
  if (n == 0) return r;
  using Map3 = Eigen::Map<const Vector3<S>>;
  if (body.v) r.v = Map3(body.v), r.omega = Map3(body.v + 3);
  if (body.v_dot) r.v_dot = Map3(body.v_dot), r.omega_dot = Map3(body.v_dot + 3);
  return r;
}

/// shapes * (elastic part of a velocity vector), zero where there is none.
template <class S, class Shapes>
Vector3<S> elastic_rate(bool has_shapes, const Shapes& shapes, const S* velocity, Eigen::Index n_q) {
  if (!has_shapes || !velocity) return Vector3<S>::Zero();
  return shapes * Eigen::Map<const VectorX<S>>(velocity + 6, n_q);
}

/// w_k with y^(k) = S w_k for a vector carried by the frame (a point adds v and v_dot).
template <class S>
void frame_derivatives(const FrameRates<S>& r, const Carried<S>& c, Vector3<S> (&w)[3]) {
  const Vector3<S> omega_a = cross(r.omega, c.a);
  w[0] = c.a;
  w[1] = omega_a + c.a_dot;
  w[2] = cross(r.omega, omega_a) + 2.0 * cross(r.omega, c.a_dot) + cross(r.omega_dot, c.a) + c.a_ddot;
}

}  // namespace

template <class S>
void RelativeRows<S>::axis_jet(const End& end, const BodyKinematics<S>& body, const Vector3d (&a0_in)[3],
                               Eigen::Index column, typename Workspace::Jet& jet) const {
  const Vector3<S> a0[3] = {a0_in[0].cast<S>(), a0_in[1].cast<S>(), a0_in[2].cast<S>()};
  const FrameRates<S> r = frame_rates(end.n, body);
  const auto c = carried_axis<S>(end.psi, elastic_rate(end.has_shapes, end.Psi, body.v, end.n_q),
                                 elastic_rate(end.has_shapes, end.Psi, body.v_dot, end.n_q), a0);
  Vector3<S> w[3];
  frame_derivatives(r, c, w);
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
    const Carried<S> c{end.u, elastic_rate(end.has_shapes, end.Phi, body.v, end.n_q),
                       elastic_rate(end.has_shapes, end.Phi, body.v_dot, end.n_q)};
    Vector3<S> w[3];
    frame_derivatives(r, c, w);
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
  };
  add_point(pair.t, ends.to, 0, 1.0);
  add_point(pair.f, ends.from, pair.t.n, -1.0);
  jet.v[1] = jet.x[0];
}

template <class S>
void RelativeRows<S>::derivatives(const S* p, const Ends& ends, Workspace& ws, Derivatives& out) const {
  const Pair pair(*this, p, ends);
  for (Vec* c : {&out.c, &out.c_dot, &out.c_ddot}) c->setZero(n_rows_);
  for (Matrix* m : {&out.c_x, &out.c_dot_x, &out.c_ddot_x, &out.c_ddot_v}) m->setZero(n_rows_, n_tangent());

  using Jet = typename Workspace::Jet;
  const Eigen::Index n = n_tangent();  // the jets may be wider
  const auto add_product = [&](int row, double weight, const Jet& a, const Jet& b) {
    out.c[row] += weight * dot(a.y[0], b.y[0]);
    out.c_dot[row] += weight * (dot(a.y[1], b.y[0]) + dot(a.y[0], b.y[1]));
    out.c_ddot[row] += weight * (dot(a.y[2], b.y[0]) + 2.0 * dot(a.y[1], b.y[1]) + dot(a.y[0], b.y[2]));
    for (const auto& [u, w] :
         {std::pair<const Jet&, const Jet&>(a, b), std::pair<const Jet&, const Jet&>(b, a)}) {
      out.c_x.row(row) += weight * w.y[0].transpose() * u.x[0].leftCols(n);
      out.c_dot_x.row(row) +=
          weight * (w.y[0].transpose() * u.x[1].leftCols(n) + w.y[1].transpose() * u.x[0].leftCols(n));
      out.c_ddot_x.row(row) +=
          weight * (w.y[0].transpose() * u.x[2].leftCols(n) + 2.0 * w.y[1].transpose() * u.x[1].leftCols(n) +
                    w.y[2].transpose() * u.x[0].leftCols(n));
      out.c_ddot_v.row(row) +=
          weight * (w.y[0].transpose() * u.v[2].leftCols(n) + 2.0 * w.y[1].transpose() * u.v[1].leftCols(n));
    }
  };
  const auto jet_of = [&](const End& end, const BodyKinematics<S>& body, int k, Eigen::Index column,
                          Jet& jet) {
    const Vector3d a0[3] = {end.axes0[0].col(k), end.axes0[1].col(k), end.axes0[2].col(k)};
    axis_jet(end, body, a0, column, jet);
  };
  for (int k = 0; k < 3; ++k) {
    jet_of(pair.t, ends.to, k, 0, ws.axes_t[k]);
    jet_of(pair.f, ends.from, k, pair.t.n, ws.axes_f[k]);
  }
  distance_jet(pair, ends, ws.distance);

  for (int k = 0; k < 3; ++k) {
    const int row = translation_row_[k];
    if (row < 0) continue;
    add_product(row, 1.0, ws.axes_t[k], ws.distance);
    out.c[row] -= ends.shift[k].value;
    out.c_dot[row] -= ends.shift[k].rate;
    out.c_ddot[row] -= ends.shift[k].acceleration;
  }
  for (const RotationTerm& term : rotation_terms_) {
    add_product(term.row, term.coefficient, ws.axes_f[term.i], ws.axes_t[term.j]);
  }
  if (half_square_row_ >= 0) add_product(half_square_row_, 0.5, ws.distance, ws.distance);
}

namespace {

/// Sensitivities of a carried vector and its rates, from those of y, y_dot, y_ddot in the inertial frame.
template <class S>
Carried<S> carried_bar(const Matrix3<S>& frame, const FrameRates<S>& r, const Vector3<S> (&y_bar)[3]) {
  const Vector3<S> w0 = frame.transpose() * y_bar[0], w1 = frame.transpose() * y_bar[1],
                   w2 = frame.transpose() * y_bar[2];
  Carried<S> c;
  c.a = w0 + cross(w1, r.omega) + cross(r.omega, cross(r.omega, w2)) + cross(w2, r.omega_dot);
  c.a_dot = w1 + 2.0 * cross(w2, r.omega);
  c.a_ddot = w2;
  return c;
}

/// shapes_bar += b0 q^T + b1 q_dot^T + b2 q_ddot^T
template <class S>
void add_shape_bar(const ParameterBlock& block, S* p_bar, Eigen::Index n_q, const BodyKinematics<S>& body,
                   const Vector3<S>& b0, const Vector3<S>& b1, const Vector3<S>& b2) {
  using Map = Eigen::Map<const VectorX<S>>;
  auto bar = view<3>(block, p_bar);
  bar.noalias() += b0 * Map(body.q, n_q).transpose();
  if (body.v) bar.noalias() += b1 * Map(body.v + 6, n_q).transpose();
  if (body.v_dot) bar.noalias() += b2 * Map(body.v_dot + 6, n_q).transpose();
}

}  // namespace

template <class S>
void RelativeRows<S>::pullback(const S* p, const Ends& ends, const S* w0, const S* w1, const S* w2,
                               S* p_bar) const {
  using V = Vector3<S>;
  const Pair pair(*this, p, ends);
  const End &t = pair.t, &f = pair.f;
  const auto weight = [](const S* w, int row) { return w ? w[row] : S(0); };

  const auto axis_values = [](const End& end, const BodyKinematics<S>& body, int k, V(&y)[3]) {
    const V a0[3] = {end.axes0[0].col(k).template cast<S>(), end.axes0[1].col(k).template cast<S>(),
                     end.axes0[2].col(k).template cast<S>()};
    const auto c = carried_axis<S>(end.psi, elastic_rate(end.has_shapes, end.Psi, body.v, end.n_q),
                                   elastic_rate(end.has_shapes, end.Psi, body.v_dot, end.n_q), a0);
    frame_derivatives(frame_rates(end.n, body), c, y);
    for (V& vector : y) vector = end.S * vector;
  };
  const auto point_values = [](const End& end, const BodyKinematics<S>& body, V(&y)[3]) {
    const FrameRates<S> r = frame_rates(end.n, body);
    const Carried<S> c{end.u, elastic_rate(end.has_shapes, end.Phi, body.v, end.n_q),
                       elastic_rate(end.has_shapes, end.Phi, body.v_dot, end.n_q)};
    frame_derivatives(r, c, y);
    y[1] += r.v;
    y[2] += r.v_dot + cross(r.omega, r.v);
    for (V& vector : y) vector = end.S * vector;
    y[0] = end.point;
  };
  // Sensitivity of one factor of a product whose other factor is b.
  const auto factor_bar = [](const S& s0, const S& s1, const S& s2, const V(&b)[3], V(&a_bar)[3]) {
    a_bar[0] += s0 * b[0] + s1 * b[1] + s2 * b[2];
    a_bar[1] += s1 * b[0] + 2.0 * s2 * b[1];
    a_bar[2] += s2 * b[0];
  };

  V axes_t[3][3], axes_f[3][3], point_t[3], point_f[3], distance[3];
  V axes_t_bar[3][3], axes_f_bar[3][3], distance_bar[3];
  for (int k = 0; k < 3; ++k) {
    axis_values(t, ends.to, k, axes_t[k]);
    axis_values(f, ends.from, k, axes_f[k]);
    distance_bar[k].setZero();
    for (int d = 0; d < 3; ++d) axes_t_bar[k][d].setZero(), axes_f_bar[k][d].setZero();
  }
  point_values(t, ends.to, point_t);
  point_values(f, ends.from, point_f);
  for (int d = 0; d < 3; ++d) distance[d] = point_t[d] - point_f[d];

  for (int k = 0; k < 3; ++k) {
    const int row = translation_row_[k];
    if (row < 0) continue;
    const S s0 = weight(w0, row), s1 = weight(w1, row), s2 = weight(w2, row);
    factor_bar(s0, s1, s2, distance, axes_t_bar[k]);
    factor_bar(s0, s1, s2, axes_t[k], distance_bar);
  }
  for (const RotationTerm& term : rotation_terms_) {
    const S s0 = term.coefficient * weight(w0, term.row), s1 = term.coefficient * weight(w1, term.row),
            s2 = term.coefficient * weight(w2, term.row);
    factor_bar(s0, s1, s2, axes_f[term.i], axes_t_bar[term.j]);
    factor_bar(s0, s1, s2, axes_t[term.j], axes_f_bar[term.i]);
  }
  if (half_square_row_ >= 0) {
    const int row = half_square_row_;
    factor_bar(weight(w0, row), weight(w1, row), weight(w2, row), distance, distance_bar);
  }

  const auto finish = [&](const End& end, const MarkerPlace& place, const BodyKinematics<S>& body,
                          const V(&axes_bar)[3][3], double sign) {
    if (place.body < 0 || place.is_origin) return;
    const FrameRates<S> r = frame_rates(end.n, body);
    const V y_bar[3] = {sign * distance_bar[0], sign * distance_bar[1], sign * distance_bar[2]};
    const Carried<S> u_bar = carried_bar(end.S, r, y_bar);
    view<3>(place.layout.R, p_bar) += u_bar.a;
    if (!end.has_shapes) return;
    add_shape_bar(place.layout.Phi, p_bar, end.n_q, body, u_bar.a, u_bar.a_dot, u_bar.a_ddot);
    V b0 = V::Zero(), b1 = V::Zero(), b2 = V::Zero();
    for (int k = 0; k < 3; ++k) {
      const Carried<S> c = carried_bar(end.S, r, axes_bar[k]);
      const V a0 = end.axes0[0].col(k).template cast<S>(), a1 = end.axes0[1].col(k).template cast<S>(),
              a2 = end.axes0[2].col(k).template cast<S>();
      b0 += cross(a0, c.a) + cross(a1, c.a_dot) + cross(a2, c.a_ddot);
      b1 += cross(a0, c.a_dot) + 2.0 * cross(a1, c.a_ddot);
      b2 += cross(a0, c.a_ddot);
    }
    add_shape_bar(place.layout.Psi, p_bar, end.n_q, body, b0, b1, b2);
  };
  finish(t, to_, ends.to, axes_t_bar, 1.0);
  finish(f, from_, ends.from, axes_f_bar, -1.0);
}

#define KURBEL_INSTANTIATE(S)                                                                        \
  template void RelativeRows<S>::derivatives(const S*, const Ends&, Workspace&, Derivatives&) const; \
  template void RelativeRows<S>::pullback(const S*, const Ends&, const S*, const S*, const S*, S*) const;
KURBEL_INSTANTIATE(double)
KURBEL_INSTANTIATE(Complex)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
