/// @file
/// Differentiates the generalized force of the rows by x: K = d(C^T lambda)/dx.
///
/// Letters besides those of relative_rows_detail.hpp; fields are 3 x n, with a column per tangent coordinate:
///
///     DF, DM, Dtau  derivatives of F, M and tau of an end
///     D1            derivative of an axis in the frame of its body (vary_axis())
///     D2            derivative of that axis in the frame of the other body (vary_seen())
///     D3            derivative of delta in the frame of one of the bodies (vary_distance())
///     Q             rotation into the frame in which a vector is seen; Q_t, Q_f: from the frames of "to" and "from"
///     Rt            R^T
///     gamma, arm    R alpha; delta - u of "to"
///     b_f, a_t      axis of "to" in the frame of "from", and of "from" in that of "to"
#include "base/instantiate.hpp"
#include "floating_frame/relative_rows.hpp"
#include "floating_frame/relative_rows_detail.hpp"

namespace kurbel {

/// Variation of the generalized force C^T lambda = [F; M; Phi^T F + Psi^T tau] of both ends.
///
/// A column of a field is the variation of a vector along one tangent coordinate of the pair.
template <class S>
class RelativeRows<S>::Reaction {
 public:
  using V = Vector3<S>;
  using M3 = Matrix3<S>;
  using Field = typename RowsWorkspace<S>::Field;

  Reaction(const Pair& pair, Workspace& ws) : pair_(pair), ws_(ws), Rt_(pair.R.transpose()) {
    for (Field* field : {&ws.DF_t, &ws.DM_t, &ws.Dtau_t, &ws.DF_f, &ws.DM_f, &ws.Dtau_f}) field->setZero();
  }

  /// Adds the translation rows, F^t = alpha and F^f = -R alpha. alpha = D a0 and a0 are sums of axes of "to", weighted
  /// by lambda.
  void add_translation(const V& alpha, const V& a0) {
    const End &t = pair_.t, &f = pair_.f;
    const V arm = pair_.delta_t - t.u, gamma = pair_.R * alpha;
    F_t_ += alpha, F_f_ -= gamma;
    const Field& d_alpha = vary_axis(t, 0, a0);
    const Field& d_delta = vary_distance(M3::Identity(), Rt_, &pair_.delta_t, nullptr);
    ws_.DF_t += d_alpha;
    ws_.DM_t.noalias() += tilde(alpha) * d_delta;
    ws_.DM_t.noalias() -= tilde(arm) * d_alpha;
    if (t.has_shapes) ws_.DM_t.middleCols(6, t.n_q).noalias() -= tilde(alpha) * t.Phi;
    ws_.Dtau_t.noalias() += tilde(a0) * d_delta;
    const Field& d_gamma = vary_seen(pair_.R, alpha, gamma, t, 0, f, t.n);
    ws_.DF_f -= d_gamma;
    ws_.DM_f.noalias() -= tilde(f.u) * d_gamma;
    add_lever(ws_.DM_f, f, t.n, -gamma);
  }

  /// Adds the rotation rows with one axis b of "to", number j: M^f = a^f x b, M^t = b x a^f. from_axis is the sum of
  /// their axes a^f, weighted by lambda.
  void add_rotation(const V& from_axis, const V& from_axis0, int j) {
    const End &t = pair_.t, &f = pair_.f;
    const V beta = t.axes.col(j), beta0 = t.axes0[0].col(j);
    const V b_f = pair_.R * beta, a_t = Rt_ * from_axis;
    ws_.DM_t.noalias() -= tilde(a_t) * vary_axis(t, 0, beta0);
    const Field& d_b_f = vary_seen(pair_.R, beta, b_f, t, 0, f, t.n);
    ws_.DM_f.noalias() += tilde(from_axis) * d_b_f;
    ws_.Dtau_f.noalias() += tilde(from_axis0) * d_b_f;
    ws_.DM_f.noalias() -= tilde(b_f) * vary_axis(f, t.n, from_axis0);
    const Field& d_a_t = vary_seen(Rt_, from_axis, a_t, f, t.n, t, 0);
    ws_.DM_t.noalias() += tilde(beta) * d_a_t;
    ws_.Dtau_t.noalias() += tilde(beta0) * d_a_t;
  }

