/// @file
/// Marker kinematics: vectors carried by the frame of a body, with their first two time derivatives.
///
/// A marker is displaced by u = R + Phi q (+ q^T Gamma q / 2, marker_shapes.hpp) and turned by psi = Psi q.
/// Both are linear in the marker's parameters (R, Phi, Gamma, Psi), and everything below is linear in u and
/// psi up to terms free of parameters. So a derivative by the parameters is the same expression with a
/// direction of parameter space in their place and those terms left out. [P0, eqs 7-31]
#pragma once

#include <array>

#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/relative_rows.hpp"

namespace kurbel {

/// A vector in the frame of its body and its first two time derivatives there.
template <class S>
struct Carried {
  Vector3<S> a = Vector3<S>::Zero(), a_dot = Vector3<S>::Zero(), a_ddot = Vector3<S>::Zero();
};

/// A vector and its first two absolute time derivatives.
template <class S>
using VectorMotion = std::array<Vector3<S>, 3>;

/// Velocity and acceleration of a reference frame, in the frame.
template <class S>
struct FrameRates {
  Vector3<S> v, omega, v_dot, omega_dot;
};

/// @param n  0 for the ground, which rests
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

/// u and psi with their rates in the frame of the body.
template <class S>
struct MarkerDisplacement {
  Carried<S> u, psi;
};

/// B(q, q) / 2 and its time derivatives.
template <class S>
void add_second_order_displacement(const MarkerLayout& layout, Eigen::Index n_q, const S* p,
                                   const BodyKinematics<S>& body, Carried<S>& u) {
  using Map = Eigen::Map<const VectorX<S>>;
  const auto product = [&](const auto& a, const auto& b) { return second_order_product(layout, p, a, b); };
  const Map q(body.q, n_q);
  u.a += 0.5 * product(q, q);
  if (body.v) {
    const Map q_dot(body.v + 6, n_q);
    u.a_dot += 0.5 * (product(q_dot, q) + product(q, q_dot));
    u.a_ddot += product(q_dot, q_dot);
  }
  if (body.v_dot) {
    const Map q_ddot(body.v_dot + 6, n_q);
    u.a_ddot += 0.5 * (product(q_ddot, q) + product(q, q_ddot));
  }
}

/// The transpose: of Phi and, where there is one, of Gamma.
template <class S>
void add_displacement_bar(const MarkerLayout& layout, Eigen::Index n_q, const BodyKinematics<S>& body,
                          const Carried<S>& bar, S* p_bar) {
  using Map = Eigen::Map<const VectorX<S>>;
  auto Phi_bar = view<3>(layout.Phi, p_bar);
  const bool second_order = layout.second_order();
  const auto add_products = [&](const Vector3<S>& b, const auto& x, const auto& q) {
    add_second_order_bar(layout, b, x, q, 0.5, p_bar);
    add_second_order_bar(layout, b, q, x, 0.5, p_bar);
  };
  const Map q(body.q, n_q);
  Phi_bar.noalias() += bar.a * q.transpose();
  if (second_order) add_second_order_bar(layout, bar.a, q, q, 0.5, p_bar);
  if (body.v) {
    const Map q_dot(body.v + 6, n_q);
    Phi_bar.noalias() += bar.a_dot * q_dot.transpose();
    if (second_order) add_products(bar.a_dot, q_dot, q);
    if (second_order) add_second_order_bar(layout, bar.a_ddot, q_dot, q_dot, 1.0, p_bar);
  }
  if (body.v_dot) {
    const Map q_ddot(body.v_dot + 6, n_q);
    Phi_bar.noalias() += bar.a_ddot * q_ddot.transpose();
    if (second_order) add_products(bar.a_ddot, q_ddot, q);
  }
}

/// Linear in p: of a direction p_dot, the derivatives of u and psi along it. Zero for the origin of a
/// body.                                                             [P0, eqs 11, 26, 27]
template <class S>
MarkerDisplacement<S> marker_displacement(const MarkerPlace& place, const S* p,
                                          const BodyKinematics<S>& body) {
  MarkerDisplacement<S> d;
  if (place.is_origin) return d;
  d.u.a = view<3>(place.layout.R, p);
  if (place.n_q == 0) return d;
  const auto Phi = view<3>(place.layout.Phi, p), Psi = view<3>(place.layout.Psi, p);
  const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
  d.u.a += Phi * q;
  d.psi.a = Psi * q;
  d.u.a_dot = elastic_rate(true, Phi, body.v, place.n_q);
  d.psi.a_dot = elastic_rate(true, Psi, body.v, place.n_q);
  d.u.a_ddot = elastic_rate(true, Phi, body.v_dot, place.n_q);
  d.psi.a_ddot = elastic_rate(true, Psi, body.v_dot, place.n_q);
  if (place.layout.second_order()) add_second_order_displacement(place.layout, place.n_q, p, body, d.u);
  return d;
}

/// Column k of A0(t) and its time derivatives.
template <class S>
VectorMotion<S> axis_motion(const Matrix3<S> (&axes0)[3], int k) {
  return {axes0[0].col(k), axes0[1].col(k), axes0[2].col(k)};
}

/// psi~ a0(t): what the elastic rotation adds to an axis.
template <class S>
Carried<S> turned_axis(const Carried<S>& psi, const VectorMotion<S>& a0) {
  Carried<S> c;
  c.a = cross(psi.a, a0[0]);
  c.a_dot = cross(psi.a, a0[1]) + cross(psi.a_dot, a0[0]);
  c.a_ddot = cross(psi.a, a0[2]) + 2.0 * cross(psi.a_dot, a0[1]) + cross(psi.a_ddot, a0[0]);
  return c;
}

/// a = (E + psi~) a0(t).    [P0, eqs 8, 9]
template <class S>
Carried<S> carried_axis(const Carried<S>& psi, const VectorMotion<S>& a0) {
  Carried<S> c = turned_axis(psi, a0);
  c.a += a0[0], c.a_dot += a0[1], c.a_ddot += a0[2];
  return c;
}

/// w with y^(k) = S w_k for a vector y carried by the frame; a point adds the motion of the frame's origin.
/// For u these are [P0, eqs 13, 20] without v and v_dot + omega x v.
template <class S>
VectorMotion<S> frame_derivatives(const FrameRates<S>& r, const Carried<S>& c) {
  const Vector3<S> omega_a = cross(r.omega, c.a);
  return {c.a, Vector3<S>(omega_a + c.a_dot),
          Vector3<S>(cross(r.omega, omega_a) + 2.0 * cross(r.omega, c.a_dot) + cross(r.omega_dot, c.a) +
                     c.a_ddot)};
}

/// The transpose of frame_derivatives(), from sensitivities in the inertial frame.
template <class S>
Carried<S> carried_bar(const Matrix3<S>& frame, const FrameRates<S>& r, const VectorMotion<S>& y_bar) {
  const Vector3<S> w0 = frame.transpose() * y_bar[0], w1 = frame.transpose() * y_bar[1],
                   w2 = frame.transpose() * y_bar[2];
  Carried<S> c;
  c.a = w0 + cross(w1, r.omega) + cross(r.omega, cross(r.omega, w2)) + cross(w2, r.omega_dot);
  c.a_dot = w1 + 2.0 * cross(w2, r.omega);
  c.a_ddot = w2;
  return c;
}

/// Point and axes of a marker in the inertial frame.
template <class S>
struct MarkerMotion {
  VectorMotion<S> point, axes[3];

