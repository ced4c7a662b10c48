/// @file
/// The rows of a pair of markers on rigid bodies, in inertial axes. Internal to floating_frame.
///
/// Rigid bodies need neither shapes nor the frames of the bodies: a marker has the point p and the axes a, and with the
/// twist (v, omega) of its body about rho, and the time derivative (w, alpha) of the twist,
///
///     p_dot = v + omega x (p - rho),    p_ddot = w + alpha x (p - rho) + omega x p_dot
///     a_dot = omega x a,                a_ddot = alpha x a + omega x a_dot
///
/// besides what a drive turns a by. Multipliers lambda act by a force F and a moment M about p^f, on "to" as they are and on
/// "from" with the opposite sign:
///
///     translation   F = lambda a_k^t
///     rotation      M = lambda * coefficient * a_j^t x a_i^f
///     half square   F = lambda (p^t - p^f), over L where the row is a distance
///     in space      F = lambda e_k, on "to" at p^t
#pragma once

#include "floating_frame/relative_rows_detail.hpp"

namespace kurbel {

template <class S>
class RelativeRows<S>::RigidPair {
 public:
  /// All must outlive this.
  /// @param angle  of the rotational drive
  RigidPair(const RelativeRows& rows, const S* p, const RigidMotion<S>& to, const RigidMotion<S>& from,
            const TimeValueOf<S>& angle)
      : rows_(rows), p_(p), to_(to), from_(from) {
    const Motion t = point(rows.to_, to), f = point(rows.from_, from);
    foot_ = f[0];
    for (std::size_t k = 0; k < 3; ++k) y_[distance_factor][k] = t[k] - f[k];
    std::array<bool, n_factors> is_set{};
    const auto set_axis_of_to = [&](int k) {
      if (!std::exchange(is_set[place(axis_of_to(k))], true))
        y_[place(axis_of_to(k))] = axis(rows.to_, to, k);
    };
    for (int k = 0; k < 3; ++k) {
      if (rows.translation_row_[place(k)] >= 0) set_axis_of_to(k);
    }
    if (!rows.rotation_terms_.empty()) {
      Matrix3<S> driven[3];
      if (rows.drive_axis_ >= 0) driven_axes<S>(rows.from_.A0, rows.drive_axis_, angle, driven);
      for (const RotationTerm& term : rows.rotation_terms_) {
        set_axis_of_to(term.j);
        if (std::exchange(is_set[place(axis_of_from(term.i))], true)) continue;
        y_[place(axis_of_from(term.i))] =
            rows.drive_axis_ < 0 ? axis(rows.from_, from, term.i) : driven_axis(driven, from, term.i);
      }
    }
    for (int k = 0; rows.in_space_row_ >= 0 && k < 3; ++k)
      y_[place(inertial_axis(k))] = {Vector3<S>::Unit(k), Vector3<S>::Zero(), Vector3<S>::Zero()};
  }

  /// Computes the rows, c_dot and c_ddot (n_rows each).
  /// @param shift  s(t) per axis; nullptr: zero
  void rates(const TimeValueOf<S>* shift, S* c, S* c_dot, S* c_ddot) const {
    for (Eigen::Index i = 0; i < rows_.n_rows_; ++i) c[i] = c_dot[i] = c_ddot[i] = S(0);
    rows_.for_each_product(p_, [&](int row, const S& weight, int i, int j) {
      const Motion &u = y_[place(i)], &w = y_[place(j)];
      c[row] += weight * dot(u[0], w[0]);
      c_dot[row] += weight * (dot(u[1], w[0]) + dot(u[0], w[1]));
      c_ddot[row] += weight * (dot(u[2], w[0]) + 2.0 * dot(u[1], w[1]) + dot(u[0], w[2]));
    });
    if (rows_.length_ >= 0) c[rows_.half_square_row_] -= 0.5 * p_[rows_.length_];
    for (std::size_t k = 0; shift && k < 3; ++k) {
      const int row = rows_.translation_row_[k];
      if (row < 0) continue;
      c[row] -= shift[k].value, c_dot[row] -= shift[k].rate, c_ddot[row] -= shift[k].acceleration;
    }
  }

