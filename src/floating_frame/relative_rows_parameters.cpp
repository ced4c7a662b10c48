/// @file
/// Differentiates the rows and their reactions by the parameters of both markers, backwards and forwards.
///                                                                                        [P0, eqs 57-62, 65]
///
/// Letters besides those of relative_rows_detail.hpp:
///
///     y[i][k]     k-th time derivative of factor i of the rows (axis_of_to() and so on), in the inertial frame
///     w0, w1, w2  weights of c, c_dot and c_ddot; s0, s1, s2: the same times the coefficient of a product
///     h           half square of the distance and its two rates
///     L, L_p      length of a rod, m, and its derivative along a direction of parameter space
///     X_p         derivative of X along such a direction; EndDerivative::u and psi, delta_t_ and delta_f_ are such too
///     b, a        in add_rotation(): axis of "to" in the frame of "from", and of "from" in that of "to"
///     X_bar       adjoint seed of X
#include "base/instantiate.hpp"
#include "floating_frame/marker_motion.hpp"
#include "floating_frame/relative_rows_detail.hpp"

namespace kurbel {

/// The factors of the rows, or their derivatives along a direction of parameter space.
template <class S>
struct RelativeRows<S>::Factors {
  std::array<VectorMotion<S>, n_factors> y;

  Factors() {
    for (VectorMotion<S>& motion : y) motion.fill(Vector3<S>::Zero());
  }
  Factors(const MarkerMotion<S>& to, const MarkerMotion<S>& from) : Factors() {
    for (int k = 0; k < 3; ++k) {
      y[axis_of_to(k)] = to.axes[k], y[axis_of_from(k)] = from.axes[k];
      y[distance_factor][k] = to.point[k] - from.point[k];
    }
  }
  static Factors values(const RelativeRows& rows, const Pair& pair, const S* p, const Ends& ends) {
    const auto [to, from] = axes(rows);
    Factors factors(MarkerMotion<S>(rows.to_, p, ends.to, pair.t.axes0, to),
                    MarkerMotion<S>(rows.from_, p, ends.from, pair.f.axes0, from));
    for (int k = 0; k < 3; ++k) factors.y[inertial_axis(k)][0] = Vector3<S>::Unit(k);
    return factors;
  }
  /// Returns (p^t - p^f) . (p^t - p^f) / 2 and its rates.
  std::array<S, 3> half_square() const {
    const VectorMotion<S>& d = y[distance_factor];
    return {0.5 * dot(d[0], d[0]), dot(d[0], d[1]), dot(d[1], d[1]) + dot(d[0], d[2])};
  }
  static Factors derivatives(const RelativeRows& rows, const Pair& pair, const S* p_dot, const Ends& ends) {
    const auto [to, from] = axes(rows);
    return {MarkerMotion<S>::derivative(rows.to_, p_dot, ends.to, pair.t.axes0, to),
            MarkerMotion<S>::derivative(rows.from_, p_dot, ends.from, pair.f.axes0, from)};
  }

