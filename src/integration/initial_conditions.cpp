#include "integration/initial_conditions.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "integration/dependent_constraints.hpp"

namespace kurbel {

namespace {

template <class S>
MatrixXd real_matrix(const MatrixX<S>& m) {
  if constexpr (std::is_same_v<S, double>) {
    return m;
  } else {
    return m.real();
  }
}

template <class S>
double largest(const VectorX<S>& v) {
  return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace

template <class S>
InitialConditions<S>::InitialConditions(const SecondOrderDae<S>& model)
    : model_(model), ws_(model.make_workspace()), xi_(Vec::Zero(model.n_v())) {
  constraints_.resize(model.n_v(), model.n_c());
  jacobians_.resize(model.n_v(), model.n_c());
}

template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::dependent_columns(const Matrix& A) const {
  Matrix D(A.rows(), static_cast<Eigen::Index>(dependent_.size()));
  for (std::size_t j = 0; j < dependent_.size(); ++j)
    D.col(static_cast<Eigen::Index>(j)) = A.col(dependent_[j]);
  return D;
}

/// @throws InputError if rows of C depend on each other
template <class S>
void InitialConditions<S>::check_constraints(const Matrix& C_in, const Vec& c) const {
  const auto found = find_dependent_rows(real_matrix<S>(C_in), VectorXd(real_matrix<S>(Matrix(c)).col(0)));
  if (!found) return;
  const auto names_of = [&](const std::vector<Eigen::Index>& rows) {
    std::string names;
    for (const Eigen::Index row : rows) names += (names.empty() ? "" : ", ") + model_.constraint_name(row);
    return names;
  };
  const bool several = found->rows.size() > 1;
  throw DependentConstraints(
      fmt::format("{} constraint{}: {} {} already determined by {}; lock fewer degrees of freedom there",
                  found->contradictory ? "contradictory" : "redundant", several ? "s" : "",
                  names_of(found->rows), several ? "are" : "is", names_of(found->others)),
      *found);
}

template <class S>
void InitialConditions<S>::choose_dependent_coordinates(const Matrix& C_in) {
  MatrixXd C = real_matrix<S>(C_in);
  // Elastic coordinates are corrected only where the rigid ones cannot do it.
  constexpr double elastic_weight = 1e-6;
  for (Eigen::Index j = 0; j < C.cols(); ++j) {
    if (!model_.is_rigid_coordinate(j)) C.col(j) *= elastic_weight;
  }
  Eigen::ColPivHouseholderQR<MatrixXd> columns(C);
  dependent_.clear();
  for (Eigen::Index i = 0; i < C.rows(); ++i) dependent_.push_back(columns.colsPermutation().indices()[i]);
}

/// dc/dxi.
template <class S>
typename InitialConditions<S>::Matrix InitialConditions<S>::position_jacobian(const Matrix& C) const {
  Matrix CT = C;
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(xi_, blocks);
  for (const auto& block : blocks) {
    CT.template middleCols<6>(block.offset) = C.template middleCols<6>(block.offset) * block.T;
  }
  return CT;
}

/// xi += step on the dependent coordinates, shortened to at most half a metre or radian and until the
/// violation of the constraints shrinks.
template <class S>
void InitialConditions<S>::advance_position(const Vec& x_given, const Vec& step, State& state) {
  constexpr double longest = 0.5, shortest_fraction = 1e-3;
  const Vec xi = xi_;
  const double violation = constraints_.c0.norm();
  double fraction = std::min(1.0, longest / largest<S>(step));
  for (;; fraction *= 0.5) {
    for (std::size_t j = 0; j < dependent_.size(); ++j) {
      xi_[dependent_[j]] = xi[dependent_[j]] + fraction * step[static_cast<Eigen::Index>(j)];
    }
    model_.retract(x_given, xi_, state.x);
    model_.constraint_derivatives(instant(state), *ws_, constraints_);
    if (constraints_.c0.norm() < violation || fraction < shortest_fraction) return;
    if (largest<S>(step) < 1e-6) return;  // round-off decides there
  }
}

/// An assembled position near the given one by Gauss-Newton steps of least norm, to choose coordinates there.
template <class S>
typename InitialConditions<S>::Vec InitialConditions<S>::nearest_assembled(const State& given) {
  State state = given;
  constexpr int max_iterations = 50;
  constexpr double longest = 0.5, converged = 1e-6;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    model_.constraint_derivatives(instant(state), *ws_, constraints_);
    const Vec step = -constraints_.C.completeOrthogonalDecomposition().solve(constraints_.c0);
    const double size = largest<S>(step);
    if (!std::isfinite(size) || size < converged) break;
    const Vec x = state.x;
    model_.retract(x, std::min(1.0, longest / size) * step, state.x);
  }
  return state.x;
}

template <class S>
Status InitialConditions<S>::assemble_position(State& state) {
  const Vec x_given = state.x;
  xi_.setZero();
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  check_constraints(constraints_.C, constraints_.c0);
  choose_dependent_coordinates(constraints_.C);
  if (!correct_position(x_given, state)) return {};
  state.x = x_given;
  state.x = nearest_assembled(state);
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  check_constraints(constraints_.C, constraints_.c0);
  choose_dependent_coordinates(constraints_.C);
  state.x = x_given;
  xi_.setZero();
  return correct_position(x_given, state);
}

/// Newton's iteration in the dependent coordinates from state.x = x_given o exp(xi).
template <class S>
Status InitialConditions<S>::correct_position(const Vec& x_given, State& state) {
  constexpr int max_iterations = 100;
  constexpr double converged = 1e-9;  // of the last correction; Newton's next one would be its square
  bool was_small = false;
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Vec step = -dependent_columns(position_jacobian(constraints_.C)).fullPivLu().solve(constraints_.c0);
    if (!std::isfinite(largest<S>(step))) break;
    advance_position(x_given, step, state);
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || (std::is_same_v<S, double> && largest<S>(step) < converged)) return {};
    was_small = largest<S>(step) < converged;
  }
  return Failure{
      .what = fmt::format("the initial positions cannot be brought to satisfy the joints (largest violation "
                          "{:.2g})",
                          largest<S>(constraints_.c0)),
      .where = "assembly",
      .advice = "give initial positions and rotations closer to an assembled mechanism",
      .time = t0_};
}

