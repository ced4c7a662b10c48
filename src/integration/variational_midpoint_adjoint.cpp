/// @file
/// Differentiates the variational step backwards, which is the discrete adjoint variable method [P1, eqs 18-27], and
/// forwards.
///
/// variational_midpoint.hpp has x_a, v_a, F_a, a and b. With z = h^2/2 a and s = h/2 b the equations of a step are
///
///     r   = M (x_1 - x_0 - h v_0) - h^2 (1 - alpha) F_a + C(x_0)^T z      c(t_1, x_1)              for x_1, z
///     r_2 = M (v_1 - v_a) - h alpha F_a + C(x_1)^T s                      C(x_1) v_1 + c_t(t_1)    for v_1, s
///
/// Letters:
///
///     f_x, f_v           -dF/dx and -dF/dv at (t_a, x_a, v_a)
///     C0, C              C(x_0), C(x_1)
///     K0, K1             d(C^T z)/dx at x_0, d(C^T s)/dx at x_1
///     H                  d(C v_1)/dx at x_1
///     change, second_change   x_1 - x_0 - h v_0, v_1 - v_a
///     x_rest, v_rest     what x_a and v_a lack as they are stored, rounded
///     mu, nu             adjoint variables of the equations for x_1, z and of those for v_1, s: p_bar += mu . dr/dp
///     x_mid, v_mid, w    x_a, v_a and (v_1 - v_0) / h of the state
#include <limits>

#include "base/instantiate.hpp"
#include "integration/variational_midpoint.hpp"

namespace kurbel {

/// Finds z and s of a step that was taken, with F_a of the model, and the residual of the equations for x_1.
/// @return whether the residual is at most 1e-9 of the forces. If not, forces do not balance at x_1 as it is stored,
///         rounded, and stiff parts have other forces there
template <class S>
bool VariationalMidpoint<S>::find_multipliers(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  constexpr double tolerance = 1e-9;
  const DaeStateLayout& l = layout_;
  x_rest_ = (l.x(y_prev) - l.x_mid(y)) + options_.alpha * (l.x(y) - l.x(y_prev));
  v_rest_.setZero();
  model_.refine(middle_time(k), l.x_mid(y), l.v_mid(y), x_rest_, v_rest_, *ws_);
  model_.force(middle_time(k), l.x_mid(y), l.v_mid(y), *ws_, F_);
  solve_second_balance(k, y);
  const double size = set_first_residual(y);
  return options_.alpha > largest_balanced_alpha ||
         residual_.head(l.n_v).template lpNorm<Eigen::Infinity>() <= tolerance * size;
}

/// Sets z from s and lambda, and the residuals r and c(x_1).
/// @return the largest entry of r without F_a, the size of the terms that balance
template <class S>
double VariationalMidpoint<S>::set_first_residual(const Segment& y) {
  z_ = (h_ * h_) * layout_.lambda(y) - h_ * s_;
  residual_.tail(layout_.n_c) = c_;
  auto r = residual_.head(layout_.n_v);
  r.setZero();
  jacobians_.M.add_product(1.0, change_, r);
  C0_.add_transposed_product(1.0, z_, r);
  const double size = r.template lpNorm<Eigen::Infinity>();
  r -= weight_of_first_force() * F_;
  return size;
}

/// Finds z and s again, without F_a, which rounding in x_1 spoils (set_balanced_force()). Eliminating F_a from both
/// balances leaves, with beta = alpha / (1 - alpha),
///
///     (C(x_1) + beta C(x_0))^T s = beta / h (M (x_1 - x_0 - h v_0) + h^2 C(x_0)^T lambda) - M (v_1 - v_a)
///
/// Corrections with the factors at x_1 solve this. They shrink the faster, the less C(x_0) differs from C(x_1).
template <class S>
void VariationalMidpoint<S>::balance_multipliers(const Segment& y) {
  constexpr int max_corrections = 50;
  const DaeStateLayout& l = layout_;
  const double beta = options_.alpha / (1.0 - options_.alpha);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_corrections; ++i) {
    z_ = (h_ * h_) * l.lambda(y) - h_ * s_;
    residual_.setZero();
    auto r = residual_.head(l.n_v);
    C0_.add_transposed_product(1.0, z_, r);
    jacobians_.M.add_product(1.0, change_, r);
    r *= beta / h_;
    jacobians_.M.add_product(-1.0, second_change_, r);
    jacobians_.C.add_transposed_product(-1.0, s_, r);
    velocity_solver_.solve(residual_, correction_);
    s_ += correction_.tail(l.n_c) / (1.0 + beta);
    const double size = correction_.tail(l.n_c).template lpNorm<Eigen::Infinity>();
    if (!(size < 0.5 * last)) break;
    last = size;
  }
}

