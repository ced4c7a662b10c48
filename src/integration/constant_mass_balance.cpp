#include "integration/constant_mass_balance.hpp"

#include "base/instantiate.hpp"
#include "integration/dependent_constraints.hpp"

namespace kurbel {

template <class S>
ConstantMassBalance<S>::ConstantMassBalance(const ConstantMassDae<S>& model)
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

template <class S>
void ConstantMassBalance<S>::set_position(double t, const Segment& x, Eigen::Ref<Vec> c) {
  t_ = t;
  model_.constraints(t, x, *ws_, c, system_.C);
}

template <class S>
bool ConstantMassBalance<S>::factorize() {
  model_.copy_mass(system_.M);
  solver_.forget();
  return solver_.factorize(system_, {}, 0.0, 0.0);
}

template <class S>
void ConstantMassBalance<S>::check_constraints() const {
  constexpr Eigen::Index largest = 600;  // rows whose ranks are revealed within a second
  if (model_.n_c() > largest) return;
  MatrixXd C = real_matrix<S>(system_.C.to_dense());
  for (Eigen::Index i = 0; i < C.rows(); ++i) C.row(i) /= std::max(C.row(i).norm(), 1e-300);
  // All of c is met where this is called.
  const auto found = find_dependent_rows(C, VectorXd::Zero(C.rows()), VectorXd::Ones(C.rows()));
  if (!found) return;
  throw FaultyConstraint(describe(*found, [&](Eigen::Index row) { return model_.constraint_name(row); }),
                         found->rows.front());
}

template <class S>
Status ConstantMassBalance<S>::singular() const {
  return Failure{
      .what = "the initial accelerations are undetermined (singular mass matrix on the free motions)",
      .where = "assembly",
      .advice = "give every body mass and inertia, or start from another position",
      .time = t_};
}

template <class S>
Status ConstantMassBalance<S>::find_accelerations(State& state) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  Vec rhs(n_v + n_c), c_tt(n_c);
  model_.force(t_, state.x, state.v, *ws_, rhs.head(n_v));
  model_.constraint_acceleration(t_, *ws_, c_tt);
  rhs.tail(n_c) = -c_tt;
  curvature_.of(state.v, *ws_).add_product(-1.0, state.v, rhs.tail(n_c));
  const Vec solution = solve(rhs);
  state.v_dot = solution.head(n_v), state.lambda = solution.tail(n_c);
  if (solution.allFinite()) return {};
  return Failure{.what = "the initial forces are not finite",
                 .where = "assembly",
                 .advice = "check loads and stiffness for extreme values",
                 .time = t_};
}

template <class S>
void ConstantMassBalance<S>::pullback(const State& state, const Vec& v_dot_bar, const Vec& lambda_bar,
                                      Vec& x_bar, Vec& v_bar, Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  const Vec none = Vec::Zero(n_c);
  model_.jacobians(instant(state), *ws_, jacobians_);
  Vec rhs(n_v + n_c);
  rhs << v_dot_bar, lambda_bar;
  const Vec of_accelerations = -solve(rhs);
  const Vec mu = of_accelerations.head(n_v), nu = of_accelerations.tail(n_c);
  jacobians_.f_x.add_transposed_product(1.0, mu, x_bar);
  jacobians_.f_v.add_transposed_product(1.0, mu, v_bar);
  curvature_.of(state.v_dot, *ws_).add_transposed_product(1.0, nu, x_bar);
  curvature_.of(state.v, *ws_).add_transposed_product(2.0, nu, v_bar);
  model_.pullback(instant(state), mu, none, *ws_, p_bar);
  model_.pullback_constraints(instant(state), none, none, nu, *ws_, p_bar);
}

template <class S>
void ConstantMassBalance<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                          StateDirections& out) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = p_dot.cols();
  ConstraintDirections<S> c_p;
  Matrix rhs(n_v + n_c, m), unused(n_c, m);
  model_.push_forward_constraints(instant(state), p_dot, *ws_, c_p);
  model_.jacobians(instant(state), *ws_, jacobians_);
  model_.push_forward(instant(state), p_dot, *ws_, rhs.topRows(n_v), unused);
  rhs.bottomRows(n_c) = c_p.c2;
  jacobians_.f_x.add_product(1.0, out.x, rhs.topRows(n_v));
  jacobians_.f_v.add_product(1.0, out.v, rhs.topRows(n_v));
  curvature_.of(state.v_dot, *ws_).add_product(1.0, out.x, rhs.bottomRows(n_c));
  curvature_.of(state.v, *ws_).add_product(2.0, out.v, rhs.bottomRows(n_c));
  const Matrix solution = -solve(rhs);
  out.v_dot = solution.topRows(n_v), out.lambda = solution.bottomRows(n_c);
}

template <class S>
const BlockMatrix<S>& ConstantMassBalance<S>::reaction_jacobian(const Segment& x, const Vec& a) {
  jacobians_.f_x.set_zero();
  model_.add_reaction_jacobian(x, a, 1.0, *ws_, jacobians_.f_x);
  return jacobians_.f_x;
}

template class ConstantMassBalance<InstantiatedScalar>;

}  // namespace kurbel
