#include "integration/initial_conditions.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

namespace {

template <class S, class Lu>
VectorX<S> solve_transposed(const Lu& lu, const VectorX<S>& rhs) {
  return lu.transpose().solve(rhs);
}

}  // namespace

template <class S>
InitialConditions<S>::InitialConditions(const AssembledDae<S>& model)
    : model_(model), ws_(model.make_workspace()), position_(model, *ws_), jacobians_(model.make_jacobians()) {
  constraints_.resize(model.n_v(), model.n_c());
  jacobians_.store_full();
}

/// Ranks of coordinates, in the order of their correction: rigid coordinates that are not given, those that are,
/// elastic ones likewise.
template <class S>
typename LeastChange<S>::Ranks InitialConditions<S>::ranks(bool of_position) const {
  typename Directions::Ranks ranks(4);
  for (Eigen::Index i = 0; i < model_.n_v(); ++i) {
    const bool given = of_position ? model_.is_position_given(i) : model_.is_velocity_given(i);
    ranks[(model_.is_rigid_coordinate(i) ? 0u : 2u) + (given ? 1u : 0u)].push_back(i);
  }
  return ranks;
}

template <class S>
Status InitialConditions<S>::assemble_velocity(State& state) {
  const Eigen::Index n_v = model_.n_v();
  v_x_.setZero(n_v, n_v);
  model_.given_velocity(state.x, state.v, v_x_);
  velocity_.emplace(model_, t0_, state.x, ranks(false), *ws_);
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  if (velocity_->complete() && model_.n_c() > 0) {
    const VectorXd& scale = velocity_->row_scale();
    velocity_lu_.compute(scale.asDiagonal() * constraints_.C * velocity_->D());
    const Vec y = -velocity_lu_.solve(scale.asDiagonal() * constraints_.c1);
    velocity_->set(y);
    state.v += velocity_->D() * y;
  }
  if (velocity_->complete() && state.v.allFinite()) return {};
  return Failure{
      .what = "the initial velocities are undetermined: the mechanism starts in a singular position",
      .where = "assembly",
      .advice = "start from another position",
      .time = t0_};
}

template <class S>
Status InitialConditions<S>::solve_acceleration(State& state) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  state.v_dot.setZero(), state.lambda.setZero();
  linearize(state);
  Vec rhs(n_v + n_c), c(n_c);
  model_.residual(instant(state), *ws_, rhs.head(n_v), c);
  rhs.tail(n_c) = constraints_.c2;
  VectorXd scale(n_v + n_c);
  scale << velocity_->column_scale(), velocity_->row_scale();
  Matrix kkt = Matrix::Zero(n_v + n_c, n_v + n_c);
  kkt.topLeftCorner(n_v, n_v) = jacobians_.M.full();
  kkt.topRightCorner(n_v, n_c) = jacobians_.C.full().transpose();
  kkt.bottomLeftCorner(n_c, n_v) = jacobians_.C.full();
  kkt_lu_.compute(scale.asDiagonal() * kkt * scale.asDiagonal());
  const Vec solution = -(scale.asDiagonal() * kkt_lu_.solve(scale.asDiagonal() * rhs));
  state.v_dot = solution.head(n_v);
  state.lambda = solution.tail(n_c);
  // The model may be nonlinear in nothing but x and v: f and c_ddot are affine in what was solved for.
  if (is_regular(kkt_lu_) && solution.allFinite()) return {};
  return Failure{
      .what = "the initial accelerations are undetermined (singular mass matrix on the free motions)",
      .where = "assembly",
      .advice = "give every body mass and inertia",
      .time = t0_};
}

template <class S>
auto InitialConditions<S>::velocities_at(double t0, const Vec& x) -> std::optional<Vec> {
  t0_ = t0;
  State state{.x = x,
              .v = Vec::Zero(model_.n_v()),
              .v_dot = Vec::Zero(model_.n_v()),
              .lambda = Vec::Zero(model_.n_c())};
  Vec given_x = Vec::Zero(model_.n_x());
  model_.given_initial_state(given_x, state.v);
  if (assemble_velocity(state).failed()) return {};
  return state.v;
}

template <class S>
Status InitialConditions<S>::solve(double t0, State& state) {
  t0_ = t0;
  state.x.setZero(model_.n_x());
  state.v.setZero(model_.n_v());
  state.v_dot.setZero(model_.n_v());
  state.lambda.setZero(model_.n_c());
  model_.given_initial_state(state.x, state.v);
  if (Status s = position_.assemble(t0, state.x, ranks(true)); s.failed()) return s;
  state.x = position_.x();
  if (Status s = assemble_velocity(state); s.failed()) return s;
  if (Status s = solve_acceleration(state); s.failed()) return s;
  choose_balanced_coordinates();
  return balanced_.empty() ? Status{} : find_equilibrium(state);
}

template <class S>
void InitialConditions<S>::linearize(const State& state) {
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  model_.jacobians(instant(state), *ws_, jacobians_);
}

