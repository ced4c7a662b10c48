#include "integration/constant_mass_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
ConstantMassStart<S>::ConstantMassStart(const ConstantMassDae<S>& model) : model_(model), balance_(model) {}

/// By how far coordinates would have to move, c_i / |C_i|, relative to the largest of them.
template <class S>
void ConstantMassStart<S>::check_positions(const Vec& x, const Vec& c) const {
  constexpr double tolerance = 1e-8;  // of numbers that a user gives with all their digits
  const double extent = x.size() > 0 ? x.real().cwiseAbs().maxCoeff() : 0.0;
  VectorXd squares = VectorXd::Zero(c.size());
  for (const auto& b : balance_.C().blocks())
    squares.segment(b.row, b.rows) += balance_.C().view(b).real().rowwise().squaredNorm();
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const double size = std::sqrt(squares[i]), miss = std::abs(real_part(c[i]));
    if (miss <= tolerance * extent * size) continue;
    throw FaultyConstraint(
        fmt::format("{}: the positions given miss this constraint by {:.2g}, more than {:.0g} of the "
                    "mechanism's extent {:.3g}; give positions at the start that meet it",
                    model_.constraint_name(i), size > 0.0 ? miss / size : miss, tolerance, extent),
        i);
  }
}

template <class S>
Status ConstantMassStart<S>::solve(double t0, State& state) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  state.x.setZero(n_v), state.v.setZero(n_v);
  model_.given_initial_state(state.x, state.v);
  Vec c(n_c), c_t(n_c);
  balance_.set_position(t0, state.x, c);
  check_positions(state.x, c);
  if (!balance_.factorize()) {
    balance_.check_constraints();
    return balance_.singular();
  }
  Vec rhs = Vec::Zero(n_v + n_c);
  model_.constraint_rate(t0, balance_.workspace(), c_t);
  rhs.tail(n_c) = -c_t;
  balance_.C().add_product(-1.0, state.v, rhs.tail(n_c));
  const Vec correction = balance_.solve(rhs);
  change_ = correction.head(n_v), kappa_ = correction.tail(n_c);
  state.v += change_;
  return balance_.find_accelerations(state);
}

template <class S>
void ConstantMassStart<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                    const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  const Vec none = Vec::Zero(n_c), at_rest = Vec::Zero(n_v);
  auto& ws = balance_.workspace();
  const double t0 = balance_.time();
  balance_.pullback(state, v_dot_bar, lambda_bar, x_bar, v_bar, p_bar);

  Vec rhs(n_v + n_c);
  rhs << v_bar, none;
  const Vec of_velocities = -balance_.solve(rhs);
  const Vec eta = of_velocities.head(n_v), zeta = of_velocities.tail(n_c), minus_eta = -eta;
  balance_.reaction_jacobian(state.x, kappa_).add_product(1.0, eta, x_bar);
  balance_.curvature().of(state.v, ws).add_transposed_product(1.0, zeta, x_bar);
  model_.pullback_motion(t0, state.x, state.v, change_, eta, ws, p_bar);
  model_.pullback_motion(t0, state.x, state.v, at_rest, minus_eta, ws, p_bar);
  model_.pullback_positions(t0, state.x, none, eta, kappa_, ws, p_bar);
  model_.pullback_constraints(balance_.instant(state), none, zeta, none, ws, p_bar);

  Vec given_bar = Vec::Zero(n_v);
  model_.mass().add_product(-1.0, eta, given_bar);
  model_.pullback_given_velocity(state.x, given_bar, p_bar);
  model_.pullback_given_position(x_bar, p_bar);
}

template <class S>
void ConstantMassStart<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                        StateDirections& out) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = p_dot.cols();
  const Vec at_rest = Vec::Zero(n_v);
  auto& ws = balance_.workspace();
  const double t0 = balance_.time();
  ConstraintDirections<S> c_p;
  Matrix by_mass(n_v, m), by_force(n_v, m), by_reaction(n_v, m), unused(n_c, m), given(n_v, m);
  out.x.resize(n_v, m);
  model_.push_forward_given_position(p_dot, out.x);
  model_.push_forward_given_velocity(state.x, p_dot, given);
  model_.push_forward_constraints(balance_.instant(state), p_dot, ws, c_p);

  model_.push_forward_motion(t0, state.x, state.v, change_, p_dot, ws, by_mass);
  model_.push_forward_motion(t0, state.x, state.v, at_rest, p_dot, ws, by_force);
  model_.push_forward_positions(t0, state.x, kappa_, p_dot, ws, unused, by_reaction);
  Matrix rhs(n_v + n_c, m);
  rhs.topRows(n_v) = by_force - by_mass - by_reaction;
  balance_.reaction_jacobian(state.x, kappa_).add_product(-1.0, out.x, rhs.topRows(n_v));
  model_.mass().add_product(1.0, given, rhs.topRows(n_v));
  rhs.bottomRows(n_c) = -c_p.c1;
  balance_.curvature().of(state.v, ws).add_product(-1.0, out.x, rhs.bottomRows(n_c));
  out.v = balance_.solve(rhs).topRows(n_v);
  balance_.push_forward(state, p_dot, out);
}

template class ConstantMassStart<InstantiatedScalar>;

}  // namespace kurbel
