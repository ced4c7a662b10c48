#include "integration/force_jump.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
ForceJump<S>::ForceJump(const SecondOrderDae<S>& model, const DaeStateLayout& layout, LinearSolver form)
    : model_(model),
      layout_(layout),
      ws_(model.make_workspace()),
      linearized_(make_linearized_dae(model, form)),
      f_before_(model.n_v()),
      c_(model.n_c()),
      rhs_(model.n_v() + model.n_c()),
      solution_(rhs_),
      mu_(model.n_v()),
      nu_(model.n_c()),
      none_(Vec::Zero(model.n_c())) {
  constraints_.resize(model.n_v(), model.n_c());
}

template <class S>
bool ForceJump<S>::pass(double t, const Segment& before, Eigen::Ref<Vec> after) {
  const DaeStateLayout& l = layout_;
  after = before;
  model_.residual(side(t, true, before), *ws_, f_before_, c_);
  linearized_->linearize(side(t, false, before), *ws_, rhs_.head(l.n_v), c_);
  rhs_.head(l.n_v) = f_before_ - rhs_.head(l.n_v);
  rhs_.tail(l.n_c).setZero();
  if (!linearized_->factorize({}, 0.0, 0.0)) return false;
  linearized_->solve(rhs_, solution_);
  l.w(after) += solution_.head(l.n_v);
  if (l.n_accelerations > 1) l.a(after) += solution_.head(l.n_v);
  l.lambda(after) += solution_.tail(l.n_c);
  return solution_.allFinite();
}

/// With [M C^T; C 0]^T (mu, nu) = (w+_bar + a+_bar, lambda+_bar), x and v have -d(mu . f + nu . c_ddot) after the jump
/// and the opposite before it. Sensitivities by w, a and lambda do not change.
template <class S>
void ForceJump<S>::pullback(double t, const Segment& before, const Segment& after, Columns y_bar,
                            Columns p_bar) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v, first = l.tangent_accelerations_begin();
  multipliers_.resize(n + l.n_c, y_bar.cols());
  linearized_->differentiate(side(t, false, after), *ws_);
  linearized_->factorize({}, 0.0, 0.0);
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
    rhs_.head(n) = y_bar.col(j).segment(first, n);
    if (l.n_accelerations > 1) rhs_.head(n) += y_bar.col(j).segment(first + n, n);
    rhs_.tail(l.n_c) = y_bar.col(j).tail(l.n_c);
    linearized_->solve_transposed(rhs_, solution_);
    multipliers_.col(j) = solution_;
  }
  for (const double sign : {-1.0, 1.0}) {
    const DaeInstant<S> at = sign < 0.0 ? side(t, false, after) : side(t, true, before);
    linearized_->differentiate(at, *ws_);
    if (l.n_c > 0) model_.constraint_derivatives(at, *ws_, constraints_);
    for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
      auto x_bar = y_bar.col(j).head(n), v_bar = y_bar.col(j).segment(n, n);
      mu_ = -sign * multipliers_.col(j).head(n), nu_ = sign * multipliers_.col(j).tail(l.n_c);
      linearized_->subtract_transposed_product(mu_, none_, x_bar, v_bar);
      mu_ = -mu_;
      model_.pullback(at, mu_, none_, *ws_, p_bar.col(j));
      if (l.n_c == 0) continue;
      x_bar.noalias() += constraints_.c2_x.transpose() * nu_;
      v_bar.noalias() += constraints_.c2_v.transpose() * nu_;
      model_.pullback_constraints(at, none_, none_, nu_, *ws_, p_bar.col(j));
    }
  }
}

/// The jumps of f and c_ddot along the directions before it, with opposite signs.
template <class S>
void ForceJump<S>::push_forward(double t, const Segment& before, const Segment& after,
                                const ConstColumns& p_dot, Columns y_dot) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v, first = l.tangent_accelerations_begin(), m = p_dot.cols();
  const auto x_dot = y_dot.topRows(n), v_dot = y_dot.middleRows(n, n);
  rates_.setZero(n + l.n_c, m);
  f_dot_.resize(n, m), c_dot_.resize(l.n_c, m);
  for (const double sign : {1.0, -1.0}) {
    const DaeInstant<S> at = sign < 0.0 ? side(t, false, after) : side(t, true, before);
    model_.push_forward(at, p_dot, *ws_, f_dot_, c_dot_);
    linearized_->differentiate(at, *ws_);
    linearized_->add_product(x_dot, v_dot, f_dot_, c_dot_);
    rates_.topRows(n) += sign * f_dot_;
    if (l.n_c == 0) continue;
    directions_.resize(l.n_c, m);
    model_.push_forward_constraints(at, p_dot, *ws_, directions_);
    model_.constraint_derivatives(at, *ws_, constraints_);
    c_dot_ = directions_.c2 + constraints_.c2_x * x_dot + constraints_.c2_v * v_dot;
    rates_.bottomRows(l.n_c) += sign * c_dot_;
  }
  linearized_->factorize({}, 0.0, 0.0);
  linearized_->solve(rates_, jumps_);
  y_dot.middleRows(first, n) += jumps_.topRows(n);
  if (l.n_accelerations > 1) y_dot.middleRows(first + n, n) += jumps_.topRows(n);
  y_dot.bottomRows(l.n_c) += jumps_.bottomRows(l.n_c);
}

template class ForceJump<InstantiatedScalar>;

}  // namespace kurbel
