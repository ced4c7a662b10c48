#include "natural_coordinates/point_elements.hpp"

#include <cmath>

#include "base/instantiate.hpp"
#include "mechanism/line_length.hpp"
#include "mechanism/spring_law.hpp"

namespace kurbel {

template <class S>
void PointMass<S>::add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const {
  M.diagonal().array() += xi[0];
}

template <class S>
void PointMass<S>::add_mass_derivative(const Segment&, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const {
  Ma_xi.col(0) += a;
}

template <class S>
void PointMass<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  Q += state.xi[0] * gravity_.template cast<S>();
}

template <class S>
void PointMass<S>::add_derivatives(const ElementState<S>&, ForceDerivatives<S>& out) const {
  out.Q_xi.col(0) += gravity_.template cast<S>();
}

template <class S>
S PointMass<S>::potential(const ElementState<S>& state) const {
  return -state.xi[0] * (gravity_.template cast<S>().transpose() * state.q).value();
}

namespace {

template <class S>
SpringForce<S> spring_force_at(SpringLaw law, bool is_isotropic, const ElementState<S>& state) {
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  const Vector3<S> d_dot = state.v.template head<3>() - state.v.template tail<3>();
  return spring_force(law, is_isotropic, d, d_dot, state.xi[0], state.xi[1], state.xi[2]);
}

}  // namespace

template <class S>
void Spring<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Vector3<S> F = spring_force_at(law_, is_isotropic_, state).F;
  Q.template head<3>() += F;
  Q.template tail<3>() -= F;
}

template <class S>
void Spring<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const SpringForce<S> f = spring_force_at(law_, is_isotropic_, state);
  for (const Eigen::Index i : {0, 3}) {
    for (const Eigen::Index j : {0, 3}) {
      const double sign = i == j ? 1.0 : -1.0;
      out.Q_q.template block<3, 3>(i, j) += sign * f.F_d;
      out.Q_v.template block<3, 3>(i, j) += sign * f.F_ddot;
    }
    out.Q_xi.template middleRows<3>(i) += (i == 0 ? 1.0 : -1.0) * f.F_xi;
  }
}

template <class S>
S Spring<S>::potential(const ElementState<S>& state) const {
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  return spring_energy(law_, S(0.5 * (d.transpose() * d).value()), state.xi[0], state.xi[2]).V;
}

template <class S>
void ControlForce<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  Q += state.u[0] * direction_.template cast<S>();
}

template <class S>
void ControlForce<S>::add_derivatives(const ElementState<S>&, ForceDerivatives<S>& out) const {
  out.Q_u.col(0) += direction_.template cast<S>();
}

namespace {

/// Angle theta of a vector a in the plane: g = dtheta/da = (-a_y, a_x) / a.a, H = d2theta/da2.
template <class S>
struct AngleDerivatives {
  Vector2<S> g;
  Matrix2<S> H;
  explicit AngleDerivatives(const Vector2<S>& a) {
    const S n = (a.transpose() * a).value();
    g << -a[1] / n, a[0] / n;
    Matrix2<S> J;
    J << S(0), S(-1), S(1), S(0);
    H = J / n - 2.0 * g * a.transpose() / n;
  }
};

/// tau and what it follows from.
template <class S>
struct Moment {
  AngleDerivatives<S> to, from;
  Vector2<S> to_dot, from_dot;
  S rate, tau;
  Moment(const ElementState<S>& state, bool driven)
      : to(state.q.template head<2>()),
        from(state.q.template tail<2>()),
        to_dot(state.v.template head<2>()),
        from_dot(state.v.template tail<2>()) {
    rate = (to.g.transpose() * to_dot - from.g.transpose() * from_dot).value();
    tau = (driven ? state.u[0] : S(0)) - state.xi[0] * rate;
  }
};

}  // namespace

template <class S>
void JointMoment<S>::add_force(const ElementState<S>& state, Eigen::Ref<Vec> Q) const {
  const Moment<S> m(state, driven_);
  Q.template head<2>() += m.tau * m.to.g;
  Q.template tail<2>() -= m.tau * m.from.g;
}

template <class S>
void JointMoment<S>::add_derivatives(const ElementState<S>& state, ForceDerivatives<S>& out) const {
  const Moment<S> m(state, driven_);
  Eigen::Matrix<S, 4, 1> g, tau_q;
  g << m.to.g, -m.from.g;
  tau_q << m.to.H.transpose() * m.to_dot, -(m.from.H.transpose() * m.from_dot);
  tau_q *= -state.xi[0];
  out.Q_q += g * tau_q.transpose();
  out.Q_q.template topLeftCorner<2, 2>() += m.tau * m.to.H;
  out.Q_q.template bottomRightCorner<2, 2>() -= m.tau * m.from.H;
  out.Q_v -= state.xi[0] * g * g.transpose();
  out.Q_xi.col(0) -= m.rate * g;
  if (driven_) out.Q_u.col(0) += g;
}

template <class S>
void PointState<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  const auto& from = kind_ == Kind::position ? state.q : state.v;
  for (std::size_t i = 0; i < axes_.size(); ++i) h[static_cast<Eigen::Index>(i)] = from[axes_[i]];
}

template <class S>
void PointState<S>::add_derivatives(const ElementState<S>&, FunctionDerivatives<S>& out) const {
  auto& to = kind_ == Kind::position ? out.h_q : out.h_v;
  for (std::size_t i = 0; i < axes_.size(); ++i) to(static_cast<Eigen::Index>(i), axes_[i]) += 1.0;
}

template <class S>
void PointDistance<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  using std::sqrt;
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  h[0] = sqrt((d.transpose() * d).value());
}

template <class S>
void PointDistance<S>::add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const {
  const Vector3<S> d = state.q.template head<3>() - state.q.template tail<3>();
  const S l = line_length(S((d.transpose() * d).value()));
  out.h_q.template leftCols<3>() += d.transpose() / l;
  out.h_q.template rightCols<3>() -= d.transpose() / l;
}

template <class S>
void SpringReaction<S>::value(const ElementState<S>& state, Eigen::Ref<Vec> h) const {
  Vec Q = Vec::Zero(6);
  spring_.add_force(state, Q);
  for (std::size_t i = 0; i < axes_.size(); ++i) h[static_cast<Eigen::Index>(i)] = Q[3 + axes_[i]];
}

template <class S>
void SpringReaction<S>::add_derivatives(const ElementState<S>& state, FunctionDerivatives<S>& out) const {
  ForceDerivatives<S> d;
  d.resize(6, 0, 3);
  spring_.add_derivatives(state, d);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i), axis = 3 + static_cast<Eigen::Index>(axes_[i]);
    out.h_q.row(row) += d.Q_q.row(axis);
    out.h_v.row(row) += d.Q_v.row(axis);
    out.h_xi.row(row) += d.Q_xi.row(axis);
  }
}

template class PointMass<InstantiatedScalar>;
template class Spring<InstantiatedScalar>;
template class ControlForce<InstantiatedScalar>;
template class JointMoment<InstantiatedScalar>;
template class PointState<InstantiatedScalar>;
template class PointDistance<InstantiatedScalar>;
template class SpringReaction<InstantiatedScalar>;

}  // namespace kurbel