  /// Adds C^T lambda to the wrenches on both bodies, each about its rho.
  /// @param on_to, on_from  nullptr for the ground
  void add_reaction(const S* lambda, Vector6<S>* on_to, Vector6<S>* on_from) const {
    const Vector3<S>& distance = y_[distance_factor][0];
    Vector3<S> F = Vector3<S>::Zero(), M = F;
    for (int k = 0; k < 3; ++k) {
      const int row = rows_.translation_row_[place(k)];
      if (row >= 0) F += lambda[row] * y_[place(axis_of_to(k))][0];
    }
    for (const RotationTerm& term : rows_.rotation_terms_) {
      M += (lambda[term.row] * term.coefficient) *
           cross(y_[place(axis_of_to(term.j))][0], y_[place(axis_of_from(term.i))][0]);
    }
    if (rows_.half_square_row_ >= 0)
      F += (lambda[rows_.half_square_row_] * rows_.square_weight(p_)) * distance;
    Vector3<S> on_to_alone = M;
    if (rows_.in_space_row_ >= 0) {
      const Eigen::Map<const Vector3<S>> in_space(lambda + rows_.in_space_row_);
      F += in_space;
      on_to_alone += cross(distance, in_space);
    }
    if (on_to) {
      on_to->template head<3>() += F;
      on_to->template tail<3>() += on_to_alone + cross(Vector3<S>(foot_ - to_.rho), F);
    }
    if (on_from) {
      on_from->template head<3>() -= F;
      on_from->template tail<3>() -= M + cross(Vector3<S>(foot_ - from_.rho), F);
    }
  }

 private:
  using Motion = std::array<Vector3<S>, 3>;  ///< a vector and its time derivatives

  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  Motion point(const MarkerPlace& marker, const RigidMotion<S>& body) const {
    Motion y;
    y[0] = body.r;
    if (!marker.is_origin)
      y[0].noalias() += body.A * Eigen::Map<const Vector3<S>>(p_ + marker.layout.R.offset);
    const Vector3<S> d = y[0] - body.rho;
    const auto omega = body.V.template tail<3>();
    y[1] = body.V.template head<3>() + cross(omega, d);
    y[2] = body.acceleration.template head<3>() + cross(body.acceleration.template tail<3>(), d) +
           cross(omega, y[1]);
    return y;
  }
  static Motion axis(const MarkerPlace& marker, const RigidMotion<S>& body, int k) {
    Motion y;
    y[0].noalias() = body.A * marker.A0.col(k).template cast<S>();
    const auto omega = body.V.template tail<3>();
    y[1] = cross(omega, y[0]);
    y[2] = cross(body.acceleration.template tail<3>(), y[0]) + cross(omega, y[1]);
    return y;
  }
  /// @param axes  A0(t) and its time derivatives
  static Motion driven_axis(const Matrix3<S> (&axes)[3], const RigidMotion<S>& body, int k) {
    Motion y;
    y[0].noalias() = body.A * axes[0].col(k);
    const Vector3<S> rate = body.A * axes[1].col(k);
    const auto omega = body.V.template tail<3>();
    y[1] = rate + cross(omega, y[0]);
    y[2] = body.A * axes[2].col(k) + cross(omega, rate) + cross(body.acceleration.template tail<3>(), y[0]) +
           cross(omega, y[1]);
    return y;
  }

  const RelativeRows& rows_;
  const S* p_;
  const RigidMotion<S>&to_, &from_;
  Vector3<S> foot_;                  ///< p^f
  std::array<Motion, n_factors> y_;  ///< vectors whose products the rows are; only such are set
};

}  // namespace kurbel