 private:
  /// Axes of "to" and of "from" that are factors of rows; distances need none.
  static std::pair<std::array<bool, 3>, std::array<bool, 3>> axes(const RelativeRows& rows) {
    std::array<bool, 3> to{}, from{};
    for (std::size_t k = 0; k < 3; ++k) to[k] = rows.translation_row_[k] >= 0;
    for (const RotationTerm& term : rows.rotation_terms_)
      from[static_cast<std::size_t>(term.i)] = to[static_cast<std::size_t>(term.j)] = true;
    return {to, from};
  }
};

namespace {

/// shapes_bar += b0 q^T + b1 q_dot^T + b2 q_ddot^T
template <class S>
void add_shape_bar(const ParameterBlock& block, S* p_bar, Eigen::Index n_q, const BodyKinematics<S>& body,
                   const Carried<S>& b) {
  using Map = Eigen::Map<const VectorX<S>>;
  auto bar = view<3>(block, p_bar);
  bar.noalias() += b.a * Map(body.q, n_q).transpose();
  if (body.v) bar.noalias() += b.a_dot * Map(body.v + 6, n_q).transpose();
  if (body.v_dot) bar.noalias() += b.a_ddot * Map(body.v_dot + 6, n_q).transpose();
}

/// Adds the transpose of turned_axis() to psi_bar.
template <class S>
void add_turned_axis_bar(const VectorMotion<S>& a0, const Carried<S>& bar, Carried<S>& psi_bar) {
  psi_bar.a += cross(a0[0], bar.a) + cross(a0[1], bar.a_dot) + cross(a0[2], bar.a_ddot);
  psi_bar.a_dot += cross(a0[0], bar.a_dot) + 2.0 * cross(a0[1], bar.a_ddot);
  psi_bar.a_ddot += cross(a0[0], bar.a_ddot);
}

}  // namespace

template <class S>
void RelativeRows<S>::rates(const S* p, const Ends& ends, Columns out) const {
  const Pair pair(*this, p, ends);
  const Factors at = Factors::values(*this, pair, p, ends);
  out.setZero();
  for_each_product(p, [&](int row, const S& weight, int i, int j) {
    const VectorMotion<S>&u = at.y[i], &w = at.y[j];
    out(row, 0) += weight * dot(u[0], w[0]);
    out(row, 1) += weight * (dot(u[1], w[0]) + dot(u[0], w[1]));
    out(row, 2) += weight * (dot(u[2], w[0]) + 2.0 * dot(u[1], w[1]) + dot(u[0], w[2]));
  });
}

template <class S>
void RelativeRows<S>::time_derivatives(const S* p, const Ends& ends, Columns out) const {
  rates(p, ends, out);
  if (length_ >= 0) out(half_square_row_, 0) -= 0.5 * p[length_];
  for (int k = 0; k < 3; ++k) {
    const int row = translation_row_[k];
    if (row < 0) continue;
    out(row, 0) -= ends.shift[k].value;
    out(row, 1) -= ends.shift[k].rate;
    out(row, 2) -= ends.shift[k].acceleration;
  }
}

template <class S>
void RelativeRows<S>::pullback(const S* p, const Ends& ends, const S* w0, const S* w1, const S* w2,
                               S* p_bar) const {
  using V = Vector3<S>;
  const Pair pair(*this, p, ends);
  const Factors factors = Factors::values(*this, pair, p, ends);
  Factors bars;
  const auto weight = [](const S* w, int row) { return w ? w[row] : S(0); };
  for_each_product(p, [&](int row, const S& coefficient, int i, int j) {
    const S s0 = coefficient * weight(w0, row), s1 = coefficient * weight(w1, row),
            s2 = coefficient * weight(w2, row);
    for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
      const VectorMotion<S>& other = factors.y[b];
      bars.y[a][0] += s0 * other[0] + s1 * other[1] + s2 * other[2];
      bars.y[a][1] += s1 * other[0] + 2.0 * s2 * other[1];
      bars.y[a][2] += s2 * other[0];
    }
  });
  if (length_ >= 0) {
    const std::array<S, 3> h = factors.half_square();
    const S L = p[length_];
    const auto w = [&](const S* of) { return weight(of, half_square_row_); };
    p_bar[length_] -= 0.5 * w(w0) + (w(w0) * h[0] + w(w1) * h[1] + w(w2) * h[2]) / (L * L);
  }

  const auto finish = [&](const End& end, const MarkerPlace& place, const BodyKinematics<S>& body,
                          int first_axis, double sign) {
    if (place.is_origin) return;
    const FrameRates<S> r = frame_rates(end.n, body);
    const VectorMotion<S>& distance_bar = bars.y[distance_factor];
    const VectorMotion<S> point_bar = {V(sign * distance_bar[0]), V(sign * distance_bar[1]),
                                       V(sign * distance_bar[2])};
    const Carried<S> u_bar = carried_bar(end.S, r, point_bar);
    view<3>(place.layout.R, p_bar) += u_bar.a;
    if (!end.has_shapes) return;
    add_displacement_bar(place.layout, end.n_q, body, u_bar, p_bar);
    Carried<S> psi_bar;
    for (int k = 0; k < 3; ++k) {
      add_turned_axis_bar(axis_motion<S>(end.axes0, k), carried_bar(end.S, r, bars.y[first_axis + k]),
                          psi_bar);
    }
    add_shape_bar(place.layout.Psi, p_bar, end.n_q, body, psi_bar);
  };
  finish(pair.t, to_, ends.to, axis_of_to(0), 1.0);
  finish(pair.f, from_, ends.from, axis_of_from(0), -1.0);
}

