/// @file
/// Collects the rows of a pair of markers, and evaluates c and C = dc/dx.                  [P0, eqs 33, 34, 55]
///
/// relative_rows_detail.hpp has the letters. jacobian() adds, for each row:
///
///     gamma       -alpha in the frame of "from", the force there
///     arm         delta - u of "to", from p^f to the origin of the frame of "to"
///     e_t, e_f    an inertial axis in the frame of "to", and the opposite one in that of "from"
///     b_f, a_t    axis of "to" in the frame of "from", and of "from" in that of "to", times the coefficient of a term
#include "floating_frame/relative_rows.hpp"

#include "base/instantiate.hpp"
#include "floating_frame/relative_rows_detail.hpp"

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
void RelativeRows<S>::add_distance_in_space() {
  in_space_row_ = static_cast<int>(n_rows_);
  n_rows_ += 3;
}

template <class S>
void RelativeRows<S>::add_half_square() {
  half_square_row_ = static_cast<int>(n_rows_++);
}

template <class S>
void RelativeRows<S>::add_distance(Eigen::Index length) {
  add_half_square();
  length_ = length;
}

template <class S>
void RelativeRows<S>::add_rotations(const std::array<bool, 3>& locked, const std::array<bool, 3>& redundant) {
  for (int k = 0; k < 3; ++k) {
    if (!locked[k] || redundant[k]) continue;
    const int row = static_cast<int>(n_rows_++);
    for (const auto& [i, j, coefficient] : rotation_row(locked, k))
      rotation_terms_.push_back({row, i, j, coefficient});
  }
}

/// A0 R_k(angle) e_i has the derivative A0 R_k(angle) (e_k x e_i).
template <class S>
RelativeRows<S> RelativeRows<S>::by_angle() const {
  RelativeRows derivative(to_, from_);
  derivative.drive_axis_ = drive_axis_;
  derivative.n_rows_ = n_rows_;
  const int next = (drive_axis_ + 1) % 3, last = (drive_axis_ + 2) % 3;
  for (const RotationTerm& term : rotation_terms_) {
    if (term.i == next) derivative.rotation_terms_.push_back({term.row, last, term.j, term.coefficient});
    if (term.i == last) derivative.rotation_terms_.push_back({term.row, next, term.j, -term.coefficient});
  }
  return derivative;
}

template <class S>
RowsWorkspace<S>::RowsWorkspace(Eigen::Index n) {
  for (Field* m : {&D1, &D2, &D3, &DF_t, &DM_t, &Dtau_t, &DF_f, &DM_f, &Dtau_f}) m->setZero(3, n);
  for (Jet& jet : factors) {
    jet.resize(n);
    for (Vector3<S>& y : jet.y) y.setZero();
  }
  for (int k = 0; k < 3; ++k) factors[inertial_axis(k)].y[0] = Vector3<S>::Unit(k);
}

template <class S>
void RelativeRows<S>::values(const S* p, const Ends& ends, Eigen::Ref<Vec> c) const {
  values(p, ends, Pair(*this, p, ends), c);
}

template <class S>
void RelativeRows<S>::values(const S* p, const Ends& ends, const Pair& pair, Eigen::Ref<Vec> c) const {
  c.setZero();
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] < 0) continue;
    c[translation_row_[k]] = dot(pair.t.axes.col(k), pair.delta_t) - ends.shift[k].value;
  }
  for (const RotationTerm& term : rotation_terms_) {
    const Vector3<S> b = pair.R * pair.t.axes.col(term.j);
    c[term.row] += term.coefficient * dot(pair.f.axes.col(term.i), b);
  }
  if (in_space_row_ >= 0) c.template segment<3>(in_space_row_) = pair.t.point - pair.f.point;
  if (half_square_row_ >= 0) c[half_square_row_] = 0.5 * square_weight(p) * dot(pair.delta_t, pair.delta_t);
  if (length_ >= 0) c[half_square_row_] -= 0.5 * p[length_];
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
Vector3<S> column(const Matrix3<S>& m, int k) {
  return m.col(k);
}

}  // namespace

template <class S>
void RelativeRows<S>::jacobian(const S* p, const Ends& ends, Eigen::Ref<Matrix> C) const {
  jacobian(p, Pair(*this, p, ends), C);
}

template <class S>
void RelativeRows<S>::values_and_jacobian(const S* p, const Ends& ends, Eigen::Ref<Vec> c,
                                          Eigen::Ref<Matrix> C) const {
  const Pair pair(*this, p, ends);
  values(p, ends, pair, c);
  jacobian(p, pair, C);
}

template <class S>
void RelativeRows<S>::jacobian(const S* p, const Pair& pair, Eigen::Ref<Matrix> C) const {
  using V = Vector3<S>;
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
    add_wrench(t, row_t(row), alpha, cross(alpha, arm), cross(column<S>(t.axes0[0], k), pair.delta_t));
    add_wrench(f, row_f(row), gamma, cross(f.u, gamma), zero);
  }
  for (const RotationTerm& term : rotation_terms_) {
    const V alpha = f.axes.col(term.i), beta = t.axes.col(term.j);
    const V b_f = term.coefficient * (pair.R * beta), a_t = term.coefficient * (pair.R.transpose() * alpha);
    add_wrench(f, row_f(term.row), zero, cross(alpha, b_f), cross(column<S>(f.axes0[0], term.i), b_f));
    add_wrench(t, row_t(term.row), zero, cross(beta, a_t), cross(column<S>(t.axes0[0], term.j), a_t));
  }
  for (int k = 0; in_space_row_ >= 0 && k < 3; ++k) {
    const V e_t = t.S.row(k), e_f = -f.S.row(k);
    add_wrench(t, row_t(in_space_row_ + k), e_t, cross(t.u, e_t), zero);
    add_wrench(f, row_f(in_space_row_ + k), e_f, cross(f.u, e_f), zero);
  }
  if (half_square_row_ >= 0) {
    const V delta_t = square_weight(p) * pair.delta_t, delta_f = -square_weight(p) * pair.delta_f;
    add_wrench(t, row_t(half_square_row_), delta_t, cross(t.u, delta_t), zero);
    add_wrench(f, row_f(half_square_row_), delta_f, cross(f.u, delta_f), zero);
  }
}

#define KURBEL_INSTANTIATE(S)                                                                           \
  template struct RowsWorkspace<S>;                                                                     \
  template void RelativeRows<S>::add_translation(int);                                                  \
  template void RelativeRows<S>::add_rotations(const std::array<bool, 3>&, const std::array<bool, 3>&); \
  template void RelativeRows<S>::add_direction_cosine(int, int);                                        \
  template RelativeRows<S> RelativeRows<S>::by_angle() const;                                           \
  template void RelativeRows<S>::add_distance_in_space();                                               \
  template void RelativeRows<S>::add_half_square();                                                     \
  template void RelativeRows<S>::add_distance(Eigen::Index);                                            \
  template void RelativeRows<S>::values(const S*, const Ends&, Eigen::Ref<Vec>) const;                  \
  template void RelativeRows<S>::jacobian(const S*, const Ends&, Eigen::Ref<Matrix>) const;             \
  template void RelativeRows<S>::values_and_jacobian(const S*, const Ends&, Eigen::Ref<Vec>,            \
                                                     Eigen::Ref<Matrix>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