/// Variations of the state that follow from those of the parameters and of the position's shift.
template <class S>
void InitialConditions<S>::propagate(const State& state, const Matrix* p_dot, const Matrix* shift,
                                     StateDirections& out) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = p_dot ? p_dot->cols() : shift->cols();
  out.x = position_.push_forward(p_dot, shift);
  linearize(state);
  ConstraintDirections<S> c_p;
  c_p.resize(n_c, m);
  Matrix f_p = Matrix::Zero(n_v, m), unused(n_c, m);
  if (p_dot) {
    model_.push_forward_constraints(instant(state), *p_dot, *ws_, c_p);
    model_.push_forward(instant(state), *p_dot, *ws_, f_p, unused);
  }
  out.v = v_x_ * out.x + velocity_->push_forward(p_dot, out.x, *ws_);
  if (p_dot) {
    Matrix given(n_v, m);
    model_.push_forward_given_velocity(state.x, *p_dot, given);
    out.v += given;
  }
  if (n_c > 0) {
    const Matrix rate = c_p.c1 + constraints_.c1_x * out.x + constraints_.C * out.v;
    out.v -= velocity_->D() * velocity_lu_.solve(velocity_->row_scale().asDiagonal() * rate);
  }
  Matrix rhs(n_v + n_c, m);
  rhs.topRows(n_v) = f_p + jacobians_.f_x.full() * out.x + jacobians_.f_v.full() * out.v;
  rhs.bottomRows(n_c) = c_p.c2 + constraints_.c2_x * out.x + constraints_.c2_v * out.v;
  VectorXd scale(n_v + n_c);
  scale << velocity_->column_scale(), velocity_->row_scale();
  const Matrix solution = -(scale.asDiagonal() * kkt_lu_.solve(scale.asDiagonal() * rhs));
  out.v_dot = solution.topRows(n_v);
  out.lambda = solution.bottomRows(n_c);
}

/// The same as pullback(), with the position's shift constant.
/// @return the sensitivity by that shift
template <class S>
typename InitialConditions<S>::Vec InitialConditions<S>::pullback_given(const State& state, Vec x_bar,
                                                                        Vec v_bar, const Vec& v_dot_bar,
                                                                        const Vec& lambda_bar,
                                                                        Eigen::Ref<Vec> p_bar) {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c();
  const auto at = instant(state);
  linearize(state);
  Vec rhs(n_v + n_c);
  rhs << v_dot_bar, lambda_bar;
  VectorXd scale(n_v + n_c);
  scale << velocity_->column_scale(), velocity_->row_scale();
  const Vec mu = scale.asDiagonal() * solve_transposed<S>(kkt_lu_, scale.asDiagonal() * rhs);
  const Vec nu = mu.head(n_v), gamma = mu.tail(n_c), none = Vec::Zero(n_c);
  x_bar.noalias() -= jacobians_.f_x.full().transpose() * nu + constraints_.c2_x.transpose() * gamma;
  v_bar.noalias() -= jacobians_.f_v.full().transpose() * nu + constraints_.c2_v.transpose() * gamma;
  model_.pullback(at, -nu, none, *ws_, p_bar);
  model_.pullback_constraints(at, none, none, -gamma, *ws_, p_bar);
  if (n_c > 0) {
    const Vec zeta = velocity_->row_scale().asDiagonal() *
                     solve_transposed<S>(velocity_lu_, velocity_->D().transpose() * v_bar);
    x_bar.noalias() -= constraints_.c1_x.transpose() * zeta;
    v_bar.noalias() -= constraints_.C.transpose() * zeta;
    model_.pullback_constraints(at, none, -zeta, none, *ws_, p_bar);
  }
  x_bar.noalias() += v_x_.transpose() * v_bar;
  model_.pullback_given_velocity(state.x, v_bar, p_bar);
  velocity_->pullback(v_bar, x_bar, p_bar, *ws_);
  return position_.pullback(x_bar, p_bar);
}

template <class S>
void InitialConditions<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                    const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  Vec balanced_bar = v_dot_bar;
  if (!balanced_.empty()) {
    // What multiplies the free accelerations, which are zero, takes away the sensitivity by the shift.
    Vec without = Vec::Zero(p_bar.size());
    const Vec shift_bar = pullback_given(state, x_bar, v_bar, v_dot_bar, lambda_bar, without);
    const Vec weighed = weights_ * solve_transposed<S>(balance_lu_, free_.transpose() * shift_bar);
    balanced_bar -= weighed;
    balance_->pullback(weighed, x_bar, p_bar, *ws_);
  }
  pullback_given(state, x_bar, v_bar, balanced_bar, lambda_bar, p_bar);
}

template <class S>
void InitialConditions<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                        StateDirections& out) {
  const Matrix directions = p_dot;
  propagate(state, &directions, nullptr, out);
  if (balanced_.empty()) return;
  const Matrix disturbed =
      weights_.transpose() * (out.v_dot - balance_->push_forward(&directions, out.x, *ws_));
  const Matrix shift = -(free_ * balance_lu_.solve(disturbed));
  propagate(state, &directions, &shift, out);
}

template <class S>
std::unique_ptr<Start<S>> AssembledDae<S>::make_start() const {
  return std::make_unique<InitialConditions<S>>(*this);
}

template class InitialConditions<InstantiatedScalar>;
template std::unique_ptr<Start<InstantiatedScalar>> AssembledDae<InstantiatedScalar>::make_start() const;

}  // namespace kurbel
