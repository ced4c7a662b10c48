/// @file
/// Twists and wrenches in inertial axes, about a point rho.
///
/// A twist V = (v, omega) holds the velocity of the material point at rho; a wrench F = (f, n) the moment about
/// it, so that F . V is a power whatever the point. A twist that a body carries along changes by
/// ad_V W = V x W, and the wrench that it meets by -ad_V^T F.
///
/// Kernels form each number before they store any: a processor waits where a wide word is read that was just written in parts.
#pragma once

#include "integration/lie_group.hpp"

namespace kurbel {

/// (a, b)
template <class A, class B>
EIGEN_ALWAYS_INLINE Vector6<typename A::Scalar> both(const Eigen::MatrixBase<A>& a,
                                                     const Eigen::MatrixBase<B>& b) {
  return {a[0], a[1], a[2], b[0], b[1], b[2]};
}

/// A^T b
template <class S>
EIGEN_ALWAYS_INLINE Vector3<S> transposed_times(const Matrix3<S>& A, const Vector3<S>& b) {
  return {A(0, 0) * b[0] + A(1, 0) * b[1] + A(2, 0) * b[2], A(0, 1) * b[0] + A(1, 1) * b[1] + A(2, 1) * b[2],
          A(0, 2) * b[0] + A(1, 2) * b[1] + A(2, 2) * b[2]};
}

/// a + ad_V W
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> sum_with_ad(const Vector6<S>& a, const Vector6<S>& V, const Vector6<S>& W) {
  const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>();
  const Vector3<S> w = W.template head<3>(), omega_W = W.template tail<3>();
  return both(a.template head<3>() + cross(omega, w) + cross(v, omega_W),
              a.template tail<3>() + cross(omega, omega_W));
}

/// The same twist about rho + d.
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> shifted_twist(Vector6<S> V, const Vector3<S>& d) {
  V.template head<3>() += cross(V.template tail<3>(), d);
  return V;
}

/// The same wrench about rho + d.
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> shifted_wrench(Vector6<S> F, const Vector3<S>& d) {
  F.template tail<3>() += cross(F.template head<3>(), d);
  return F;
}

/// The order of the terms that s^T I s sums: what is far below it is left of them by rounding.
/// @param I  diagonal of the inertia (m, m, m, I_x, I_y, I_z), a measure of it for any matrix
inline double size_of_inertia(const Eigen::Matrix<double, 6, 1>& I, const Eigen::Matrix<double, 6, 1>& s) {
  return I.head<3>().cwiseAbs().sum() * s.head<3>().squaredNorm() +
         I.tail<3>().cwiseAbs().sum() * s.tail<3>().squaredNorm();
}

/// Between the frame (r, A) of a body, where twists are (v, omega) of its origin in its axes, and inertial
/// axes about rho.
template <class S>
struct FrameChange {
  Matrix3<S> A = Matrix3<S>::Identity();
  Vector3<S> d = Vector3<S>::Zero();  ///< rho - r

  template <class V>
  Vector6<S> twist_to_inertial(const V& in_body) const {
    const Vector3<S> omega = A * in_body.template tail<3>(), v = A * in_body.template head<3>();
    return both(v + cross(omega, d), omega);
  }
  EIGEN_ALWAYS_INLINE Vector6<S> twist_to_body(const Vector6<S>& V) const {
    const Vector3<S> omega = V.template tail<3>(), v = V.template head<3>() - cross(omega, d);
    return both(transposed_times<S>(A, v), transposed_times<S>(A, omega));
  }
  template <class F>
  Vector6<S> wrench_to_inertial(const F& in_body) const {
    const Vector3<S> f = A * in_body.template head<3>(), n = A * in_body.template tail<3>();
    return both(f, n + cross(f, d));
  }
  Vector6<S> wrench_to_body(const Vector6<S>& F) const {
    const Vector3<S> f = F.template head<3>(), n = F.template tail<3>() - cross(f, d);
    return both(transposed_times<S>(A, f), transposed_times<S>(A, n));
  }
  /// The matrix of twist_to_inertial().
  Matrix6<S> to_inertial() const {
    Matrix6<S> T = Matrix6<S>::Zero();
    T.template topLeftCorner<3, 3>() = A;
    T.template bottomRightCorner<3, 3>() = A;
    T.template topRightCorner<3, 3>() = -tilde(d) * A;
    return T;
  }
  /// The matrix of twist_to_body().
  Matrix6<S> to_body() const {
    Matrix6<S> T = Matrix6<S>::Zero();
    T.template topLeftCorner<3, 3>() = A.transpose();
    T.template bottomRightCorner<3, 3>() = A.transpose();
    T.template topRightCorner<3, 3>() = A.transpose() * tilde(d);
    return T;
  }
};

}  // namespace kurbel
