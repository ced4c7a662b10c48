/// @file
/// The two ends of a pair of markers, evaluated at one instant. Internal to relative_rows*.cpp.
///
/// relative_rows.hpp has the equations. Letters of all these files:
///
///     t, f        the ends "to" and "from"; as suffix also: components in the frame of that body
///     S           rotation of a body, from its frame into the inertial frame (body.S; S alone is the type of scalars)
///     R           S_f^T S_t, from the frame of "to" into that of "from"; of a marker (layout.R): its position, m
///     u, psi      R + Phi q + q^T Gamma q / 2 (m) and Psi q (rad) of a marker, in the frame of its body
///     a0          axis of a marker without elastic rotation, in the frame of its body (axes0, driven at "from")
///     D           E + psi~, the elastic rotation: an axis is D a0 (axes)
///     delta       p^t - p^f
///     alpha, beta axes in the frame of their own body, or sums of such with weights
///     F, M, tau   force, moment about the origin of the body's frame, and moment conjugate to psi: the generalized
///                 force at an end is [F; M; Phi^T F + Psi^T tau], in the frame of its body
///     X~          skew matrix, X~ y = X x y; tilde(X) in the code
#pragma once

#include <cassert>

#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/relative_rows.hpp"

namespace kurbel {

/// A0^f(t) = A0^f R_k(angle(t)) and its time derivatives; a constant where nothing is driven.
template <class Scalar>
void driven_axes(const Matrix3d& A0, int axis, const TimeValueOf<Scalar>& angle, Matrix3<Scalar> (&out)[3]) {
  using M3 = Matrix3<Scalar>;
  out[0] = A0.cast<Scalar>(), out[1].setZero(), out[2].setZero();
  if (axis < 0) return;
  const M3 k = tilde(Vector3<Scalar>(Vector3<Scalar>::Unit(axis)));
  const M3 R = M3::Identity() + std::sin(angle.value) * k + (1.0 - std::cos(angle.value)) * k * k;
  out[0] = out[0] * R;
  out[1] = out[0] * k * angle.rate;
  out[2] = out[0] * (k * angle.acceleration + k * k * angle.rate * angle.rate);
}

/// One marker. Vectors are in the frame of its body unless stated otherwise.
template <class Scalar>
struct RelativeRows<Scalar>::End {
  using Shapes = Eigen::Map<const Eigen::Matrix<Scalar, 3, Eigen::Dynamic>>;
  using Coordinates = Eigen::Map<const VectorX<Scalar>>;

  End(const MarkerPlace& place, const Scalar* p, const BodyKinematics<Scalar>& body, int drive_axis,
      const TimeValueOf<Scalar>& angle)
      : n(place.n_tangent()),
        n_q(place.n_q),
        has_shapes(place.body >= 0 && !place.is_origin && place.n_q > 0),
        layout(place.layout),
        parameters(p),
        Phi(has_shapes ? shapes(place, p, body) : nullptr, 3, has_shapes ? n_q : 0),
        Psi(has_shapes ? p + place.layout.Psi.offset : nullptr, 3, has_shapes ? n_q : 0),
        q(body.q, n_q),
        S(body.S) {
    driven_axes<Scalar>(place.A0, drive_axis, angle, axes0);
    u.setZero(), psi.setZero();
    if (!place.is_origin) u = view<3>(place.layout.R, p);
    if (has_shapes) {
      u += view<3>(place.layout.Phi, p) * q;
      if (layout.second_order()) u += 0.5 * second_order_product(layout, p, q, q);
      psi = Psi * q;
    }
    axes = axes0[0];
    for (int k = 0; has_shapes && k < 3; ++k) axes.col(k) += cross(psi, axes0[0].col(k));
    point = body.r + S * u;
  }

  bool second_order() const { return has_shapes && layout.second_order(); }

  Eigen::Index n, n_q;
  bool has_shapes;
  const MarkerLayout& layout;
  const Scalar* parameters;
  Shapes Phi, Psi;  ///< Phi at q
  Coordinates q;
  const Matrix3<Scalar>& S;
  Matrix3<Scalar> axes0[3];  ///< A0(t), and its time derivatives
  Matrix3<Scalar> axes;      ///< D A0
  Vector3<Scalar> u;         ///< R + Phi q + q^T Gamma q / 2
  Vector3<Scalar> psi;       ///< Psi q
  Vector3<Scalar> point;     ///< p, in the inertial frame

 private:
  static const Scalar* shapes(const MarkerPlace& place, const Scalar* p, const BodyKinematics<Scalar>& body) {
    if (!place.layout.second_order()) return p + place.layout.Phi.offset;
    assert(body.shapes);
    return body.shapes + place.layout.shapes;
  }
};

template <class Scalar>
struct RelativeRows<Scalar>::Pair {
  Pair(const RelativeRows& rows, const Scalar* p, const Ends& ends)
      : t(rows.to_, p, ends.to, -1, {}),
        f(rows.from_, p, ends.from, rows.drive_axis_, ends.angle),
        R(f.S.transpose() * t.S) {
    const Vector3<Scalar> distance = t.point - f.point;
    delta_t = t.S.transpose() * distance;
    delta_f = f.S.transpose() * distance;
  }

  End t, f;
  Matrix3<Scalar> R;        ///< from the frame of the "to" body into that of the "from" body
  Vector3<Scalar> delta_t;  ///< p^t - p^f in the frame of the "to" body
  Vector3<Scalar> delta_f;  ///< the same in the frame of the "from" body
};

/// Indices of the vectors whose products make up the rows.
inline constexpr int axis_of_to(int k) {
  return k;
}
inline constexpr int axis_of_from(int k) {
  return 3 + k;
}
inline constexpr int distance_factor = 6;
inline constexpr int inertial_axis(int k) {
  return 7 + k;
}
inline constexpr int n_factors = 10;

/// Calls act(row, weight, index of one factor, index of the other) for every product of the rows. Terms that do not
/// depend on the motion are not among them.
template <class Scalar>
template <class Action>
void RelativeRows<Scalar>::for_each_product(const Scalar* p, const Action& act) const {
  for (int k = 0; k < 3; ++k) {
    if (translation_row_[k] >= 0) act(translation_row_[k], Scalar(1), axis_of_to(k), distance_factor);
  }
  for (const RotationTerm& term : rotation_terms_) {
    act(term.row, Scalar(term.coefficient), axis_of_from(term.i), axis_of_to(term.j));
  }
  for (int k = 0; in_space_row_ >= 0 && k < 3; ++k)
    act(in_space_row_ + k, Scalar(1), inertial_axis(k), distance_factor);
  if (half_square_row_ >= 0)
    act(half_square_row_, Scalar(0.5 * square_weight(p)), distance_factor, distance_factor);
}

}  // namespace kurbel