/// Refines x_a and v_a by one Newton step beyond what is stored, and renews Jacobians and factors there.
template <class S>
void VariationalMidpoint<S>::refine_middle(Eigen::Index k, const Segment& y) {
  const DaeStateLayout& l = layout_;
  const OneSidedTime t_a = middle_time(k);
  if (l.n_c > 0) balance_multipliers(y);
  set_first_residual(y);
  position_solver_.solve(residual_, correction_);
  x_rest_ -= options_.alpha * correction_.head(l.n_v);
  v_rest_ = correction_.head(l.n_v) / -h_;
  model_.refine(t_a, l.x_mid(y), l.v_mid(y), x_rest_, v_rest_, *ws_);
  model_.force_jacobians(t_a, l.x_mid(y), l.v_mid(y), *ws_, jacobians_);
  factorize_first();
}

/// Computes Jacobians, multipliers and factors at a step that was taken.
template <class S>
void VariationalMidpoint<S>::linearize_step(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  const DaeStateLayout& l = layout_;
  model_.copy_mass(jacobians_.M);
  model_.constraints(this->time(k - 1), l.x(y_prev), *ws_, c_, C0_);
  model_.constraints(this->time(k), l.x(y), *ws_, c_, jacobians_.C);
  factorize_second();
  change_ = l.x(y) - l.x(y_prev) - h_ * l.v(y_prev);
  second_change_ = l.v(y) - l.v_mid(y);
  const bool is_balanced = find_multipliers(k, y_prev, y);
  model_.force_jacobians(middle_time(k), l.x_mid(y), l.v_mid(y), *ws_, jacobians_);
  factorize_first();
  if (!is_balanced) refine_middle(k, y);
  K0_.set_zero(), K1_.set_zero();
  model_.add_reaction_jacobian(l.x(y_prev), z_, 1.0, *ws_, K0_);
  model_.add_reaction_jacobian(l.x(y), s_, 1.0, *ws_, K1_);
  H_ = &curvature_.of(l.v(y), *ws_);
}

/// Pulls v1_bar and s_bar back through the equations for v_1 and s. Adds to x_mid_bar, v_mid_bar and x1_bar.
template <class S>
void VariationalMidpoint<S>::pull_back_velocity() {
  const Eigen::Index n = layout_.n_v;
  correction_ << v1_bar_, s_bar_;
  velocity_solver_.solve(correction_, nu_);  // symmetric
  nu_ *= -1.0;
  const auto mu = nu_.head(n);
  jacobians_.f_x.add_transposed_product(weight_of_second_force(), mu, x_mid_bar_);
  jacobians_.f_v.add_transposed_product(weight_of_second_force(), mu, v_mid_bar_);
  jacobians_.M.add_product(-1.0, mu, v_mid_bar_);
  K1_.add_product(1.0, mu, x1_bar_);
  H_->add_transposed_product(1.0, nu_.tail(layout_.n_c), x1_bar_);
}

/// Pulls z_bar and the seeds of x_1, x_a and v_a back through the equations for x_1 and z. Sets x0_bar and adds to
/// v0_bar.
template <class S>
void VariationalMidpoint<S>::pull_back_position(const Segment& z_bar) {
  const Eigen::Index n = layout_.n_v;
  const double alpha = options_.alpha, weight = weight_of_first_force();
  x1_bar_ += alpha * x_mid_bar_ + v_mid_bar_ / h_;
  x0_bar_ = (1.0 - alpha) * x_mid_bar_ - v_mid_bar_ / h_;
  correction_ << x1_bar_, z_bar;
  position_solver_.solve_transposed(correction_, mu_);
  mu_ *= -1.0;
  const auto mu = mu_.head(n);
  jacobians_.M.add_product(-1.0, mu, x0_bar_);
  jacobians_.M.add_product(-h_, mu, v0_bar_);
  jacobians_.f_x.add_transposed_product(weight * (1.0 - alpha), mu, x0_bar_);
  jacobians_.f_v.add_transposed_product(-weight / h_, mu, x0_bar_);
  K0_.add_product(1.0, mu, x0_bar_);
}

template <class S>
void VariationalMidpoint<S>::pull_back_balance(const OneSidedTime& t_a, const Segment& y, const Segment& u,
                                               const Vec& change, double weight, Eigen::Ref<Vec> p_bar) {
  const auto x = layout_.x_mid(y), v = layout_.v_mid(y);
  if (weight != 0.0) {
    scaled_change_ = change / weight;
    scaled_multiplier_ = weight * u;
    model_.pullback_motion(t_a, x, v, scaled_change_, scaled_multiplier_, *ws_, p_bar);
    return;
  }
  model_.pullback_motion(t_a, x, v, change, u, *ws_, p_bar);
  scaled_change_.setZero();
  scaled_multiplier_ = -u;
  model_.pullback_motion(t_a, x, v, scaled_change_, scaled_multiplier_, *ws_, p_bar);
}

