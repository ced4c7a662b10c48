/// @file
/// Rotations and rigid motions without singularities: unit quaternions, the exponential maps of SO(3) and
/// SE(3) and their tangent operators, left-trivialised (increments and velocities are in the moving frame).
///
/// Every kernel is templated on the scalar, analytic in it, and thus fit for complex step.
#pragma once

#include <array>
#include <cmath>

#include "base/types.hpp"

namespace kurbel {

/// The matrix a~ with a~ b = a x b.    [P0, eq. 10]
template <class Derived>
Matrix3<typename Derived::Scalar> tilde(const Eigen::MatrixBase<Derived>& a) {
  using S = typename Derived::Scalar;
  Matrix3<S> m;
  m << S(0), -a[2], a[1], a[2], S(0), -a[0], -a[1], a[0], S(0);
  return m;
}

/// a x b without complex conjugation.
template <class A, class B>
Vector3<typename A::Scalar> cross(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// a^T b without complex conjugation.
template <class A, class B>
typename A::Scalar dot(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return (a.transpose() * b).value();
}

/// Unit quaternion (w, x, y, z).
template <class Scalar>
using Quaternion = Eigen::Matrix<Scalar, 4, 1>;

/// Rotation matrix of a unit quaternion: from the moving frame into the fixed one.
template <class Scalar>
Matrix3<Scalar> rotation_matrix(const Quaternion<Scalar>& e);

/// Quaternion of a rotation vector: exp on SO(3).
template <class Scalar>
Quaternion<Scalar> exp_quaternion(const Vector3<Scalar>& theta);

/// Hamilton product a b: first b, then a, both seen from the fixed frame.
template <class Scalar>
Quaternion<Scalar> multiply(const Quaternion<Scalar>& a, const Quaternion<Scalar>& b);

/// Rigid motion (r, e): x -> r + R(e) x.
template <class Scalar>
struct Pose {
  Vector3<Scalar> r = Vector3<Scalar>::Zero();
  Quaternion<Scalar> e{Scalar(1), Scalar(0), Scalar(0), Scalar(0)};
};

/// The commutator of twists (v, omega): ad_V W = (omega x w + v x omega_W, omega x omega_W)
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> ad(const Vector6<S>& V, const Vector6<S>& W) {
  const auto v = V.template head<3>(), omega = V.template tail<3>();
  const auto w = W.template head<3>(), omega_W = W.template tail<3>();
  Vector6<S> out;
  out << cross(omega, w) + cross(v, omega_W), cross(omega, omega_W);
  return out;
}

/// Its transpose on a wrench F = (f, n): ad_V^T F = (f x omega, f x v + n x omega)
template <class S>
EIGEN_ALWAYS_INLINE Vector6<S> ad_transposed(const Vector6<S>& V, const Vector6<S>& F) {
  const auto v = V.template head<3>(), omega = V.template tail<3>();
  const auto f = F.template head<3>(), n = F.template tail<3>();
  Vector6<S> out;
  out << cross(f, omega), cross(f, v) + cross(n, omega);
  return out;
}

/// (r, e) o exp(xi) on SE(3), xi = (u, theta) in the moving frame; the quaternion comes back normalised.
template <class Scalar>
Pose<Scalar> retract(const Pose<Scalar>& pose, const Vector6<Scalar>& xi);

/// The inverse: xi with to = from o exp(xi), for rotations of less than half a turn.
template <class Scalar>
Vector6<Scalar> increment(const Pose<Scalar>& from, const Pose<Scalar>& to);

/// Left-trivialised derivative of retract: delta_new = T delta_xi + Ad delta_pose.
template <class Scalar>
struct RetractionDerivative {
  Matrix6<Scalar> T;   ///< sum_k (-ad_xi)^k / (k + 1)!
  Matrix6<Scalar> Ad;  ///< exp(-ad_xi)
};
template <class Scalar>
RetractionDerivative<Scalar> retraction_derivative(const Vector6<Scalar>& xi);

}  // namespace kurbel