template <class S>
Status InitialConditions<S>::assemble_velocity(State& state) {
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  const Vec step = -dependent_columns(constraints_.C).fullPivLu().solve(constraints_.c1);
  for (std::size_t j = 0; j < dependent_.size(); ++j)
    state.v[dependent_[j]] += step[static_cast<Eigen::Index>(j)];
  if (std::isfinite(largest<S>(state.v))) return {};
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
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  model_.jacobians(instant(state), *ws_, jacobians_);
  Vec rhs(n_v + n_c);
  Vec c(n_c);
  model_.residual(instant(state), *ws_, rhs.head(n_v), c);
  rhs.tail(n_c) = constraints_.c2;
  kkt_.setZero(n_v + n_c, n_v + n_c);
  kkt_.topLeftCorner(n_v, n_v) = jacobians_.M;
  kkt_.topRightCorner(n_v, n_c) = jacobians_.C.transpose();
  kkt_.bottomLeftCorner(n_c, n_v) = jacobians_.C;
  const Vec solution = -kkt_.fullPivLu().solve(rhs);
  state.v_dot = solution.head(n_v);
  state.lambda = solution.tail(n_c);
  // The model may be nonlinear in nothing but x and v: f and c_ddot are affine in what was solved for.
  if (std::isfinite(largest<S>(solution))) return {};
  return Failure{
      .what = "the initial accelerations are undetermined (singular mass matrix on the free motions)",
      .where = "assembly",
      .advice = "give every body mass and inertia",
      .time = t0_};
}

template <class S>
Status InitialConditions<S>::solve(double t0, State& state) {
  t0_ = t0;
  state.x.setZero(model_.n_x());
  state.v.setZero(model_.n_v());
  state.v_dot.setZero(model_.n_v());
  state.lambda.setZero(model_.n_c());
  model_.given_initial_state(state.x, state.v);
  const Vec x_given = state.x, v_given = state.v;
  xi_.setZero();
  if (model_.n_c() > 0) {
    if (Status s = assemble_position(state)) return s;
    if (Status s = assemble_velocity(state)) return s;
  }
  if (Status s = solve_acceleration(state)) return s;
  choose_balanced_coordinates();
  return balanced_.empty() ? Status{} : find_equilibrium(x_given, v_given, state);
}

template <class S>
void InitialConditions<S>::linearize(const State& state) {
  model_.constraint_derivatives(instant(state), *ws_, constraints_);
  model_.jacobians(instant(state), *ws_, jacobians_);
}

