#include "multibody/relative_rows.hpp"

#include "multibody/relative_rows_detail.hpp"

namespace kurbel {

template <class S>
void RelativeRows<S>::add_translation(int k) {
  translation_row_[k] = static_cast<int>(n_rows_++);
}

template <class S>
void RelativeRows<S>::add_direction_cosine(int i, int j) {
  rotation_terms_.push_back({static_cast<int>(n_rows_++), i, j, 1.0});
}

template <class S>
void RelativeRows<S>::add_half_square() {
  half_square_row_ = static_cast<int>(n_rows_++);
}

template <class S>
void RelativeRows<S>::add_rotations(const std::array<bool, 3>& locked) {
  const int count = locked[0] + locked[1] + locked[2];
  for (int k = 0; k < 3; ++k) {
    if (!locked[k]) continue;
    const int row = static_cast<int>(n_rows_++), i = (k + 1) % 3, j = (k + 2) % 3;
    // To first order in a rotation theta of "to" relative to "from": B = E + theta~, so every row is theta_k.
    if (count == 3) {
      rotation_terms_.push_back({row, j, i, 0.5});
      rotation_terms_.push_back({row, i, j, -0.5});
    } else if (count == 2) {
      const int free = !locked[i] ? i : j, other = free == i ? j : i;
      rotation_terms_.push_back({row, other, free, other == j ? 1.0 : -1.0});
    } else {
      rotation_terms_.push_back({row, i, j, -1.0});
    }
  }
}

template <class S>
RowsWorkspace<S>::RowsWorkspace(Eigen::Index n) {
  for (Field* m : {&D1, &D2, &D3, &DF_t, &DM_t, &Dtau_t, &DF_f, &DM_f, &Dtau_f}) m->setZero(3, n);
  for (Jet* jet : {&axes_t[0], &axes_t[1], &axes_t[2], &axes_f[0], &axes_f[1], &axes_f[2], &distance})
    jet->resize(n);
}

template <class S>
void RelativeRows<S>::values(const S* p, const Ends& ends, Eigen::Ref<Vec> c) const {
  const Pair pair(*this, p, ends);
  c.setZero();
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] < 0) continue;
    c[translation_row_[k]] = dot(pair.t.axes.col(k), pair.delta_t) - ends.shift[k].value;
  }
  for (const RotationTerm& term : rotation_terms_) {
    const Vector3<S> b = pair.R * pair.t.axes.col(term.j);
    c[term.row] += term.coefficient * dot(pair.f.axes.col(term.i), b);
  }
  if (half_square_row_ >= 0) c[half_square_row_] = 0.5 * dot(pair.delta_t, pair.delta_t);
}

namespace {

/// Adds to a row the generalized force [F; M; Phi^T F + Psi^T tau] of one end.
template <class End, class Row, class S>
void add_wrench(const End& end, Row row, const Vector3<S>& F, const Vector3<S>& M, const Vector3<S>& tau) {
  if (end.n == 0) return;
  row.template segment<3>(0) += F.transpose();
  row.template segment<3>(3) += M.transpose();
  if (end.has_shapes) {
    row.segment(6, end.n_q).noalias() += F.transpose() * end.Phi;
    row.segment(6, end.n_q).noalias() += tau.transpose() * end.Psi;
  }
}

template <class S>
Vector3<S> cast_column(const Matrix3d& m, int k) {
  return m.col(k).template cast<S>();
}

}  // namespace

