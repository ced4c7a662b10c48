#include "integration/constant_mass_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/instantiate.hpp"
#include "integration/dependent_constraints.hpp"

namespace kurbel {

template <class S>
ConstantMassStart<S>::ConstantMassStart(const ConstantMassDae<S>& model)
    : model_(model),
      ws_(model.make_workspace()),
      jacobians_(model.make_jacobians()),
      system_(without_forces(jacobians_)),
      curvature_(model, jacobians_.C),
      solver_(system_, LinearSolver::automatic) {
  if (solver_.is_sparse()) return;
  jacobians_.store_full();
  system_.store_full();
}

/// By how far coordinates would have to move, c_i / |C_i|, relative to the largest of them.
template <class S>
void ConstantMassStart<S>::check_positions(const Vec& x, const Vec& c) const {
  constexpr double tolerance = 1e-8;  // of numbers that a user gives with all their digits
  const double extent = x.size() > 0 ? x.real().cwiseAbs().maxCoeff() : 0.0;
  VectorXd squares = VectorXd::Zero(c.size());
  for (const auto& b : system_.C.blocks())
    squares.segment(b.row, b.rows) += system_.C.view(b).real().rowwise().squaredNorm();
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const double size = std::sqrt(squares[i]), miss = std::abs(real_part(c[i]));
    if (miss <= tolerance * extent * size) continue;
    throw UnmetConstraint(
        fmt::format("{}: the positions given miss this constraint by {:.2g}, more than {:.0g} of the "
                    "mechanism's extent {:.3g}; give positions at the start that meet it",
                    model_.constraint_name(i), size > 0.0 ? miss / size : miss, tolerance, extent),
        i);
  }
}

/// Of a singular system.
template <class S>
void ConstantMassStart<S>::check_constraints() const {
  constexpr Eigen::Index largest = 600;  // rows whose ranks are revealed within a second
  MatrixXd C = real_matrix<S>(system_.C.to_dense());
  if (C.rows() > largest) return;
  for (Eigen::Index i = 0; i < C.rows(); ++i) C.row(i) /= std::max(C.row(i).norm(), 1e-300);
  // All of c is met where this is asked for.
  const auto found = find_dependent_rows(C, VectorXd::Zero(C.rows()), VectorXd::Ones(C.rows()));
  if (!found) return;
  const auto names_of = [&](const std::vector<Eigen::Index>& rows) {
    std::string names;
    for (const Eigen::Index row : rows) names += (names.empty() ? "" : ", ") + model_.constraint_name(row);
    return names;
  };
  const bool several = found->rows.size() > 1;
  throw DependentConstraints(
      fmt::format(
          "redundant constraint{}: {} {} already determined by {}; lock fewer degrees of freedom there",
          several ? "s" : "", names_of(found->rows), several ? "are" : "is", names_of(found->others)),
      *found);
}

template <class S>
template <class Columns>
Columns ConstantMassStart<S>::solve_system(const Columns& rhs) const {
  Columns solution(rhs.rows(), rhs.cols());
  solver_.solve(rhs, solution);
  return solution;
}

template <class S>
Status ConstantMassStart<S>::solve(double t0, State& state) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  t0_ = t0;
  state.x.setZero(n_v), state.v.setZero(n_v);
  model_.given_initial_state(state.x, state.v);
  Vec c(n_c), c_t(n_c), c_tt(n_c);
  model_.constraints(t0, state.x, *ws_, c, system_.C);
  check_positions(state.x, c);
  model_.copy_mass(system_.M);
  solver_.forget();
  if (!solver_.factorize(system_, {}, 0.0, 0.0)) {
    check_constraints();
    return Failure{
        .what = "the initial accelerations are undetermined (singular mass matrix on the free motions)",
        .where = "assembly",
        .advice = "give every body mass and inertia, or start from another position",
        .time = t0};
  }
  Vec rhs = Vec::Zero(n_v + n_c);
  model_.constraint_rate(t0, *ws_, c_t);
  rhs.tail(n_c) = -c_t;
  system_.C.add_product(-1.0, state.v, rhs.tail(n_c));
  const Vec correction = solve_system(rhs);
  change_ = correction.head(n_v), kappa_ = correction.tail(n_c);
  state.v += change_;

  model_.force(t0, state.x, state.v, *ws_, rhs.head(n_v));
  model_.constraint_acceleration(t0, *ws_, c_tt);
  rhs.tail(n_c) = -c_tt;
  curvature_.of(state.v, *ws_).add_product(-1.0, state.v, rhs.tail(n_c));
  const Vec solution = solve_system(rhs);
  state.v_dot = solution.head(n_v), state.lambda = solution.tail(n_c);
  if (solution.allFinite()) return {};
  return Failure{.what = "the initial forces are not finite",
                 .where = "assembly",
                 .advice = "check loads and stiffness for extreme values",
                 .time = t0};
}

