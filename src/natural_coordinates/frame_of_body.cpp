#include "natural_coordinates/frame_of_body.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

/// vee(M - M^T)
template <class S>
Vector3<S> twice_axial(const Matrix3<S>& M) {
  return {M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1)};
}

template <class S>
Matrix3<S> trace_less(const Matrix3<S>& M) {
  return M.trace() * Matrix3<S>::Identity() - M;
}

/// The axes one beside the other.
template <class S>
Matrix3<S> axes(const Eigen::Ref<const VectorX<S>>& q) {
  return Eigen::Map<const Matrix3<S>>(q.data() + 3);
}

template <class S>
void put_axes(const Matrix3<S>& A, Eigen::Ref<VectorX<S>> q) {
  Eigen::Map<Matrix3<S>>(q.data() + 3) = A;
}

/// Q of A = Q P, by Newton's iteration Q <- (Q + Q^-T) / 2.
template <class S>
Matrix3<S> rotation_of(const Matrix3<S>& A) {
  constexpr int max_iterations = 20;
  constexpr double converged = 1e-15;
  Matrix3<S> Q = A;
  bool was_small = false;  // complex step: the imaginary part converges one iteration behind the real one
  for (int iteration = 0; iteration < max_iterations && !was_small; ++iteration) {
    const Matrix3<S> change = 0.5 * (Q.inverse().transpose() - Q);
    Q += change;
    was_small = change.real().cwiseAbs().maxCoeff() < converged;
  }
  return Q;
}

/// Relative to the quaternion of the real part, of which the rest is a small turn.
template <class S>
Quaternion<S> quaternion_of(const Matrix3<S>& Q) {
  using std::sqrt;
  const Matrix3d real = Q.real();
  const Eigen::Quaterniond e(real);
  const Matrix3<S> rest = e.toRotationMatrix().template cast<S>().transpose() * Q;
  const S w = 0.5 * sqrt(S(1.0) + rest.trace());
  Quaternion<S> turn;
  turn << w, twice_axial(rest) / (4.0 * w);
  return multiply<S>(Quaternion<double>(e.w(), e.x(), e.y(), e.z()).cast<S>(), turn);
}

}  // namespace

template <class S>
FrameOfBody<S>::FrameOfBody(const Segment& q, const Segment& q_dot) {
  const Matrix3<S> A = axes<S>(q), A_dot = axes<S>(q_dot);
  Q = rotation_of(A);
  pose = {q.template head<3>(), quaternion_of(Q)};
  const Matrix3<S> B = Q.transpose() * A_dot;
  v = Q.transpose() * q_dot.template head<3>();
  omega = 0.5 * twice_axial(B);
  spread = trace_less<S>(Q.transpose() * A);
  slip = 0.5 * trace_less(B);
}

template <class S>
FrameOfBody<S>::FrameOfBody(const Pose<S>& of_frame, const Vector6<S>& twist)
    : pose(of_frame),
      v(twist.template head<3>()),
      omega(twist.template tail<3>()),
      Q(rotation_matrix<S>(of_frame.e)),
      spread(2.0 * Matrix3<S>::Identity()),
      slip(-0.5 * tilde(omega)) {}

template <class S>
void FrameOfBody<S>::pull_back(const Segment& x_bar, const Segment& v_bar, Eigen::Ref<VectorX<S>> q_bar,
                               Eigen::Ref<VectorX<S>> q_dot_bar) const {
  const Vector3<S> v_part = v_bar.template head<3>(), omega_part = v_bar.template tail<3>();
  const Vector3<S> turn_bar = x_bar.template tail<3>() - cross(v, v_part) - slip.transpose() * omega_part;
  const Vector3<S> n = spread.transpose().partialPivLu().solve(turn_bar);
  q_bar.template head<3>() += Q * x_bar.template head<3>();
  put_axes<S>(axes<S>(q_bar) + Q * tilde(n), q_bar);
  q_dot_bar.template head<3>() += Q * v_part;
  put_axes<S>(axes<S>(q_dot_bar) + 0.5 * Q * tilde(omega_part), q_dot_bar);
}

template <class S>
void FrameOfBody<S>::write(Eigen::Ref<VectorX<S>> q, Eigen::Ref<VectorX<S>> q_dot) const {
  q.template head<3>() = pose.r;
  q_dot.template head<3>() = Q * v;
  put_axes<S>(Q, q);
  put_axes<S>(Q * tilde(omega), q_dot);
}

template <class S>
void FrameOfBody<S>::push_forward(const Segment& dx, const Segment& dv, Eigen::Ref<VectorX<S>> dq,
                                  Eigen::Ref<VectorX<S>> dq_dot) const {
  const Vector3<S> turn = dx.template tail<3>(), omega_part = dv.template tail<3>();
  dq.template head<3>() = Q * dx.template head<3>();
  dq_dot.template head<3>() = Q * (dv.template head<3>() + cross(turn, v));
  put_axes<S>(Q * tilde(turn), dq);
  put_axes<S>(Q * (tilde(turn) * tilde(omega) + tilde(omega_part)), dq_dot);
}

/// Sums of products with a~ are a . vee(M - M^T).
template <class S>
void FrameOfBody<S>::pull_back_written(const Segment& q_bar, const Segment& q_dot_bar,
                                       Eigen::Ref<VectorX<S>> x_bar, Eigen::Ref<VectorX<S>> v_bar) const {
  const Matrix3<S> of_axes = Q.transpose() * axes<S>(q_bar), of_rates = Q.transpose() * axes<S>(q_dot_bar);
  v_bar.template head<3>() = Q.transpose() * q_dot_bar.template head<3>();
  v_bar.template tail<3>() = twice_axial(of_rates);
  x_bar.template head<3>() = Q.transpose() * q_bar.template head<3>();
  const Vector3<S> v_part = v_bar.template head<3>();
  x_bar.template tail<3>() = twice_axial<S>(of_axes + of_rates * tilde(omega).transpose()) + cross(v, v_part);
}

template struct FrameOfBody<InstantiatedScalar>;

}  // namespace kurbel
