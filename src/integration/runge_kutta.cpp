#include "integration/runge_kutta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurbel {

ButcherTableau ButcherTableau::of(IntegratorMethod method) {
  ButcherTableau t;
  switch (method) {
    case IntegratorMethod::explicit_euler:
      t.A = MatrixXd::Zero(1, 1);
      t.b = VectorXd::Ones(1);
      break;
    case IntegratorMethod::implicit_euler:
      t.A = MatrixXd::Ones(1, 1);
      t.b = VectorXd::Ones(1);
      break;
    case IntegratorMethod::trapezoidal:
      t.A = MatrixXd::Zero(2, 2);
      t.A.row(1) << 0.5, 0.5;
      t.b = VectorXd::Constant(2, 0.5);
      break;
    case IntegratorMethod::runge_kutta_4:
      t.A = MatrixXd::Zero(4, 4);
      t.A(1, 0) = t.A(2, 1) = 0.5;
      t.A(3, 2) = 1.0;
      t.b = Eigen::Vector4d(1.0, 2.0, 2.0, 1.0) / 6.0;
      break;
    case IntegratorMethod::generalized_alpha:
      throw InputError("generalized-alpha integrates second-order equations, not x_dot = f(x, u)");
  }
  t.c = t.A.rowwise().sum();
  return t;
}

template <class S>
RungeKutta<S>::RungeKutta(FirstOrderOde<S>& model, const Controls& controls, const IntegratorOptions& options)
    : model_(model),
      controls_(controls),
      options_(options),
      tableau_(ButcherTableau::of(options.method)),
      n_xi_(model.parameters().size()),
      n_steps_(options.n_steps()),
      h_((options.t1 - options.t0) / static_cast<double>(n_steps_)),
      ws_(model.make_workspace()),
      z_(Vec::Zero(n_xi_ + controls.n_nodes())),
      u_(Vec::Zero(controls.size())),
      known_(model.n_x()),
      residual_(model.n_x()),
      X_(model.n_x(), tableau_.n_stages()),
      F_(model.n_x(), tableau_.n_stages()),
      X_columns_(static_cast<std::size_t>(tableau_.n_stages())),
      F_columns_(static_cast<std::size_t>(tableau_.n_stages())) {
  if (controls.size() != model.n_u()) {
    throw InputError(
        fmt::format("the model has {} controls, but {} are given", model.n_u(), controls.size()));
  }
  for (Eigen::Index stage = 0; stage < tableau_.n_stages(); ++stage) {
    auto& of_stage = weights_.emplace_back();
    const double c = tableau_.c[stage];
    for (Eigen::Index i = 0; i < controls_.size(); ++i) {
      const ControlGrid& grid = controls_.grid(i);
      MatrixXd& w = of_stage.emplace_back(grid.n_nodes(), n_steps_);
      for (Eigen::Index k = 1; k <= n_steps_; ++k) {
        w.col(k - 1) = grid.weights(time(k - 1) + c * h_, c == 1.0).transpose();
      }
    }
  }
}

template <class S>
void RungeKutta<S>::set_parameters(const Segment& z) {
  model_.set_parameters(z.head(n_xi_));
  z_ = z;
}

template <class S>
typename RungeKutta<S>::Vec RungeKutta<S>::control(Eigen::Index k) const {
  Vec u(controls_.size());
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const ControlGrid& grid = controls_.grid(i);
    u[i] = grid.weights(time(k), k > 0).template cast<S>() * z_.segment(control_offset(i), grid.n_nodes());
  }
  return u;
}

template <class S>
void RungeKutta<S>::set_control(Eigen::Index k, Eigen::Index stage) {
  for (Eigen::Index i = 0; i < u_.size(); ++i) {
    const auto w = weights_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(i)].col(k - 1);
    S u(0);
    for (Eigen::Index j = 0; j < w.size(); ++j) u += w[j] * z_[control_offset(i) + j];
    u_[i] = u;
  }
}

template <class S>
Status RungeKutta<S>::initial_state(Eigen::Ref<Vec> y0) {
  model_.initial_state(y0);
  return {};
}

