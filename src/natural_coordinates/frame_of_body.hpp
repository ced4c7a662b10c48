/// @file
/// A rigid body with q = (r, e1, e2, e3) seen as one with a floating frame, and back.
///
/// With A = [e1 e2 e3] = Q P, Q a rotation and P symmetric, which is the unit matrix where the axes are orthonormal,
///
///     e of Q,     v = Q^T r_dot,     omega~ = (Q^T A_dot - A_dot^T Q) / 2
///
/// and for a turn theta of Q, in its frame,
///
///     (tr P - P) dtheta = vee(Q^T dA - dA^T Q)
///     dv = Q^T dr_dot + v~ dtheta
///     domega = vee(Q^T dA_dot - dA_dot^T Q) / 2 - (tr B - B) dtheta / 2,     B = Q^T A_dot
///
/// The other way, r_dot = Q v, A = Q, A_dot = Q omega~.
#pragma once

#include "integration/lie_group.hpp"

namespace kurbel {

template <class Scalar>
struct FrameOfBody {
  using Segment = Eigen::Ref<const VectorX<Scalar>>;

  Pose<Scalar> pose;
  Vector3<Scalar> v, omega;   ///< in the frame
  Matrix3<Scalar> Q, spread;  ///< spread = tr P - P
  Matrix3<Scalar> slip;       ///< (tr B - B) / 2

  /// The frame at q and q_dot, 12 each.
  FrameOfBody(const Segment& q, const Segment& q_dot);
  /// The frame of a body in the floating frame.
  FrameOfBody(const Pose<Scalar>& pose, const Vector6<Scalar>& twist);

  /// Adds what bars of the pose's tangent (6) and of the twist (6) are to q and q_dot.
  void pull_back(const Segment& x_bar, const Segment& v_bar, Eigen::Ref<VectorX<Scalar>> q_bar,
                 Eigen::Ref<VectorX<Scalar>> q_dot_bar) const;

  // The other way.

  void write(Eigen::Ref<VectorX<Scalar>> q, Eigen::Ref<VectorX<Scalar>> q_dot) const;
  /// dq and dq_dot of variations of the pose, in tangent coordinates, and of the twist.
  void push_forward(const Segment& dx, const Segment& dv, Eigen::Ref<VectorX<Scalar>> dq,
                    Eigen::Ref<VectorX<Scalar>> dq_dot) const;
  /// Pulls bars of q and q_dot back to the pose and the twist, overwritten.
  void pull_back_written(const Segment& q_bar, const Segment& q_dot_bar, Eigen::Ref<VectorX<Scalar>> x_bar,
                         Eigen::Ref<VectorX<Scalar>> v_bar) const;
};

}  // namespace kurbel
