#include "integration/constant_mass_equilibrium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/instantiate.hpp"
#include "base/orthogonal.hpp"

namespace kurbel {

template <class S>
ConstantMassEquilibrium<S>::ConstantMassEquilibrium(const ConstantMassDae<S>& model)
    : model_(model),
      balance_(model),
      ws_(model.make_workspace()),
      jacobians_(model.make_jacobians()),
      solver_(jacobians_, LinearSolver::automatic),
      rest_(Vec::Zero(model.n_v())),
      f_(model.n_v()),
      c_(model.n_c()) {
  if (!solver_.is_sparse()) jacobians_.store_full();
}

/// f, c and the factors of [f_x C^T; C 0] at x and lambda.
template <class S>
bool ConstantMassEquilibrium<S>::factorize() {
  model_.linearize(instant(), *ws_, f_, c_, jacobians_);
  jacobians_.M.set_zero();
  return f_.allFinite() && solver_.factorize(jacobians_, {}, 0.0, 1.0);
}

/// One step of Newton's iteration.
/// @return its largest entry over that of x, both in their units; infinite if there is no step
template <class S>
double ConstantMassEquilibrium<S>::correct(const Vec& unbalanced) {
  if (!factorize()) return std::numeric_limits<double>::infinity();
  const Eigen::Index n = model_.n_v();
  Vec rhs(n + model_.n_c()), step;
  rhs << unbalanced - f_, -c_;
  solver_.solve(rhs, step);
  if (!step.allFinite()) return std::numeric_limits<double>::infinity();
  x_ += step.head(n), lambda_ += step.tail(model_.n_c());
  const auto largest = [this](const auto& values) {
    return values.real().cwiseAbs().cwiseProduct(per_unit_).maxCoeff();
  };
  return n > 0 ? largest(step.head(n)) / largest(x_) : 0.0;
}

template <class S>
LoadStep ConstantMassEquilibrium<S>::follow(const Vec& unbalanced) {
  constexpr int max_iterations = 12;
  constexpr double converged = 1e-7;
  double first = 0.0;
  loses_stability_ = false;
  for (int iteration = 1; iteration <= max_iterations; ++iteration) {
    const double size = correct(unbalanced);
    if (iteration == 1) first = size;
    if (!std::isfinite(size) || size > first) return {iteration, false};
    if (size >= converged) continue;
    const bool was_on_stable = is_on_stable_;
    is_on_stable_ = factorize() && is_stable();
    loses_stability_ = was_on_stable && !is_on_stable_;
    return {iteration, !loses_stability_};
  }
  return {max_iterations, false};
}

/// @return the part of the loads that acts in the end
template <class S>
double ConstantMassEquilibrium<S>::step_loads() {
  loses_stability_ = false;
  if (!factorize()) return 0.0;
  const Vec unbalanced = f_;
  is_on_stable_ = is_stable();
  Vec x, lambda;
  bool was_on_stable = false;
  return take_load_steps(
      [&](double left) {
        x = x_, lambda = lambda_, was_on_stable = is_on_stable_;
        return follow(left * unbalanced);
      },
      [&] {
        x_ = x, lambda_ = lambda, is_on_stable_ = was_on_stable;
        return true;
      });
}

/// To rounding; quadratic convergence, under complex step with the imaginary part one iteration behind.
template <class S>
bool ConstantMassEquilibrium<S>::refine() {
  constexpr int further = 3;
  for (int i = 0; i < further; ++i) {
    if (!std::isfinite(correct(rest_))) return false;
  }
  return factorize();
}

/// Whether f_x is positive definite on what the constraints allow.
template <class S>
bool ConstantMassEquilibrium<S>::is_stable() {
  const Eigen::Index n = model_.n_v(), n_c = model_.n_c();
  const MatrixXd stiffness = real_matrix<S>(jacobians_.f_x.to_dense());
  MatrixXd Z = MatrixXd::Identity(n, n);
  if (n_c > 0) Z = orthonormal_factor(MatrixXd(real_matrix<S>(jacobians_.C.to_dense()).transpose()));
  const MatrixXd free = Z.rightCols(n - n_c).transpose() * stiffness * Z.rightCols(n - n_c);
  return MatrixXd(0.5 * (free + free.transpose())).llt().info() == Eigen::Success;
}

template <class S>
Failure ConstantMassEquilibrium<S>::failure(std::string what) const {
  return {
      .what = std::move(what),
      .where = "assembly",
      .advice =
          "hold every part by joints or springs, give beams more elements, reduce the loads, start nearer to "
          "a stable position, or leave out initial.state",
      .time = t_};
}

template <class S>
Status ConstantMassEquilibrium<S>::solve(double t0, State& state) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  t_ = t0;
  solver_.forget();
  Vec given_v(n_v), rates(n_c);
  x_.setZero(n_v), lambda_.setZero(n_c);
  model_.given_initial_state(x_, given_v);
  per_unit_ = model_.coordinate_units(x_).cwiseInverse();
  balance_.set_position(t_, x_, rates);
  if (!balance_.factorize()) {
    balance_.check_constraints();
    return balance_.singular();
  }
  model_.constraint_rate(t_, balance_.workspace(), rates);
  if (!given_v.isZero(0.0) || !rates.isZero(0.0))
    return failure("a mechanism that moves at the start has no static equilibrium there");
  state.x = x_, state.v = rest_;
  if (Status s = balance_.find_accelerations(state); s.failed()) return s;
  lambda_ = state.lambda;
  const double loads = step_loads();
  if (loads < 1.0) {
    return failure(fmt::format("no static equilibrium is found: load steps end at {:.4g} % of the loads{}",
                               100.0 * loads,
                               loses_stability_ ? ", beyond which the equilibrium is unstable" : ""));
  }
  if (!refine()) return failure("no static equilibrium is found");
  if (!is_stable()) return failure("the static equilibrium reached is unstable");
  state.x = x_;
  balance_.set_position(t_, x_, rates);
  if (!balance_.factorize()) return balance_.singular();
  return balance_.find_accelerations(state);
}

template <class S>
void ConstantMassEquilibrium<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                          const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  balance_.pullback(state, v_dot_bar, lambda_bar, x_bar, v_bar, p_bar);  // the velocity is zero whatever p
  const Eigen::Index n = model_.n_v(), n_c = model_.n_c();
  Vec rhs(n + n_c), solution;
  rhs << x_bar, Vec::Zero(n_c);
  solver_.solve_transposed(rhs, solution);
  const Vec mu = -solution.head(n), nu = -solution.tail(n_c);
  model_.pullback(instant(), mu, nu, *ws_, p_bar);
}

template <class S>
void ConstantMassEquilibrium<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                              StateDirections& out) {
  const Eigen::Index n = model_.n_v(), n_c = model_.n_c(), m = p_dot.cols();
  Matrix rhs(n + n_c, m), f_p(n, m), c_p(n_c, m), solution;
  model_.push_forward(instant(), p_dot, *ws_, f_p, c_p);
  rhs << -f_p, -c_p;
  solver_.solve(rhs, solution);
  out.x = solution.topRows(n), out.v.setZero(n, m);
  balance_.push_forward(state, p_dot, out);
}

template class ConstantMassEquilibrium<InstantiatedScalar>;

}  // namespace kurbel