template <class S>
void RelativeRows<S>::jacobian(const S* p, const Ends& ends, Eigen::Ref<Matrix> C) const {
  using V = Vector3<S>;
  const Pair pair(*this, p, ends);
  const End &t = pair.t, &f = pair.f;
  const V zero = V::Zero();
  C.setZero();
  const auto row_t = [&](int row) { return C.row(row).head(t.n); };
  const auto row_f = [&](int row) { return C.row(row).tail(f.n); };
  for (int k = 0; k < 3; ++k) {
    const int row = translation_row_[k];
    if (row < 0) continue;
    const V alpha = t.axes.col(k), gamma = -(pair.R * alpha);
    const V arm = pair.delta_t - t.u;
    add_wrench(t, row_t(row), alpha, cross(alpha, arm), cross(cast_column<S>(t.axes0[0], k), pair.delta_t));
    add_wrench(f, row_f(row), gamma, cross(f.u, gamma), zero);
  }
  for (const RotationTerm& term : rotation_terms_) {
    const V alpha = f.axes.col(term.i), beta = t.axes.col(term.j);
    const V b_f = term.coefficient * (pair.R * beta), a_t = term.coefficient * (pair.R.transpose() * alpha);
    add_wrench(f, row_f(term.row), zero, cross(alpha, b_f), cross(cast_column<S>(f.axes0[0], term.i), b_f));
    add_wrench(t, row_t(term.row), zero, cross(beta, a_t), cross(cast_column<S>(t.axes0[0], term.j), a_t));
  }
  if (half_square_row_ >= 0) {
    const V delta_f = -pair.delta_f;
    add_wrench(t, row_t(half_square_row_), pair.delta_t, cross(t.u, pair.delta_t), zero);
    add_wrench(f, row_f(half_square_row_), delta_f, cross(f.u, delta_f), zero);
  }
}

