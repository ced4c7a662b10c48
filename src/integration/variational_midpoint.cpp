#include "integration/variational_midpoint.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"
#include "integration/constant_mass_balance.hpp"

namespace kurbel {

template <class S>
VariationalMidpoint<S>::VariationalMidpoint(Shared<const ConstantMassDae<S>> model,
                                            const IntegratorOptions& options)
    : Base(model, options, 1, true),
      model_(*model),
      jacobians_(model_.make_jacobians()),
      C0_(jacobians_.C),
      of_velocity_(without_forces(jacobians_)),
      position_solver_(jacobians_, options.linear_solver),
      velocity_solver_(of_velocity_,
                       position_solver_.is_sparse() ? LinearSolver::sparse : LinearSolver::dense),
      curvature_(model_, jacobians_.C),
      K0_(jacobians_.f_x),
      K1_(jacobians_.f_x) {
  if (!position_solver_.is_sparse()) {
    jacobians_.store_full();
    of_velocity_.store_full();
    C0_.store_full();
  }
  const Eigen::Index n = model_.n_v(), n_c = model_.n_c();
  per_unit_.setOnes(n);
  for (Vec* v : {&residual_, &correction_, &mu_, &nu_}) v->setZero(n + n_c);
  for (Vec* v : {&F_, &change_, &second_change_, &x0_bar_, &v0_bar_, &x1_bar_, &v1_bar_, &x_mid_bar_,
                 &v_mid_bar_, &scaled_change_, &scaled_multiplier_, &x_rest_, &v_rest_})
    v->setZero(n);
  for (Vec* v : {&z_, &s_, &s_bar_, &none_, &c_}) v->setZero(n_c);
}

template <class S>
Status VariationalMidpoint<S>::initial_state(Eigen::Ref<Vec> y0) {
  position_solver_.forget();
  velocity_solver_.forget();
  if (Status s = Base::initial_state(y0); s.failed()) return s;
  per_unit_ = model_.coordinate_units(layout_.x(y0)).cwiseInverse();
  return {};
}

/// x_a and v_a that go with x_1.
template <class S>
void VariationalMidpoint<S>::set_middle(const Segment& y_prev, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = layout_;
  const double alpha = options_.alpha;
  l.x_mid(y) = (1.0 - alpha) * l.x(y_prev) + alpha * l.x(y);
  l.v_mid(y) = (l.x(y) - l.x(y_prev)) / h_;
}

/// [M + h^2 alpha (1 - alpha) f_x + h (1 - alpha) f_v, C(x_0)^T; C(x_1), 0]: the equations for x_1 times h, by x_1
/// and z.
template <class S>
bool VariationalMidpoint<S>::factorize_first() {
  return position_solver_.factorize(jacobians_, C0_, no_blocks_, weight_of_first_force() / h_,
                                    weight_of_first_force() * options_.alpha);
}

/// [M C^T; C 0] at x_1: by v_1 and s.
template <class S>
bool VariationalMidpoint<S>::factorize_second() {
  of_velocity_.C.values() = jacobians_.C.values();
  of_velocity_.M.values() = jacobians_.M.values();
  return velocity_solver_.factorize(of_velocity_, no_blocks_, 0.0, 0.0);
}

/// Whether velocities at instants alternate about those of the steps by more than these, as in modes that steps do
/// not resolve: nothing is to be extrapolated from them.
template <class S>
bool VariationalMidpoint<S>::rings(Eigen::Index k, const Segment& y_prev) const {
  if (k == 1) return false;
  const DaeStateLayout& l = layout_;
  const auto change = l.v(y_prev) + (0.5 * h_) * l.w(y_prev) - l.v_mid(y_prev);
  return size_of(change) > size_of(l.v_mid(y_prev));
}

/// What goes beyond is farther from the guess than any solution near it; see GeneralizedAlpha. A stiff mechanism that
/// turns is strained by the square of the first correction, and the second one, which takes that back, may be many
/// times as large. A correction by a tenth of an axis, or of the size of the mechanism, leads to no solution nearby;
/// what such corrections lead to has to be near, too.
template <class S>
double VariationalMidpoint<S>::largest_correction(Guess kind, double first) {
  switch (kind) {
    case Guess::same_acceleration:
    case Guess::same_velocity:
      return 0.5 * first;
    case Guess::same_displacement:
      return std::max(first, 0.1);
    case Guess::same_position:
      break;
  }
  return first;
}

/// Whether a step goes no farther than velocities and accelerations before it lead one to expect: another way to
/// assemble the mechanism is farther off.
template <class S>
bool VariationalMidpoint<S>::is_near(const Segment& y_prev, const Segment& x) const {
  const DaeStateLayout& l = layout_;
  const double expected = h_ * (size_of(l.v_mid(y_prev)) + size_of(l.v(y_prev)) + h_ * size_of(l.w(y_prev)));
  return size_of(x - l.x(y_prev)) <= 2.0 * expected;
}

template <class S>
auto VariationalMidpoint<S>::iterate(Guess kind, Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y)
    -> Outcome {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v;
  const auto x0 = l.x(y_prev);
  auto x = l.x(y);
  x = x0;
  if (kind == Guess::same_displacement) x += h_ * l.v_mid(y_prev);
  if (kind == Guess::same_velocity || kind == Guess::same_acceleration) x += h_ * l.v(y_prev);
  if (kind == Guess::same_acceleration) x += (0.5 * h_ * h_) * l.w(y_prev);
  z_ = (h_ * h_) * l.lambda(y_prev);
  // A correction that moves no coordinate by more than this is round-off.
  const double floor = 1e-13 * std::max(1.0, size_of(x0));
  double largest = 0.0, last = 0.0;
  bool was_small = false;
  for (int iteration = 1; iteration <= options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    set_middle(y_prev, y);
    change_ = x - x0 - h_ * l.v(y_prev);
    const OneSidedTime t_a = middle_time(k);
    model_.force(t_a, l.x_mid(y), l.v_mid(y), *ws_, F_);
    model_.force_jacobians(t_a, l.x_mid(y), l.v_mid(y), *ws_, jacobians_);
    model_.constraints(this->time(k), x, *ws_, residual_.tail(l.n_c), jacobians_.C);
    residual_.head(n) = -weight_of_first_force() * F_;
    jacobians_.M.add_product(1.0, change_, residual_.head(n));
    C0_.add_transposed_product(1.0, z_, residual_.head(n));
    if (!factorize_first()) return Outcome::singular;
    position_solver_.solve(residual_, correction_);
    x -= correction_.head(n);
    z_ -= correction_.tail(l.n_c);
    const double size = size_of(correction_.head(n));
    if (!std::isfinite(size)) break;
    change_ -= correction_.head(n);
    // Stiffness may make more of the rounding in x: then corrections stay where they are.
    const bool small = size <= options_.newton_tolerance * size_of(change_) + floor ||
                       (iteration > 2 && size > 0.5 * last && size <= 2.0 * last &&
                        size <= std::min(100.0 * floor, 1e-3 * size_of(x - x0)));
    last = size;
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || (small && std::is_same_v<S, double>))
      return kind != Guess::same_displacement || is_near(y_prev, x) ? Outcome::converged : Outcome::astray;
    was_small = small;
    if (iteration == 1) largest = largest_correction(kind, size);
    if (iteration > 1 && !small && size > largest) break;
  }
  return Outcome::astray;
}

