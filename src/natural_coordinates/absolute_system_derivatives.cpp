/// Derivatives of Q and of M a, and what is made of them: of x_dot = f(t, x), and of the balance M a = Q.
#include "base/instantiate.hpp"
#include "natural_coordinates/absolute_system_detail.hpp"

namespace kurbel {

template <class S>
void AbsoluteSystem<S>::scatter_derivatives(const Part& part, const Scratch& scratch, Work& w) const {
  const ForceDerivatives<S>& d = scratch.derivatives;
  for (std::size_t i = 0; i < part.free.size(); ++i) {
    const int row = part.free[i];
    if (row < 0) continue;
    const auto li = static_cast<Eigen::Index>(i);
    for (std::size_t j = 0; j < part.free.size(); ++j) {
      const int column = part.free[j];
      if (column < 0) continue;
      w.Q_q(row, column) += d.Q_q(li, static_cast<Eigen::Index>(j));
      w.Q_v(row, column) += d.Q_v(li, static_cast<Eigen::Index>(j));
    }
    for (std::size_t j = 0; j < part.binding.controls.size(); ++j) {
      w.Q_u(row, part.binding.controls[j]) += d.Q_u(li, static_cast<Eigen::Index>(j));
    }
    for (std::size_t j = 0; j < part.binding.parameters.size(); ++j) {
      const ParameterSlot& slot = part.binding.parameters[j];
      if (slot.variable < 0) continue;
      const auto lj = static_cast<Eigen::Index>(j);
      w.Q_xi(row, slot.variable) += slot.factor * (d.Q_xi(li, lj) - scratch.Ma_xi(li, lj));
    }
  }
}

/// The derivatives of Q, and without accelerations a no part of d(M a)/dxi.    [P2, eqs 35, 36, 38, 42-44]
template <class S>
void AbsoluteSystem<S>::differentiate(const Segment& q, const Segment& v, const Segment& a, Work& w) const {
  for (Matrix* A : {&w.Q_q, &w.Q_v, &w.Q_u, &w.Q_xi}) A->setZero();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    Scratch& scratch = w.scratch[p];
    ForceDerivatives<S>& d = scratch.derivatives;
    for (Matrix* A : {&d.Q_q, &d.Q_v, &d.Q_u, &d.Q_xi}) A->setZero();
    part.element->add_derivatives(state_of(part, scratch, q, v, w.u), d);
    scratch.Ma_xi.setZero();
    if (n_xi_ > 0 && a.size() > 0) {
      for (std::size_t i = 0; i < part.free.size(); ++i) {
        scratch.a[static_cast<Eigen::Index>(i)] = part.free[i] < 0 ? S(0) : a[part.free[i]];
      }
      part.element->add_mass_derivative(part.xi, scratch.a, scratch.Ma_xi);
    }
    scatter_derivatives(part, scratch, w);
  }
}

/// da/dxi = M^-1 (dQ/dxi - d(M a)/dxi)
template <class S>
void AbsoluteSystem<S>::linearize(const OneSidedTime& at, const Segment& x, Workspace& ws) const {
  Work& w = static_cast<Work&>(ws);
  set_controls(at, w);
  if (n_xi_ > 0) {
    assemble_force(x.head(n_q_), x.tail(n_q_), w);
    solve_mass(w.Q, w.a);
  }
  differentiate(x.head(n_q_), x.tail(n_q_), w.a, w);
  if (n_xi_ > 0) solve_mass(w.Q_xi, w.a_xi);
}

template <class S>
void AbsoluteSystem<S>::pull_back_controls(Work& w, const ConstColumns& mu, double weight,
                                           Columns p_bar) const {
  auto u_bar = w.columns_u.leftCols(mu.cols());
  u_bar.noalias() = weight * (w.Q_u.transpose() * mu);
  for (Eigen::Index i = 0; i < controls_.size(); ++i) {
    const Eigen::RowVectorXd& weights = w.weights[static_cast<std::size_t>(i)];
    p_bar.middleRows(control_offset(i), weights.size()).noalias() +=
        weights.transpose().template cast<S>() * u_bar.row(i);
  }
}

/// u_dot (number of controls x m), valid until the next call.
template <class S>
typename AbsoluteSystem<S>::Matrix::ColsBlockXpr AbsoluteSystem<S>::rates_of_controls(
    Work& w, const ConstColumns& p_dot) const {
  auto u_dot = w.columns_u.leftCols(p_dot.cols());
  for (Eigen::Index i = 0; i < controls_.size(); ++i) {
    const Eigen::RowVectorXd& weights = w.weights[static_cast<std::size_t>(i)];
    u_dot.row(i).noalias() = weights.template cast<S>() * p_dot.middleRows(control_offset(i), weights.size());
  }
  return u_dot;
}