/// Newton's iteration on x - gamma f(x, u) - known = 0, from the x given.
template <class S>
Status RungeKutta<S>::solve_implicit_stage(double t, double gamma, const Vec& known, Eigen::Ref<Vec> x) {
  const auto failure = [&](const char* what) {
    return Failure{.what = what,
                   .where = {},
                   .advice = "reduce integrator.step, or check controls and stiffness for extreme values",
                   .time = t};
  };
  // A correction by round-off in the largest state.
  constexpr double floor = 1e-13;
  bool was_small = false;
  for (int iteration = 1; iteration <= options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    model_.right_hand_side(x, u_, *ws_, residual_);
    residual_ = x - gamma * residual_ - known;
    model_.linearize(x, u_, *ws_);
    if (!model_.factorize(gamma, *ws_)) return failure("the step has no unique solution");
    model_.solve(*ws_, residual_);
    x -= residual_;
    const double size = residual_.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) break;
    const bool small = size <= (options_.newton_tolerance * gamma + floor) * (1.0 + x.cwiseAbs().maxCoeff());
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || (small && std::is_same_v<S, double>)) return {};
    was_small = small;
  }
  return failure("Newton's iteration does not converge");
}

template <class S>
Status RungeKutta<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const Eigen::Index n = tableau_.n_stages();
  for (Eigen::Index i = 0; i < n; ++i) {
    set_control(k, i);
    known_ = y_prev;
    for (Eigen::Index j = 0; j < i; ++j) {
      if (tableau_.A(i, j) != 0.0) known_ += (h_ * tableau_.A(i, j)) * F_.col(j);
    }
    if (tableau_.A(i, i) != 0.0) {
      y = y_prev;
      return solve_implicit_stage(time(k), h_ * tableau_.A(i, i), known_, y);
    }
    model_.right_hand_side(known_, u_, *ws_, F_.col(i));
  }
  y = y_prev;
  for (Eigen::Index i = 0; i < n; ++i) y += (h_ * tableau_.b[i]) * F_.col(i);
  if (!y.allFinite()) {
    return Failure{.what = "the motion has diverged",
                   .where = {},
                   .advice = "reduce integrator.step, or choose an implicit method",
                   .time = time(k)};
  }
  return {};
}

/// X_ from both ends of a step that was taken.
template <class S>
void RungeKutta<S>::stage_states(Eigen::Index k, const Segment& y_prev, const Segment& y) {
  for (Eigen::Index i = 0; i < tableau_.n_stages(); ++i) {
    if (tableau_.A(i, i) != 0.0) {
      X_.col(i) = y;
      continue;
    }
    X_.col(i) = y_prev;
    for (Eigen::Index j = 0; j < i; ++j) {
      if (tableau_.A(i, j) != 0.0) X_.col(i) += (h_ * tableau_.A(i, j)) * F_.col(j);
    }
    if (i + 1 == tableau_.n_stages()) continue;
    set_control(k, i);
    model_.right_hand_side(X_.col(i), u_, *ws_, F_.col(i));
  }
}

template <class S>
void RungeKutta<S>::reserve_columns(Eigen::Index m) {
  if (m <= U_columns_.cols()) return;
  const Eigen::Index capacity = std::max(m, 2 * U_columns_.cols());
  for (Matrix& X : X_columns_) X.resize(model_.n_x(), capacity);
  for (Matrix& F : F_columns_) F.resize(model_.n_x(), capacity);
  U_columns_.resize(model_.n_u(), capacity);
}

