#include "natural_coordinates/natural_body.hpp"

#include <cmath>

#include "base/instantiate.hpp"
#include "integration/lie_group.hpp"
#include "mechanism/line_length.hpp"

namespace kurbel {

namespace {

constexpr Eigen::Index first_moment = 1, inertia = 4;

/// 4 x 4, of which M is the product with I_3.
template <class S, class Xi>
Eigen::Matrix<S, 4, 4> moments(const Xi& xi) {
  const Matrix3<S> J = Eigen::Map<const Matrix3<S>>(xi.data() + inertia);
  Eigen::Matrix<S, 4, 4> m;
  m(0, 0) = xi[0];
  m.template block<3, 1>(1, 0) = xi.template segment<3>(first_moment);
  m.template block<1, 3>(0, 1) = xi.template segment<3>(first_moment).transpose();
  m.template bottomRightCorner<3, 3>() = 0.5 * J.trace() * Matrix3<S>::Identity() - 0.5 * (J + J.transpose());
  return m;
}

}  // namespace

template <class S>
void NaturalBody<S>::add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const {
  const Eigen::Matrix<S, 4, 4> m = moments<S>(xi);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) M.template block<3, 3>(3 * i, 3 * j).diagonal().array() += m(i, j);
  }
}

template <class S>
void NaturalBody<S>::add_mass_derivative(const Segment&, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const {
  const auto of = [&](Eigen::Index i) { return a.template segment<3>(3 * i); };
  const auto add = [&](Eigen::Index column, Eigen::Index i, double factor, Eigen::Index j) {
    Ma_xi.col(column).template segment<3>(3 * i) += factor * of(j);
  };
  add(0, 0, 1.0, 0);
  for (Eigen::Index j = 0; j < 3; ++j)
    add(first_moment + j, 0, 1.0, 1 + j), add(first_moment + j, 1 + j, 1.0, 0);
  for (Eigen::Index i = 0; i < 3; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const Eigen::Index column = inertia + i + 3 * j;
      add(column, 1 + i, -0.5, 1 + j), add(column, 1 + j, -0.5, 1 + i);
      if (i != j) continue;
      for (Eigen::Index k = 1; k < 4; ++k) add(column, k, 0.5, k);
    }
  }
}

template <class S>
void NaturalBody<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  for (Eigen::Index i = 0; i < 4; ++i)
    Q.template segment<3>(3 * i) += state.xi[i] * gravity_.template cast<S>();
}

template <class S>
void NaturalBody<S>::add_derivatives(const ElementState<S>&, ForceDerivatives<S>& out) const {
  for (Eigen::Index i = 0; i < 4; ++i)
    out.Q_xi.col(i).template segment<3>(3 * i) += gravity_.template cast<S>();
}

template <class S>
S NaturalBody<S>::potential(const ElementState<S>& state) const {
  S V(0);
  for (Eigen::Index i = 0; i < 4; ++i)
    V -= state.xi[i] * dot(gravity_.template cast<S>(), state.q.template segment<3>(3 * i));
  return V;
}

template <class S>
void AxisForce<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  Q.template head<3>() += state.u[0] * state.q.template tail<3>();
}

template <class S>
void AxisForce<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  out.Q_q.template topRightCorner<3, 3>().diagonal().array() += state.u[0];
  out.Q_u.col(0).template head<3>() += state.q.template tail<3>();
}

template <class S>
void AxisTorque<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  for (Eigen::Index i = 0; i < 3; ++i)
    Q.template segment<3>(3 * i) +=
        0.5 * state.u[0] * cross(state.q.template tail<3>(), state.q.template segment<3>(3 * i));
}

template <class S>
void AxisTorque<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Matrix3<S> a = tilde(state.q.template tail<3>());
  for (Eigen::Index i = 0; i < 9; i += 3) {
    const auto e = state.q.template segment<3>(i);
    out.Q_q.template block<3, 3>(i, i) += 0.5 * state.u[0] * a;
    out.Q_q.template block<3, 3>(i, 9) -= 0.5 * state.u[0] * tilde(e);
    out.Q_u.col(0).template segment<3>(i) += 0.5 * a * e;
  }
}

template <class S>
void LineForce<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  const Vector3<S> F = state.u[0] / line_length(S(dot(d, d))) * d;
  Q.template head<3>() += F;
  Q.template tail<3>() -= F;
}