template <class S>
void RelativeRows<S>::reaction_jacobian(const S* p, const Ends& ends, const S* lambda, Workspace& ws,
                                        Eigen::Ref<Matrix> K) const {
  using V = Vector3<S>;
  using M3 = Matrix3<S>;
  const Pair pair(*this, p, ends);
  const End &t = pair.t, &f = pair.f;
  const Eigen::Index nt = t.n, nf = f.n;
  const M3& R = pair.R;
  const M3 Rt = R.transpose();
  for (auto* field : {&ws.DF_t, &ws.DM_t, &ws.Dtau_t, &ws.DF_f, &ws.DM_f, &ws.Dtau_f}) field->setZero();

  // Variation of a vector that is carried with axes a0 of one end: D1 = -a0~ Psi in that end's elastic
  // columns.
  const auto vary_axis = [&](const End& end, Eigen::Index column, const V& a0) {
    ws.D1.setZero();
    if (end.has_shapes) ws.D1.middleCols(column + 6, end.n_q).noalias() = -tilde(a0) * end.Psi;
  };
  // Variation D2 of a vector w = Q a seen from the other end, for a = alpha carried by `own` with D1 as
  // above.
  const auto vary_seen = [&](const M3& Q, const V& alpha, const V& seen, const End& own,
                             Eigen::Index own_column, const End& other, Eigen::Index other_column) {
    ws.D2.setZero();
    if (own.n > 0) {
      ws.D2.template middleCols<3>(own_column + 3) = -Q * tilde(alpha);
      if (own.has_shapes) {
        ws.D2.middleCols(own_column + 6, own.n_q).noalias() = Q * ws.D1.middleCols(own_column + 6, own.n_q);
      }
    }
    if (other.n > 0) ws.D2.template middleCols<3>(other_column + 3) = tilde(seen);
  };
  const auto add_lever = [](auto& DM, const End& end, Eigen::Index column,
                            const V& F) {  // d(u x F), u varied
    if (end.has_shapes) DM.middleCols(column + 6, end.n_q).noalias() -= tilde(F) * end.Phi;
  };
  // Variation D3 of p^t - p^f in the frame of "to" (Q_t = E, Q_f = R^T) or of "from" (Q_t = R, Q_f = E).
  const auto vary_distance = [&](const M3& Q_t, const M3& Q_f, const V& delta, bool in_to) {
    ws.D3.setZero();
    if (nt > 0) {
      ws.D3.template leftCols<3>() = Q_t;
      ws.D3.template middleCols<3>(3) = -Q_t * tilde(t.u);
      if (in_to) ws.D3.template middleCols<3>(3) += tilde(delta);
      if (t.has_shapes) ws.D3.middleCols(6, t.n_q).noalias() = Q_t * t.Phi;
    }
    if (nf > 0) {
      ws.D3.template middleCols<3>(nt) = -Q_f;
      ws.D3.template middleCols<3>(nt + 3) = Q_f * tilde(f.u);
      if (!in_to) ws.D3.template middleCols<3>(nt + 3) += tilde(delta);
      if (f.has_shapes) ws.D3.middleCols(nt + 6, f.n_q).noalias() = -Q_f * f.Phi;
    }
  };

  V alpha = V::Zero(), a0 = V::Zero();
  bool any_translation = false;
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] < 0) continue;
    any_translation = true;
    alpha += lambda[translation_row_[k]] * t.axes.col(k);
    a0 += lambda[translation_row_[k]] * cast_column<S>(t.axes0[0], k);
  }
  if (any_translation) {
    const V arm = pair.delta_t - t.u, gamma = R * alpha;
    vary_axis(t, 0, a0);
    vary_distance(M3::Identity(), Rt, pair.delta_t, true);
    ws.DF_t += ws.D1;
    ws.DM_t.noalias() += tilde(alpha) * ws.D3;
    ws.DM_t.noalias() -= tilde(arm) * ws.D1;
    if (t.has_shapes) ws.DM_t.middleCols(6, t.n_q).noalias() -= tilde(alpha) * t.Phi;
    ws.Dtau_t.noalias() += tilde(a0) * ws.D3;
    vary_seen(R, alpha, gamma, t, 0, f, nt);
    ws.DF_f -= ws.D2;
    ws.DM_f.noalias() -= tilde(f.u) * ws.D2;
    add_lever(ws.DM_f, f, nt, V(-gamma));
  }
  for (int j = 0; j < 3; ++j) {
    V from_axis = V::Zero(), from_axis0 = V::Zero();
    bool any = false;
    for (const RotationTerm& term : rotation_terms_) {
      if (term.j != j) continue;
      any = true;
      const S weight = lambda[term.row] * term.coefficient;
      from_axis += weight * f.axes.col(term.i);
      from_axis0 += weight * cast_column<S>(f.axes0[0], term.i);
    }
    if (!any) continue;
    const V beta = t.axes.col(j), beta0 = cast_column<S>(t.axes0[0], j), b_f = R * beta, a_t = Rt * from_axis;
    vary_axis(t, 0, beta0);
    vary_seen(R, beta, b_f, t, 0, f, nt);
    ws.DM_t.noalias() -= tilde(a_t) * ws.D1;
    ws.DM_f.noalias() += tilde(from_axis) * ws.D2;
    ws.Dtau_f.noalias() += tilde(from_axis0) * ws.D2;
    vary_axis(f, nt, from_axis0);
    vary_seen(Rt, from_axis, a_t, f, nt, t, 0);
    ws.DM_f.noalias() -= tilde(b_f) * ws.D1;
    ws.DM_t.noalias() += tilde(beta) * ws.D2;
    ws.Dtau_t.noalias() += tilde(beta0) * ws.D2;
  }
  if (half_square_row_ >= 0) {
    const S weight = lambda[half_square_row_];
    vary_distance(M3::Identity(), Rt, pair.delta_t, true);
    ws.DF_t += weight * ws.D3;
    ws.DM_t.noalias() += weight * tilde(t.u) * ws.D3;
    add_lever(ws.DM_t, t, 0, V(weight * pair.delta_t));
    vary_distance(R, M3::Identity(), pair.delta_f, false);
    ws.DF_f -= weight * ws.D3;
    ws.DM_f.noalias() -= weight * tilde(f.u) * ws.D3;
    add_lever(ws.DM_f, f, nt, V(-weight * pair.delta_f));
  }

  const auto scatter = [&](const End& end, Eigen::Index row, const auto& DF, const auto& DM,
                           const auto& Dtau) {
    if (end.n == 0) return;
    K.template middleRows<3>(row) = DF;
    K.template middleRows<3>(row + 3) = DM;
    if (end.n_q == 0) return;
    K.middleRows(row + 6, end.n_q).setZero();
    if (!end.has_shapes) return;
    K.middleRows(row + 6, end.n_q).noalias() += end.Phi.transpose() * DF;
    K.middleRows(row + 6, end.n_q).noalias() += end.Psi.transpose() * Dtau;
  };
  scatter(t, 0, ws.DF_t, ws.DM_t, ws.Dtau_t);
  scatter(f, nt, ws.DF_f, ws.DM_f, ws.Dtau_f);
}

template struct RowsWorkspace<double>;
template struct RowsWorkspace<Complex>;
template class RelativeRows<double>;
template class RelativeRows<Complex>;

}  // namespace kurbel