template <class S>
void VariationalMidpoint<S>::pull_back_parameters(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                                  Eigen::Ref<Vec> p_bar) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v;
  const double t0 = this->time(k - 1), t1 = this->time(k);
  const OneSidedTime t_a = middle_time(k);
  pull_back_balance(t_a, y, mu_.head(n), change_, weight_of_first_force(), p_bar);
  pull_back_balance(t_a, y, nu_.head(n), second_change_, weight_of_second_force(), p_bar);
  if (l.n_c == 0) return;
  model_.pullback_positions(t0, l.x(y_prev), none_, mu_.head(n), z_, *ws_, p_bar);
  model_.pullback_positions(t1, l.x(y), mu_.tail(l.n_c), nu_.head(n), s_, *ws_, p_bar);
  model_.pullback_constraints(l.template instant<S>(t1, y), none_, nu_.tail(l.n_c), none_, *ws_, p_bar);
}

/// h d(r, r_2)/dh with x_1, z, v_1, s and, in r_2, v_a held:
///     h dr/dh = -h M v_0 - 2 (M change + C0^T z) - h^2 (1 - alpha) f_v v_a      h dr_2/dh = -(M second_change + C^T s)
template <class S>
auto VariationalMidpoint<S>::residuals_by_length(const Segment& y_prev, const Segment& y) const
    -> std::pair<Vec, Vec> {
  const DaeStateLayout& l = layout_;
  Vec first = Vec::Zero(l.n_v), second = Vec::Zero(l.n_v);
  const Vec moved = -h_ * l.v(y_prev) - 2.0 * change_, v_mid = l.v_mid(y);
  jacobians_.M.add_product(1.0, moved, first);
  C0_.add_transposed_product(-2.0, z_, first);
  jacobians_.f_v.add_product(-weight_of_first_force(), v_mid, first);
  jacobians_.M.add_product(-1.0, second_change_, second);
  jacobians_.C.add_transposed_product(-1.0, s_, second);
  return {first, second};
}

/// -h d lambda/dh of lambda = z / h^2 + s / h, with z and s held.
template <class S>
auto VariationalMidpoint<S>::multipliers_by_length() const -> Vec {
  return (2.0 / (h_ * h_)) * z_ + s_ / h_;
}

/// Of one function, after pull_back_position().
/// @param y_bar  seeds of the state at the end of the step
template <class S>
void VariationalMidpoint<S>::pull_back_length(const Segment& y_prev, const Segment& y, const Segment& y_bar,
                                              Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n = layout_.n_v;
  const auto [first, second] = residuals_by_length(y_prev, y);
  S bar = (mu_.head(n).transpose() * first + nu_.head(n).transpose() * second).value();
  bar -= (v_mid_bar_.transpose() * layout_.v_mid(y) + y_bar.segment(4 * n, n).transpose() * layout_.w(y))
             .value();
  bar -= (y_bar.tail(layout_.n_c).transpose() * multipliers_by_length()).value();
  this->add_length_bar(bar, p_bar);
}

template <class S>
void VariationalMidpoint<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                           Columns y_bar, Columns p_bar) {
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c;
  linearize_step(k, y_prev, y);
  for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
    auto bar = y_bar.col(j);
    if (bar.isZero(0.0)) continue;  // the function depends on earlier instants alone
    x1_bar_ = bar.head(n), v1_bar_ = bar.segment(n, n);
    x_mid_bar_ = bar.segment(2 * n, n), v_mid_bar_ = bar.segment(3 * n, n);
    v0_bar_ = bar.segment(4 * n, n) / -h_;
    v1_bar_ -= v0_bar_;
    s_bar_ = bar.tail(n_c) / h_;
    pull_back_velocity();
    s_bar_ /= h_;
    pull_back_position(s_bar_);
    pull_back_parameters(k, y_prev, y, p_bar.col(j));
    if (this->varies_length()) pull_back_length(y_prev, y, bar, p_bar.col(j));
    bar.head(n) = x0_bar_, bar.segment(n, n) = v0_bar_;
    bar.tail(3 * n + n_c).setZero();
  }
}