template <class S>
void LineForce<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  const S l = line_length(S(dot(d, d)));
  const Vector3<S> n = d / l;
  const Matrix3<S> F_d = state.u[0] / l * (Matrix3<S>::Identity() - n * n.transpose());
  for (const Eigen::Index i : {0, 3}) {
    for (const Eigen::Index j : {0, 3}) out.Q_q.template block<3, 3>(i, j) += (i == j ? 1.0 : -1.0) * F_d;
    out.Q_u.col(0).template segment<3>(i) += (i == 0 ? 1.0 : -1.0) * n;
  }
}

namespace {

template <class S>
using Vector9 = Eigen::Matrix<S, 9, 1>;
template <class S>
using Matrix9 = Eigen::Matrix<S, 9, 9>;

/// The angle of a hinge and its derivatives by q = (x_to, x_from, y_from).
template <class S>
struct RelativeTurn {
  S theta;
  Vector9<S> g;  ///< dtheta/dq
  Matrix9<S> H;  ///< d2theta/dq2

  template <class Q>
  RelativeTurn(const Q& q, double about) {
    const Vector3<S> x_to = q.template segment<3>(0), x_from = q.template segment<3>(3),
                     y_from = q.template segment<3>(6);
    const S s = dot(x_to, y_from), c = dot(x_to, x_from), n = c * c + s * s;
    Vector9<S> s_q, c_q;
    s_q << y_from, Vector3<S>::Zero(), x_to;
    c_q << x_from, x_to, Vector3<S>::Zero();
    Matrix9<S> s_qq = Matrix9<S>::Zero(), c_qq = Matrix9<S>::Zero();
    for (int i = 0; i < 3; ++i) s_qq(i, 6 + i) = s_qq(6 + i, i) = c_qq(i, 3 + i) = c_qq(3 + i, i) = S(1);
    g = (c * s_q - s * c_q) / n;
    H = (s_q * c_q.transpose() - c_q * s_q.transpose() + c * s_qq - s * c_qq -
         2.0 * g * (c * c_q + s * s_q).transpose()) /
        n;
    theta = angle(s, c);
    const double turns = std::round((real_part(theta) - about) / (2.0 * EIGEN_PI));
    theta -= 2.0 * EIGEN_PI * turns;
  }

 private:
  static S angle(const S& s, const S& c) {
    const double theta0 = std::atan2(real_part(s), real_part(c));
    if constexpr (std::is_same_v<S, double>) {
      return theta0;
    } else {
      // To first order in the imaginary parts.
      const double n = std::norm(s.real()) + std::norm(c.real());
      return S(theta0, (c.real() * s.imag() - s.real() * c.imag()) / n);
    }
  }
};

/// The torque and its derivatives by theta, theta_dot and the parameters.
template <class S>
S hinge_torque(const ElementState<S>& state, const RelativeTurn<S>& hinge, bool driven) {
  if (driven) return state.u[0];
  return -state.xi[0] * (hinge.theta - state.xi[2]) - state.xi[1] * (hinge.g.transpose() * state.v).value();
}

template <class S>
double about(const ElementState<S>& state, bool driven) {
  return driven ? 0.0 : real_part(state.xi[2]);
}

}  // namespace

template <class S>
void HingeTorque<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const RelativeTurn<S> hinge(state.q, about(state, driven_));
  Q += hinge_torque(state, hinge, driven_) * hinge.g;
}

template <class S>
void HingeTorque<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const RelativeTurn<S> hinge(state.q, about(state, driven_));
  out.Q_q += hinge_torque(state, hinge, driven_) * hinge.H;
  if (driven_) {
    out.Q_u.col(0) += hinge.g;
    return;
  }
  const Vector9<S> rate_q = hinge.H.transpose() * state.v;
  out.Q_q -= hinge.g * (state.xi[0] * hinge.g + state.xi[1] * rate_q).transpose();
  out.Q_v -= state.xi[1] * hinge.g * hinge.g.transpose();
  out.Q_xi.col(0) -= (hinge.theta - state.xi[2]) * hinge.g;
  out.Q_xi.col(1) -= (hinge.g.transpose() * state.v).value() * hinge.g;
  out.Q_xi.col(2) += state.xi[0] * hinge.g;
}

template <class S>
S HingeTorque<S>::potential(const ElementState<S>& state) const {
  if (driven_) return S(0);
  const S turn = RelativeTurn<S>(state.q, about(state, false)).theta - state.xi[2];
  return 0.5 * state.xi[0] * turn * turn;
}

template class NaturalBody<InstantiatedScalar>;
template class AxisForce<InstantiatedScalar>;
template class AxisTorque<InstantiatedScalar>;
template class LineForce<InstantiatedScalar>;
template class HingeTorque<InstantiatedScalar>;

}  // namespace kurbel