  /// Adds the rows in space, F^t = S_t^T F and F^f = -S_f^T F, F weighted by lambda.
  void add_in_space(const V& F) {
    const End &t = pair_.t, &f = pair_.f;
    const V F_t = t.S.transpose() * F, F_f = -(f.S.transpose() * F);
    F_t_ += F_t, F_f_ += F_f;
    add_turned_force(ws_.DF_t, ws_.DM_t, t, 0, F_t);
    add_turned_force(ws_.DF_f, ws_.DM_f, f, t.n, F_f);
  }

  /// Adds the half square of the distance: F^t = delta in the frame of "to", F^f = -delta in that of "from".
  void add_half_square(const S& weight) {
    const End &t = pair_.t, &f = pair_.f;
    F_t_ += weight * pair_.delta_t, F_f_ -= weight * pair_.delta_f;
    const Field& d_t = vary_distance(M3::Identity(), Rt_, &pair_.delta_t, nullptr);
    ws_.DF_t += weight * d_t;
    ws_.DM_t.noalias() += weight * tilde(t.u) * d_t;
    add_lever(ws_.DM_t, t, 0, weight * pair_.delta_t);
    const Field& d_f = vary_distance(pair_.R, M3::Identity(), nullptr, &pair_.delta_f);
    ws_.DF_f -= weight * d_f;
    ws_.DM_f.noalias() -= weight * tilde(f.u) * d_f;
    add_lever(ws_.DM_f, f, t.n, -weight * pair_.delta_f);
  }

  void scatter(Eigen::Ref<Matrix> K) const {
    scatter(pair_.t, 0, ws_.DF_t, ws_.DM_t, ws_.Dtau_t, K);
    scatter(pair_.f, pair_.t.n, ws_.DF_f, ws_.DM_f, ws_.Dtau_f, K);
    add_second_order(pair_.t, 0, F_t_, K);
    add_second_order(pair_.f, pair_.t.n, F_f_, K);
  }

 private:
  /// Differentiates D a0, an axis of `end`, whose coordinates begin at `column`.
  const Field& vary_axis(const End& end, Eigen::Index column, const V& a0) {
    ws_.D1.setZero();
    if (end.has_shapes) ws_.D1.middleCols(column + 6, end.n_q).noalias() = -tilde(a0) * end.Psi;
    return ws_.D1;
  }

  /// Differentiates Q alpha, the same axis seen from the other end, where Q is the rotation between them. Uses D1 as
  /// vary_axis() has left it.
  const Field& vary_seen(const M3& Q, const V& alpha, const V& seen, const End& own, Eigen::Index own_column,
                         const End& other, Eigen::Index other_column) {
    ws_.D2.setZero();
    if (own.n > 0) {
      ws_.D2.template middleCols<3>(own_column + 3) = -Q * tilde(alpha);
      if (own.has_shapes) {
        ws_.D2.middleCols(own_column + 6, own.n_q).noalias() = Q * ws_.D1.middleCols(own_column + 6, own.n_q);
      }
    }
    if (other.n > 0) ws_.D2.template middleCols<3>(other_column + 3) = tilde(seen);
    return ws_.D2;
  }

  /// Differentiates p^t - p^f in the frame of "to" (Q_t = E, Q_f = R^T, in_to given) or of "from" (Q_t = R, Q_f = E,
  /// in_from given).
  const Field& vary_distance(const M3& Q_t, const M3& Q_f, const V* in_to, const V* in_from) {
    const End &t = pair_.t, &f = pair_.f;
    ws_.D3.setZero();
    if (t.n > 0) {
      ws_.D3.template leftCols<3>() = Q_t;
      ws_.D3.template middleCols<3>(3) = -Q_t * tilde(t.u);
      if (in_to) ws_.D3.template middleCols<3>(3) += tilde(*in_to);
      if (t.has_shapes) ws_.D3.middleCols(6, t.n_q).noalias() = Q_t * t.Phi;
    }
    if (f.n > 0) {
      ws_.D3.template middleCols<3>(t.n) = -Q_f;
      ws_.D3.template middleCols<3>(t.n + 3) = Q_f * tilde(f.u);
      if (in_from) ws_.D3.template middleCols<3>(t.n + 3) += tilde(*in_from);
      if (f.has_shapes) ws_.D3.middleCols(t.n + 6, f.n_q).noalias() = -Q_f * f.Phi;
    }
    return ws_.D3;
  }