template <class S>
void ConstantMassStart<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                    const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  const Vec none = Vec::Zero(n_c), at_rest = Vec::Zero(n_v);
  model_.jacobians(instant(state), *ws_, jacobians_);
  Vec rhs(n_v + n_c);
  rhs << v_dot_bar, lambda_bar;
  const Vec of_accelerations = -solve_system(rhs);
  const Vec mu = of_accelerations.head(n_v), nu = of_accelerations.tail(n_c);
  jacobians_.f_x.add_transposed_product(1.0, mu, x_bar);
  jacobians_.f_v.add_transposed_product(1.0, mu, v_bar);
  curvature_.of(state.v_dot, *ws_).add_transposed_product(1.0, nu, x_bar);
  curvature_.of(state.v, *ws_).add_transposed_product(2.0, nu, v_bar);
  model_.pullback(instant(state), mu, none, *ws_, p_bar);
  model_.pullback_constraints(instant(state), none, none, nu, *ws_, p_bar);

  rhs << v_bar, none;
  const Vec of_velocities = -solve_system(rhs);
  const Vec eta = of_velocities.head(n_v), zeta = of_velocities.tail(n_c), minus_eta = -eta;
  BlockMatrix<S>& K = jacobians_.f_x;
  K.set_zero();
  model_.add_reaction_jacobian(state.x, kappa_, 1.0, *ws_, K);
  K.add_product(1.0, eta, x_bar);
  curvature_.of(state.v, *ws_).add_transposed_product(1.0, zeta, x_bar);
  model_.pullback_motion(t0_, state.x, state.v, change_, eta, *ws_, p_bar);
  model_.pullback_motion(t0_, state.x, state.v, at_rest, minus_eta, *ws_, p_bar);
  model_.pullback_positions(t0_, state.x, none, eta, kappa_, *ws_, p_bar);
  model_.pullback_constraints(instant(state), none, zeta, none, *ws_, p_bar);

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
  ConstraintDirections<S> c_p;
  Matrix by_mass(n_v, m), by_force(n_v, m), by_reaction(n_v, m), unused(n_c, m), given(n_v, m);
  out.x.resize(n_v, m);
  model_.push_forward_given_position(p_dot, out.x);
  model_.push_forward_given_velocity(state.x, p_dot, given);
  model_.push_forward_constraints(instant(state), p_dot, *ws_, c_p);

  model_.push_forward_motion(t0_, state.x, state.v, change_, p_dot, *ws_, by_mass);
  model_.push_forward_motion(t0_, state.x, state.v, at_rest, p_dot, *ws_, by_force);
  model_.push_forward_positions(t0_, state.x, kappa_, p_dot, *ws_, unused, by_reaction);
  Matrix rhs(n_v + n_c, m);
  rhs.topRows(n_v) = by_force - by_mass - by_reaction;
  BlockMatrix<S>& K = jacobians_.f_x;
  K.set_zero();
  model_.add_reaction_jacobian(state.x, kappa_, 1.0, *ws_, K);
  K.add_product(-1.0, out.x, rhs.topRows(n_v));
  model_.mass().add_product(1.0, given, rhs.topRows(n_v));
  rhs.bottomRows(n_c) = -c_p.c1;
  curvature_.of(state.v, *ws_).add_product(-1.0, out.x, rhs.bottomRows(n_c));
  out.v = solve_system(rhs).topRows(n_v);

  model_.jacobians(instant(state), *ws_, jacobians_);
  model_.push_forward(instant(state), p_dot, *ws_, rhs.topRows(n_v), unused);
  rhs.bottomRows(n_c) = c_p.c2;
  jacobians_.f_x.add_product(1.0, out.x, rhs.topRows(n_v));
  jacobians_.f_v.add_product(1.0, out.v, rhs.topRows(n_v));
  curvature_.of(state.v_dot, *ws_).add_product(1.0, out.x, rhs.bottomRows(n_c));
  curvature_.of(state.v, *ws_).add_product(2.0, out.v, rhs.bottomRows(n_c));
  const Matrix solution = -solve_system(rhs);
  out.v_dot = solution.topRows(n_v), out.lambda = solution.bottomRows(n_c);
}

template class ConstantMassStart<InstantiatedScalar>;

}  // namespace kurbel