/// As pullback(), with xi_E held.
/// @return the sensitivity by xi, of which that by xi_D is zero
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
  const Vec mu = kkt_.transpose().fullPivLu().solve(rhs);
  const Vec nu = mu.head(n_v), gamma = mu.tail(n_c), none = Vec::Zero(n_c);
  x_bar.noalias() -= jacobians_.f_x.transpose() * nu + constraints_.c2_x.transpose() * gamma;
  v_bar.noalias() -= jacobians_.f_v.transpose() * nu + constraints_.c2_v.transpose() * gamma;
  model_.pullback(at, -nu, none, *ws_, p_bar);
  model_.pullback_constraints(at, none, none, -gamma, *ws_, p_bar);

  const auto at_dependent = [this](const Vec& bar) {
    Vec d(static_cast<Eigen::Index>(dependent_.size()));
    for (std::size_t j = 0; j < dependent_.size(); ++j) d[static_cast<Eigen::Index>(j)] = bar[dependent_[j]];
    return d;
  };
  if (n_c > 0) {
    const Vec eta = dependent_columns(constraints_.C).transpose().fullPivLu().solve(at_dependent(v_bar));
    x_bar.noalias() -= constraints_.c1_x.transpose() * eta;
    model_.pullback_constraints(at, none, -eta, none, *ws_, p_bar);
  }
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(xi_, blocks);
  for (const auto& block : blocks) {
    x_bar.template segment<6>(block.offset) =
        (block.T.transpose() * x_bar.template segment<6>(block.offset)).eval();
  }
  if (n_c == 0) return x_bar;
  const Matrix CT = position_jacobian(constraints_.C);
  const Vec zeta = dependent_columns(CT).transpose().fullPivLu().solve(at_dependent(x_bar));
  model_.pullback_constraints(at, -zeta, none, none, *ws_, p_bar);
  return x_bar - CT.transpose() * zeta;
}

/// Variations of the state that follow from those of the parameters and of xi_E.
/// @param xi  (n_v x m)   zero outside E
template <class S>
void InitialConditions<S>::propagate(const ConstraintDirections<S>& c_p, const Matrix& f_p, const Matrix& xi,
                                     StateDirections& out) const {
  const Eigen::Index n_v = model_.n_v(), n_c = model_.n_c(), m = xi.cols();
  out.x = xi, out.v.setZero(n_v, m);
  const auto set_dependent = [this](const Matrix& from, Matrix& to) {
    for (std::size_t j = 0; j < dependent_.size(); ++j)
      to.row(dependent_[j]) = from.row(static_cast<Eigen::Index>(j));
  };
  if (n_c > 0) {
    const Matrix CT = position_jacobian(constraints_.C);
    const Matrix violation = c_p.c0 + CT * xi;
    set_dependent(-dependent_columns(CT).fullPivLu().solve(violation), out.x);
  }
  std::vector<RetractionBlock<S>> blocks;
  model_.retraction_derivative(xi_, blocks);
  for (const auto& block : blocks) {
    out.x.template middleRows<6>(block.offset) =
        (block.T * out.x.template middleRows<6>(block.offset)).eval();
  }
  if (n_c > 0) {
    const Matrix rate = c_p.c1 + constraints_.c1_x * out.x;
    set_dependent(-dependent_columns(constraints_.C).fullPivLu().solve(rate), out.v);
  }
  Matrix rhs(n_v + n_c, m);
  rhs.topRows(n_v) = f_p + jacobians_.f_x * out.x + jacobians_.f_v * out.v;
  rhs.bottomRows(n_c) = c_p.c2 + constraints_.c2_x * out.x + constraints_.c2_v * out.v;
  const Matrix solution = -kkt_.fullPivLu().solve(rhs);
  out.v_dot = solution.topRows(n_v);
  out.lambda = solution.bottomRows(n_c);
}

template <class S>
void InitialConditions<S>::pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar,
                                    const Vec& lambda_bar, Eigen::Ref<Vec> p_bar) {
  Vec balanced_bar = v_dot_bar;
  if (!balanced_.empty()) {
    // What multiplies v_dot_E = 0 takes away the sensitivity by xi_E.
    Vec without = Vec::Zero(p_bar.size());
    const Vec xi_bar = pullback_given(state, x_bar, v_bar, v_dot_bar, lambda_bar, without);
    balanced_bar -= spread_balanced(balance_lu_.transpose().solve(balanced_rows(xi_bar)));
  }
  pullback_given(state, x_bar, v_bar, balanced_bar, lambda_bar, p_bar);
}

template <class S>
void InitialConditions<S>::push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                                        StateDirections& out) {
  const Eigen::Index n_v = model_.n_v(), m = p_dot.cols();
  linearize(state);
  model_.push_forward_constraints(instant(state), p_dot, *ws_, directions_);
  Matrix f_p(n_v, m), c_p(model_.n_c(), m), xi = Matrix::Zero(n_v, m);
  model_.push_forward(instant(state), p_dot, *ws_, f_p, c_p);
  propagate(directions_, f_p, xi, out);
  if (balanced_.empty()) return;
  xi = -spread_balanced(balance_lu_.solve(balanced_rows(out.v_dot)));
  propagate(directions_, f_p, xi, out);
}

template class InitialConditions<double>;
template class InitialConditions<Complex>;

}  // namespace kurbel