template <class S>
void RelativeRows<S>::push_forward(const S* p, const ConstColumns& p_dot, const Ends& ends, Columns c,
                                   Columns c_dot, Columns c_ddot) const {
  const Pair pair(*this, p, ends);
  const Factors at = Factors::values(*this, pair, p, ends);
  c.setZero(), c_dot.setZero(), c_ddot.setZero();
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    const Factors along = Factors::derivatives(*this, pair, p_dot.col(column).data(), ends);
    for_each_product(p, [&](int row, const S& weight, int i, int j) {
      for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
        const VectorMotion<S>&u = along.y[a], &w = at.y[b];
        c(row, column) += weight * dot(u[0], w[0]);
        c_dot(row, column) += weight * (dot(u[1], w[0]) + dot(u[0], w[1]));
        c_ddot(row, column) += weight * (dot(u[2], w[0]) + 2.0 * dot(u[1], w[1]) + dot(u[0], w[2]));
      }
    });
    if (length_ < 0) continue;
    const S L_p = p_dot(length_, column), by_square = -L_p / (p[length_] * p[length_]);
    const std::array<S, 3> h = at.half_square();
    c(half_square_row_, column) += by_square * h[0] - 0.5 * L_p;
    c_dot(half_square_row_, column) += by_square * h[1];
    c_ddot(half_square_row_, column) += by_square * h[2];
  }
}

/// Derivative of the generalized force C^T lambda = [F; M; Phi^T F + Psi^T tau] of both ends along one
/// direction. The products are those of jacobian(); each factor is varied in turn.
template <class S>
class RelativeRows<S>::ReactionDerivative {
 public:
  using V = Vector3<S>;

  ReactionDerivative(const RelativeRows& rows, const Pair& pair, const S* p_dot, const Ends& ends)
      : pair_(pair) {
    const auto t = marker_displacement(rows.to_, p_dot, ends.to),
               f = marker_displacement(rows.from_, p_dot, ends.from);
    t_.u = t.u.a, t_.psi = t.psi.a, f_.u = f.u.a, f_.psi = f.psi.a;
    delta_t_ = t_.u - pair.R.transpose() * f_.u;
    delta_f_ = pair.R * t_.u - f_.u;
  }

  /// Adds the translation rows. alpha = D a0 and a0 are sums of axes of "to", weighted by lambda.
  void add_translation(const V& alpha, const V& a0) {
    const End &t = pair_.t, &f = pair_.f;
    const V alpha_p = cross(t_.psi, a0);
    t_.F += alpha, t_.tau += cross(a0, pair_.delta_t);
    t_.F_p += alpha_p;
    t_.M_p += cross(alpha_p, V(pair_.delta_t - t.u)) + cross(alpha, V(delta_t_ - t_.u));
    t_.tau_p += cross(a0, delta_t_);
    const V gamma = pair_.R * alpha, gamma_p = pair_.R * alpha_p;
    f_.F -= gamma;
    f_.F_p -= gamma_p;
    f_.M_p -= cross(f_.u, gamma) + cross(f.u, gamma_p);
  }

  /// Adds a weighted product of axis i of "from" and axis j of "to".
  void add_rotation(const S& weight, int i, int j) {
    const End &t = pair_.t, &f = pair_.f;
    const V alpha = f.axes.col(i), beta = weight * t.axes.col(j);
    const V alpha0 = f.axes0[0].col(i), beta0 = t.axes0[0].col(j);
    const V alpha_p = cross(f_.psi, alpha0), beta_p = weight * cross(t_.psi, beta0);
    const V b = pair_.R * beta, b_p = pair_.R * beta_p;
    f_.tau += cross(alpha0, b);
    f_.M_p += cross(alpha_p, b) + cross(alpha, b_p);
    f_.tau_p += cross(alpha0, b_p);
    const V a = pair_.R.transpose() * alpha, a_p = pair_.R.transpose() * alpha_p;
    t_.tau += weight * cross(beta0, a);
    t_.M_p += cross(beta_p, a) + cross(beta, a_p);
    t_.tau_p += weight * cross(beta0, a_p);
  }