template <class S>
typename VariationalMidpoint<S>::Matrix VariationalMidpoint<S>::push_forward_balance(
    const OneSidedTime& t_a, const Segment& y, const Vec& change, double weight, const ConstColumns& p_dot) {
  const auto x = layout_.x_mid(y), v = layout_.v_mid(y);
  Matrix out(layout_.n_v, p_dot.cols());
  if (weight != 0.0) {
    scaled_change_ = change / weight;
    model_.push_forward_motion(t_a, x, v, scaled_change_, p_dot, *ws_, out);
    return weight * out;
  }
  Matrix of_force(out.rows(), out.cols());
  model_.push_forward_motion(t_a, x, v, change, p_dot, *ws_, out);
  scaled_change_.setZero();
  model_.push_forward_motion(t_a, x, v, scaled_change_, p_dot, *ws_, of_force);
  return out - of_force;
}

template <class S>
void VariationalMidpoint<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                               const ConstColumns& p_dot, Columns y_dot) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v, n_c = l.n_c, m = p_dot.cols();
  const double t0 = this->time(k - 1), t1 = this->time(k), alpha = options_.alpha;
  const OneSidedTime t_a = middle_time(k);
  linearize_step(k, y_prev, y);
  auto x = y_dot.topRows(n), v = y_dot.middleRows(n, n), x_mid = y_dot.middleRows(2 * n, n),
       v_mid = y_dot.middleRows(3 * n, n), w = y_dot.middleRows(4 * n, n), lambda = y_dot.bottomRows(n_c);
  const Matrix x0 = x, v0 = v;
  Matrix c0_p(n_c, m), c1_p(n_c, m), r0_p(n, m), r1_p(n, m), rhs(n + n_c, m), solution(n + n_c, m);
  ConstraintDirections<S> rates;
  model_.push_forward_positions(t0, l.x(y_prev), z_, p_dot, *ws_, c0_p, r0_p);
  model_.push_forward_positions(t1, l.x(y), s_, p_dot, *ws_, c1_p, r1_p);
  model_.push_forward_constraints(l.template instant<S>(t1, y), p_dot, *ws_, rates);

  const bool is_longer = this->varies_length();
  const auto [r_h, r_2_h] = is_longer ? residuals_by_length(y_prev, y) : std::pair<Vec, Vec>();
  using RowVector = typename Base::RowVector;
  const RowVector length = is_longer ? this->length_directions(p_dot) : RowVector();

  // Change of r with x_1 fixed.
  const double weight = weight_of_first_force();
  rhs.topRows(n) = push_forward_balance(t_a, y, change_, weight, p_dot) + r0_p;
  rhs.bottomRows(n_c) = c1_p;
  jacobians_.M.add_product(-1.0, x0, rhs.topRows(n));
  jacobians_.M.add_product(-h_, v0, rhs.topRows(n));
  jacobians_.f_x.add_product(weight * (1.0 - alpha), x0, rhs.topRows(n));
  jacobians_.f_v.add_product(-weight / h_, x0, rhs.topRows(n));
  K0_.add_product(1.0, x0, rhs.topRows(n));
  if (is_longer) rhs.topRows(n) += r_h * length;
  rhs *= -1.0;
  position_solver_.solve(rhs, solution);
  x = solution.topRows(n);
  lambda = solution.bottomRows(n_c) / (h_ * h_);
  x_mid = (1.0 - alpha) * x0 + alpha * x;
  v_mid = (x - x0) / h_;
  if (is_longer) v_mid -= layout_.v_mid(y) * length;

  // Change of r_2 with v_1 fixed.
  rhs.topRows(n) = push_forward_balance(t_a, y, second_change_, weight_of_second_force(), p_dot) + r1_p;
  rhs.bottomRows(n_c) = rates.c1;
  jacobians_.f_x.add_product(weight_of_second_force(), x_mid, rhs.topRows(n));
  jacobians_.f_v.add_product(weight_of_second_force(), v_mid, rhs.topRows(n));
  jacobians_.M.add_product(-1.0, v_mid, rhs.topRows(n));
  K1_.add_product(1.0, x, rhs.topRows(n));
  H_->add_product(1.0, x, rhs.bottomRows(n_c));
  if (is_longer) rhs.topRows(n) += r_2_h * length;
  rhs *= -1.0;
  velocity_solver_.solve(rhs, solution);
  v = solution.topRows(n);
  w = (v - v0) / h_;
  lambda += solution.bottomRows(n_c) / h_;
  if (!is_longer) return;
  w -= layout_.w(y) * length;
  lambda -= multipliers_by_length() * length;
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void VariationalMidpoint<S>::pullback_step(Eigen::Index, const Segment&, const Segment&, Columns, \
                                                      Columns);                                              \
  template void VariationalMidpoint<S>::push_forward_step(Eigen::Index, const Segment&, const Segment&,      \
                                                          const ConstColumns&, Columns);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