/// Backwards through the stages, with g_i = h b_i x_1_bar + h sum_{j > i} a_ji X_j_bar:
///     F_i_bar = (I - h a_ii f_x)^-T g_i,   X_i_bar = f_x^T F_i_bar,   x_0_bar = x_1_bar + sum_i X_i_bar
template <class S>
void RungeKutta<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                                  Columns p_bar) {
  const Eigen::Index m = y_bar.cols();
  reserve_columns(m);
  stage_states(k, y_prev, y);
  auto u_bar = U_columns_.leftCols(m);
  const auto n = static_cast<std::size_t>(tableau_.n_stages());
  for (std::size_t i = n; i-- > 0;) {
    const auto stage = static_cast<Eigen::Index>(i);
    auto F_bar = F_columns_[i].leftCols(m);
    F_bar = (h_ * tableau_.b[stage]) * y_bar;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double a = tableau_.A(static_cast<Eigen::Index>(j), stage);
      if (a != 0.0) F_bar += (h_ * a) * X_columns_[j].leftCols(m);
    }
    set_control(k, stage);
    model_.linearize(X_.col(stage), u_, *ws_);
    if (const double a = tableau_.A(stage, stage); a != 0.0) {
      model_.factorize(h_ * a, *ws_);
      model_.solve_transposed(*ws_, F_bar);
    }
    model_.pullback(*ws_, F_bar, X_columns_[i].leftCols(m), u_bar, p_bar.topRows(n_xi_));
    for (Eigen::Index c = 0; c < controls_.size(); ++c) {
      const MatrixXd& w = weights_[i][static_cast<std::size_t>(c)];
      p_bar.middleRows(control_offset(c), w.rows()).noalias() +=
          w.col(k - 1).template cast<S>() * u_bar.row(c);
    }
  }
  for (const Matrix& X_bar : X_columns_) y_bar += X_bar.leftCols(m);
}

template <class S>
void RungeKutta<S>::pullback_initial(const Segment&, const ConstColumns& y_bar, Columns p_bar) {
  model_.pullback_initial(y_bar, p_bar.topRows(n_xi_));
}

/// Forwards through the stages, with r_i = x_0_dot + h sum_{j < i} a_ij F_j_dot:
///     F_i_dot = (I - h a_ii f_x)^-1 (f_x r_i + f_u u_dot + f_xi xi_dot),   x_1_dot = x_0_dot + h sum_i b_i
///     F_i_dot
template <class S>
void RungeKutta<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                      const ConstColumns& p_dot, Columns y_dot) {
  const Eigen::Index m = y_dot.cols();
  reserve_columns(m);
  stage_states(k, y_prev, y);
  auto u_dot = U_columns_.leftCols(m);
  const auto n = static_cast<std::size_t>(tableau_.n_stages());
  for (std::size_t i = 0; i < n; ++i) {
    const auto stage = static_cast<Eigen::Index>(i);
    set_control(k, stage);
    model_.linearize(X_.col(stage), u_, *ws_);
    for (Eigen::Index c = 0; c < controls_.size(); ++c) {
      const MatrixXd& w = weights_[i][static_cast<std::size_t>(c)];
      u_dot.row(c).noalias() =
          w.col(k - 1).transpose().template cast<S>() * p_dot.middleRows(control_offset(c), w.rows());
    }
    auto x_dot = X_columns_[i].leftCols(m);
    auto F_dot = F_columns_[i].leftCols(m);
    x_dot = y_dot;
    for (std::size_t j = 0; j < i; ++j) {
      const double a = tableau_.A(stage, static_cast<Eigen::Index>(j));
      if (a != 0.0) x_dot += (h_ * a) * F_columns_[j].leftCols(m);
    }
    model_.push_forward(*ws_, x_dot, u_dot, p_dot.topRows(n_xi_), F_dot);
    if (const double a = tableau_.A(stage, stage); a != 0.0) {
      model_.factorize(h_ * a, *ws_);
      model_.solve(*ws_, F_dot);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    y_dot += (h_ * tableau_.b[static_cast<Eigen::Index>(i)]) * F_columns_[i].leftCols(m);
  }
}

template <class S>
void RungeKutta<S>::push_forward_initial(const Segment&, const ConstColumns& p_dot, Columns y_dot) {
  model_.push_forward_initial(p_dot.topRows(n_xi_), y_dot);
}

template class RungeKutta<double>;
template class RungeKutta<Complex>;

}  // namespace kurbel