  /// The requested axes; the others are zero.
  using Axes = std::array<bool, 3>;

  /// @param axes0  A0(t) and its time derivatives
  MarkerMotion(const MarkerPlace& place, const S* p, const BodyKinematics<S>& body,
               const Matrix3<S> (&axes0)[3], const Axes& requested)
      : MarkerMotion(place, p, body, axes0, requested, true) {
    const FrameRates<S> r = frame_rates(place.n_tangent(), body);
    point[0] += body.r;
    point[1] += body.S * r.v;
    point[2] += body.S * (r.v_dot + cross(r.omega, r.v));
  }

  /// The derivative of the same in the direction p_dot.    [P0, eqs 26-31]
  static MarkerMotion derivative(const MarkerPlace& place, const S* p_dot, const BodyKinematics<S>& body,
                                 const Matrix3<S> (&axes0)[3], const Axes& requested) {
    return MarkerMotion(place, p_dot, body, axes0, requested, false);
  }

 private:
  /// Relative to the frame's origin.
  MarkerMotion(const MarkerPlace& place, const S* p, const BodyKinematics<S>& body,
               const Matrix3<S> (&axes0)[3], const Axes& requested, bool with_undeformed_axes) {
    const FrameRates<S> r = frame_rates(place.n_tangent(), body);
    const MarkerDisplacement<S> d = marker_displacement(place, p, body);
    const auto in_inertial_frame = [&](const Carried<S>& c) {
      VectorMotion<S> y = frame_derivatives(r, c);
      for (Vector3<S>& vector : y) vector = (body.S * vector).eval();
      return y;
    };
    point = in_inertial_frame(d.u);
    for (int k = 0; k < 3; ++k) {
      axes[k].fill(Vector3<S>::Zero());
      if (!requested[static_cast<std::size_t>(k)]) continue;
      const VectorMotion<S> a0 = axis_motion<S>(axes0, k);
      if (place.n_q == 0) {  // no elastic rotation
        if (with_undeformed_axes) axes[k] = in_inertial_frame({a0[0], a0[1], a0[2]});
        continue;
      }
      axes[k] = in_inertial_frame(with_undeformed_axes ? carried_axis(d.psi, a0) : turned_axis(d.psi, a0));
    }
  }
};

}  // namespace kurbel