  /// Adds a force F along the inertial axes: the rows in space, weighted by lambda.
  void add_in_space(const V& F) {
    const V F_t = pair_.t.S.transpose() * F, F_f = -(pair_.f.S.transpose() * F);
    t_.F += F_t, f_.F += F_f;
    t_.M_p += cross(t_.u, F_t), f_.M_p += cross(f_.u, F_f);
  }

  /// Adds the half square of the distance.
  /// @param weight_p  derivative of the weight along the direction
  void add_half_square(const S& weight, const S& weight_p) {
    t_.F += weight * pair_.delta_t, f_.F -= weight * pair_.delta_f;
    const V F_t = weight * delta_t_ + weight_p * pair_.delta_t,
            F_f = weight * delta_f_ + weight_p * pair_.delta_f;
    t_.F_p += F_t, f_.F_p -= F_f;
    t_.M_p += weight * cross(t_.u, pair_.delta_t) + cross(pair_.t.u, F_t);
    f_.M_p -= weight * cross(f_.u, pair_.delta_f) + cross(pair_.f.u, F_f);
  }

  /// @param out  (n_tangent)
  void write(const RelativeRows& rows, const S* p_dot, Eigen::Ref<Vec> out) const {
    write(pair_.t, rows.to_, t_, p_dot, out.head(pair_.t.n));
    write(pair_.f, rows.from_, f_, p_dot, out.tail(pair_.f.n));
  }

 private:
  /// Derivatives of u and psi; F and tau themselves; derivatives of F, M and tau.
  struct EndDerivative {
    V u, psi;
    V F = V::Zero(), tau = V::Zero(), F_p = V::Zero(), M_p = V::Zero(), tau_p = V::Zero();
  };

  static void write(const End& end, const MarkerPlace& place, const EndDerivative& d, const S* p_dot,
                    Eigen::Ref<Vec> out) {
    if (end.n == 0) return;
    out.template head<3>() = d.F_p;
    out.template segment<3>(3) = d.M_p;
    auto elastic = out.tail(end.n_q);
    elastic.setZero();
    if (!end.has_shapes) return;
    elastic.noalias() += end.Phi.transpose() * d.F_p;
    elastic.noalias() += end.Psi.transpose() * d.tau_p;
    add_shapes_transposed(place.layout, p_dot, end.q, d.F, 1.0, elastic);
    elastic.noalias() += view<3>(place.layout.Psi, p_dot).transpose() * d.tau;
  }

  const Pair& pair_;
  EndDerivative t_, f_;
  V delta_t_, delta_f_;
};

template <class S>
void RelativeRows<S>::push_forward_reaction(const S* p, const ConstColumns& p_dot, const Ends& ends,
                                            const S* lambda, Columns out) const {
  using V = Vector3<S>;
  const Pair pair(*this, p, ends);
  V alpha = V::Zero(), alpha0 = V::Zero();
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] < 0) continue;
    alpha += lambda[translation_row_[k]] * pair.t.axes.col(k);
    alpha0 += lambda[translation_row_[k]] * pair.t.axes0[0].col(k);
  }
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    const S* direction = p_dot.col(column).data();
    ReactionDerivative derivative(*this, pair, direction, ends);
    derivative.add_translation(alpha, alpha0);
    for (const RotationTerm& term : rotation_terms_) {
      derivative.add_rotation(term.coefficient * lambda[term.row], term.i, term.j);
    }
    if (in_space_row_ >= 0) derivative.add_in_space(Eigen::Map<const V>(lambda + in_space_row_));
    if (half_square_row_ >= 0) {
      const S weight = square_weight(p) * lambda[half_square_row_];
      const S weight_p = length_ < 0 ? S(0) : -weight * square_weight(p) * direction[length_];
      derivative.add_half_square(weight, weight_p);
    }
    derivative.write(*this, direction, out.col(column));
  }
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void RelativeRows<S>::rates(const S*, const Ends&, Columns) const;                                \
  template void RelativeRows<S>::time_derivatives(const S*, const Ends&, Columns) const;                     \
  template void RelativeRows<S>::pullback(const S*, const Ends&, const S*, const S*, const S*, S*) const;    \
  template void RelativeRows<S>::push_forward(const S*, const ConstColumns&, const Ends&, Columns, Columns,  \
                                              Columns) const;                                                \
  template void RelativeRows<S>::push_forward_reaction(const S*, const ConstColumns&, const Ends&, const S*, \
                                                       Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