/// v_1 and s, which go with x_a, F_a and the factors at x_1, into correction and s.
template <class S>
void VariationalMidpoint<S>::solve_second_balance(Eigen::Index k, const Segment& y) {
  const Eigen::Index n = layout_.n_v, n_c = layout_.n_c;
  model_.constraint_rate(this->time(k), *ws_, residual_.tail(n_c));
  residual_.tail(n_c) *= -1.0;
  residual_.head(n) = weight_of_second_force() * F_;
  jacobians_.M.add_product(1.0, layout_.v_mid(y), residual_.head(n));
  velocity_solver_.solve(residual_, correction_);
  s_ = correction_.tail(n_c);
}

/// F_a as the equation for x_1 has it: of a stiff mechanism what the model makes of x_1 is rounding times stiffness,
/// which v_1 would see over its mass.
template <class S>
void VariationalMidpoint<S>::set_balanced_force(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  const DaeStateLayout& l = layout_;
  if (options_.alpha > largest_balanced_alpha) {
    model_.force(middle_time(k), l.x_mid(y), l.v_mid(y), *ws_, F_);
    return;
  }
  change_ = l.x(y) - l.x(y_prev) - h_ * l.v(y_prev);
  F_.setZero();
  jacobians_.M.add_product(1.0, change_, F_);
  C0_.add_transposed_product(1.0, z_, F_);
  F_ /= weight_of_first_force();
}

/// All of y that follows from x_1 and z.
/// @return whether there is a velocity
template <class S>
bool VariationalMidpoint<S>::complete(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = layout_;
  set_middle(y_prev, y);
  model_.constraints(this->time(k), l.x(y), *ws_, residual_.tail(l.n_c), jacobians_.C);
  if (!factorize_second()) return false;
  set_balanced_force(k, y_prev, y);
  solve_second_balance(k, y);
  l.v(y) = correction_.head(l.n_v);
  l.w(y) = (l.v(y) - l.v(y_prev)) / h_;
  l.lambda(y) = z_ / (h_ * h_) + s_ / h_;
  return correction_.allFinite();
}

template <class S>
Status VariationalMidpoint<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  bool is_singular = false;
  model_.copy_mass(jacobians_.M);
  model_.constraints(this->time(k - 1), layout_.x(y_prev), *ws_, residual_.tail(layout_.n_c), C0_);
  const bool has_rung = rings(k, y_prev);
  for (const Guess kind : {has_rung ? Guess::same_displacement : Guess::same_acceleration,
                           has_rung ? Guess::same_acceleration : Guess::same_displacement,
                           Guess::same_velocity, Guess::same_position}) {
    const Outcome outcome = iterate(kind, k, y_prev, y);
    if (outcome == Outcome::converged && complete(k, y_prev, y)) return {};
    is_singular = is_singular || outcome != Outcome::astray;
  }
  if (Status s = this->failure_near_dead_centre(k, y_prev); s.failed()) return s;
  const double t = this->time(k);
  if (is_singular) {
    return this->failure(t, "the mechanism is in a singular position, or its motion has diverged",
                         correction_.head(layout_.n_v),
                         "check the joints for a dead centre, reduce integrator.step, or start elsewhere");
  }
  return this->failure(t, "Newton's iteration does not converge", correction_.head(layout_.n_v),
                       "reduce integrator.step, or check loads and stiffness for extreme values");
}

template class VariationalMidpoint<InstantiatedScalar>;

}  // namespace kurbel