template <class S>
void AbsoluteSystem<S>::pullback(Workspace& ws, const ConstColumns& f_bar, Columns x_bar,
                                 Columns p_bar) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = f_bar.cols();
  w.reserve(m);
  auto mu = w.columns_a.leftCols(m);
  solve_mass(f_bar.bottomRows(n_q_), mu);  // symmetric
  x_bar.topRows(n_q_).setZero();
  x_bar.bottomRows(n_q_) = f_bar.topRows(n_q_);
  add_product(w.Q_q.transpose(), mu, x_bar.topRows(n_q_));
  add_product(w.Q_v.transpose(), mu, x_bar.bottomRows(n_q_));
  pull_back_controls(w, mu, 1.0, p_bar);
  p_bar.topRows(n_xi_).noalias() += w.a_xi.transpose() * f_bar.bottomRows(n_q_);
}

template <class S>
void AbsoluteSystem<S>::push_forward(Workspace& ws, const ConstColumns& x_dot, const ConstColumns& p_dot,
                                     Columns f_dot) const {
  Work& w = static_cast<Work&>(ws);
  const Eigen::Index m = x_dot.cols();
  w.reserve(m);
  auto Q_dot = w.columns_a.leftCols(m);
  Q_dot.setZero();
  add_product(w.Q_q, x_dot.topRows(n_q_), Q_dot);
  add_product(w.Q_v, x_dot.bottomRows(n_q_), Q_dot);
  add_product(w.Q_u, rates_of_controls(w, p_dot), Q_dot);
  f_dot.topRows(n_q_) = x_dot.bottomRows(n_q_);
  solve_mass(Q_dot, f_dot.bottomRows(n_q_));
  if (n_xi_ > 0) add_product(w.a_xi, p_dot.topRows(n_xi_), f_dot.bottomRows(n_q_));
}

template <class S>
void AbsoluteSystem<S>::linearize_force(const OneSidedTime& at, const Segment& q, const Segment& v,
                                        const Segment& a, Workspace& ws) const {
  Work& w = static_cast<Work&>(ws);
  set_controls(at, w);
  differentiate(q, v, a, w);
}

template <class S>
auto AbsoluteSystem<S>::force_by_position(const Workspace& ws) const -> const Matrix& {
  return static_cast<const Work&>(ws).Q_q;
}

template <class S>
auto AbsoluteSystem<S>::force_by_velocity(const Workspace& ws) const -> const Matrix& {
  return static_cast<const Work&>(ws).Q_v;
}

template <class S>
void AbsoluteSystem<S>::pullback_balance(Workspace& ws, const ConstColumns& w, Columns p_bar) const {
  Work& work = static_cast<Work&>(ws);
  work.reserve(w.cols());
  p_bar.topRows(n_xi_).noalias() -= work.Q_xi.transpose() * w;
  pull_back_controls(work, w, -1.0, p_bar);
}

template <class S>
void AbsoluteSystem<S>::push_forward_balance(Workspace& ws, const ConstColumns& p_dot, Columns out) const {
  Work& work = static_cast<Work&>(ws);
  work.reserve(p_dot.cols());
  out.noalias() = -work.Q_xi * p_dot.topRows(n_xi_);
  out.noalias() -= work.Q_u * rates_of_controls(work, p_dot);
}

#define KURBEL_INSTANTIATE(S)                                                                           \
  template void AbsoluteSystem<S>::linearize(const OneSidedTime&, const Segment&, Workspace&) const;    \
  template void AbsoluteSystem<S>::pullback(Workspace&, const ConstColumns&, Columns, Columns) const;   \
  template void AbsoluteSystem<S>::push_forward(Workspace&, const ConstColumns&, const ConstColumns&,   \
                                                Columns) const;                                         \
  template void AbsoluteSystem<S>::linearize_force(const OneSidedTime&, const Segment&, const Segment&, \
                                                   const Segment&, Workspace&) const;                   \
  template auto AbsoluteSystem<S>::force_by_position(const Workspace&) const->const Matrix&;            \
  template auto AbsoluteSystem<S>::force_by_velocity(const Workspace&) const->const Matrix&;            \
  template void AbsoluteSystem<S>::pullback_balance(Workspace&, const ConstColumns&, Columns) const;    \
  template void AbsoluteSystem<S>::push_forward_balance(Workspace&, const ConstColumns&, Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
