/// @file
/// A rigid body among the forces of a tree: its inertia about a point in inertial axes, the wrench that its motion and its
/// weight take, and the derivatives of that wrench.
///
/// With the mass m, the first moment h and the inertia J about a point, and tilde(a) b = a x b,
///
///     I = [m, -h~; h~, J],    P = I V = (p, l)                         momentum of the twist V
///     w = I (A - (g, 0)) - ad_V^T P                                    with the acceleration A [P0, eqs 68-77, rigid]
///
/// Along the variation (eta, u, a) of tree_motion.hpp, that is delta x = eta, delta v = u, delta v_dot = a - ad_V u in the
/// axes of the body, where weight turns with eta,
///
///     delta w = K_x eta + K_v u + I a
///     K_x = [0, -m g~; 0, -h~ g~]
///     K_v = [0, -2 p~; 0, omega~ J - J omega~ - (J omega)~ - 2 h~ v~]
///
/// from d(-ad_V^T I V)u - I ad_V u: the terms m omega~ and h~ omega~ of translations cancel, and omega~ h~ - h~ omega~ is
/// (omega x h)~. Only rotations remain: neither K_x nor K_v has columns of translations.
#pragma once

#include "floating_frame/parameters.hpp"
#include "joint_coordinates/spatial.hpp"

namespace kurbel {

template <class S>
struct SpatialInertia {
  S m = S(0);
  Vector3<S> h = Vector3<S>::Zero();
  Matrix3<S> J = Matrix3<S>::Zero();

  /// Sets the inertia of a body with parameters p, about the point of a frame change.
  EIGEN_ALWAYS_INLINE void set(const BodyLayout& body, const S* p, const FrameChange<S>& frame) {
    const Matrix3<S>& A = frame.A;
    const Vector3<S>& d = frame.d;
    const Eigen::Map<const Matrix3<S>> J0(p + body.J0.offset);
    const Vector3<S> moment = A * view<3>(body.mdCM0, p);
    const Matrix3<S> turned = A * J0;
    m = p[body.mass.offset];
    h = moment - m * d;
    // Steiner: A J0 A^T + moment~ d~ + d~ h~, with a~ b~ = b a^T - (a . b) 1
    const S squares = dot(moment, d) + dot(d, h);
    for (int k = 0; k < 3; ++k) {
      const Vector3<S> column = turned * A.row(k).transpose();
      J.col(k) = column + moment[k] * d + d[k] * h;
      J(k, k) -= squares;
    }
  }

  EIGEN_ALWAYS_INLINE Vector6<S> operator*(const Vector6<S>& V) const {
    const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>(), of_spin = J * omega;
    return both(m * v + cross(omega, h), cross(h, v) + of_spin);
  }
  Matrix6<S> matrix() const {
    Matrix6<S> I;
    const Matrix3<S> h_t = tilde(h);
    I.template topLeftCorner<3, 3>() = m * Matrix3<S>::Identity();
    I.template topRightCorner<3, 3>() = -h_t;
    I.template bottomLeftCorner<3, 3>() = h_t;
    I.template bottomRightCorner<3, 3>() = J;
    return I;
  }
  /// I^T V: a design may vary the entries of J one by one.
  Vector6<S> transposed_times(const Vector6<S>& V) const {
    const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>();
    return both(m * v + cross(omega, h), cross(h, v) + kurbel::transposed_times<S>(J, omega));
  }

  /// w
  EIGEN_ALWAYS_INLINE Vector6<S> wrench(const Vector6<S>& V, const Vector6<S>& A, const Vector3<S>& g) const {
    const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>();
    const Vector3<S> a = A.template head<3>() - g, alpha = A.template tail<3>();
    const Vector3<S> of_spin = J * omega, of_turning = J * alpha;
    const Vector3<S> momentum = m * v + cross(omega, h), moment = cross(h, v) + of_spin;
    return both(m * a + cross(alpha, h) - cross(momentum, omega),
                cross(h, a) + of_turning - cross(momentum, v) - cross(moment, omega));
  }
  /// The columns of rotations of K_x and of K_v.
  using OfRotation = Eigen::Matrix<S, 6, 3>;
  EIGEN_ALWAYS_INLINE OfRotation by_eta(const Vector3<S>& g) const {
    OfRotation K;
    K.template topRows<3>() = tilde(Vector3<S>(-m * g));
    K.template bottomRows<3>() = -product_of_tildes(h, g);
    return K;
  }
  EIGEN_ALWAYS_INLINE OfRotation by_u(const Vector6<S>& V) const {
    const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>();
    OfRotation K;
    K.template topRows<3>() = tilde(Vector3<S>(-2.0 * (m * v + cross(omega, h))));
    auto of_moment = K.template bottomRows<3>();
    of_moment = -tilde(Vector3<S>(J * omega)) - 2.0 * product_of_tildes(h, v);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      of_moment.col(k) += cross(omega, J.col(k)) - omega[j] * J.col(i) + omega[i] * J.col(j);
    }
    return K;
  }
  /// K_x^T w = g x (I^T w)_p and K_v^T w, for rotations.
  Vector3<S> by_eta_transposed(const Vector3<S>& g, const Vector6<S>& transposed_times_w) const {
    return cross(g, transposed_times_w.template head<3>());
  }
  Vector3<S> by_u_transposed(const Vector6<S>& V, const Vector6<S>& w) const {
    const Vector3<S> v = V.template head<3>(), omega = V.template tail<3>();
    const Vector3<S> f = w.template head<3>(), n = w.template tail<3>();
    const Vector3<S> J_omega = J * omega, p = m * v + cross(omega, h);
    Vector3<S> out = 2.0 * (cross(p, f) - cross(v, cross(h, n))) + cross(J_omega, n);
    out += cross(omega, Vector3<S>(J.transpose() * n)) - J.transpose() * cross(omega, n);
    return out;
  }

 private:
  /// a~ b~ = b a^T - (a . b) 1
  static Matrix3<S> product_of_tildes(const Vector3<S>& a, const Vector3<S>& b) {
    Matrix3<S> out = b * a.transpose();
    out.diagonal().array() -= dot(a, b);
    return out;
  }
};

}  // namespace kurbel