  /// Adds the derivatives of F, constant in the inertial frame, and of u x F.
  static void add_turned_force(Field& DF, Field& DM, const End& end, Eigen::Index column, const V& F) {
    if (end.n == 0) return;
    const M3 by_theta = tilde(F);
    DF.template middleCols<3>(column + 3) += by_theta;
    DM.template middleCols<3>(column + 3).noalias() += tilde(end.u) * by_theta;
    add_lever(DM, end, column, F);
  }

  /// Adds the derivative of u x F by u.
  static void add_lever(Field& DM, const End& end, Eigen::Index column, const V& F) {
    if (end.has_shapes) DM.middleCols(column + 6, end.n_q).noalias() -= tilde(F) * end.Phi;
  }

  static void scatter(const End& end, Eigen::Index row, const Field& DF, const Field& DM, const Field& Dtau,
                      Eigen::Ref<Matrix>& K) {
    if (end.n == 0) return;
    const Eigen::Index n = K.cols();
    K.template middleRows<3>(row) = DF.leftCols(n);
    K.template middleRows<3>(row + 3) = DM.leftCols(n);
    if (end.n_q == 0) return;
    auto elastic = K.middleRows(row + 6, end.n_q);
    elastic.setZero();
    if (!end.has_shapes) return;
    elastic.noalias() += end.Phi.transpose() * DF.leftCols(n);
    elastic.noalias() += end.Psi.transpose() * Dtau.leftCols(n);
  }

  static void add_second_order(const End& end, Eigen::Index row, const V& F, Eigen::Ref<Matrix>& K) {
    if (!end.second_order()) return;
    add_second_order_stiffness(end.layout, end.parameters, F, 1.0,
                               K.block(row + 6, row + 6, end.n_q, end.n_q));
  }

  const Pair& pair_;
  Workspace& ws_;
  M3 Rt_;
  V F_t_ = V::Zero(), F_f_ = V::Zero();
};

template <class S>
void RelativeRows<S>::reaction_jacobian(const S* p, const Ends& ends, const S* lambda, Workspace& ws,
                                        Eigen::Ref<Matrix> K) const {
  using V = Vector3<S>;
  const Pair pair(*this, p, ends);
  Reaction reaction(pair, ws);
  V alpha = V::Zero(), alpha0 = V::Zero();
  bool any_translation = false;
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] < 0) continue;
    any_translation = true;
    alpha += lambda[translation_row_[k]] * pair.t.axes.col(k);
    alpha0 += lambda[translation_row_[k]] * pair.t.axes0[0].col(k);
  }
  if (any_translation) reaction.add_translation(alpha, alpha0);
  for (int j = 0; j < 3; ++j) {
    V from_axis = V::Zero(), from_axis0 = V::Zero();
    bool any_rotation = false;
    for (const RotationTerm& term : rotation_terms_) {
      if (term.j != j) continue;
      any_rotation = true;
      const S weight = lambda[term.row] * term.coefficient;
      from_axis += weight * pair.f.axes.col(term.i);
      from_axis0 += weight * pair.f.axes0[0].col(term.i);
    }
    if (any_rotation) reaction.add_rotation(from_axis, from_axis0, j);
  }
  if (in_space_row_ >= 0) reaction.add_in_space(Eigen::Map<const V>(lambda + in_space_row_));
  if (half_square_row_ >= 0) reaction.add_half_square(square_weight(p) * lambda[half_square_row_]);
  reaction.scatter(K);
}

#define KURBEL_INSTANTIATE(S)                                                                   \
  template void RelativeRows<S>::reaction_jacobian(const S*, const Ends&, const S*, Workspace&, \
                                                   Eigen::Ref<Matrix>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
