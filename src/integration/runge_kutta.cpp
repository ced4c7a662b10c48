#include "integration/runge_kutta.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
RungeKutta<S>::RungeKutta(Shared<const FirstOrderOde<S>> model, const IntegratorOptions& options)
    : shared_(std::move(model)),
      model_(*shared_),
      options_(options),
      tableau_(ButcherTableau::of(options.method)),
      n_steps_(options.n_steps()),
      h_((options.t1 - options.t0) / static_cast<double>(n_steps_)),
      ws_(model_.make_workspace()),
      known_(model_.n_x()),
      residual_(model_.n_x()),
      X_(model_.n_x(), tableau_.n_stages()),
      F_(model_.n_x(), tableau_.n_stages()),
      X_columns_(static_cast<std::size_t>(tableau_.n_stages())),
      F_columns_(static_cast<std::size_t>(tableau_.n_stages())) {}

template <class S>
OneSidedTime RungeKutta<S>::stage_time(Eigen::Index k, Eigen::Index stage) const {
  const double c = tableau_.c[stage];
  return {time(k - 1) + c * h_, c == 1.0};
}

template <class S>
Status RungeKutta<S>::initial_state(Eigen::Ref<Vec> y0) {
  model_.initial_state(y0);
  return {};
}

template <class S>
std::string RungeKutta<S>::place_not_finite(const Segment& y) const {
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    if (!std::isfinite(real_part(y[i]))) return model_.state_name(i);
  }
  return {};
}

/// Newton's iteration on x - gamma f(t, x) - known = 0, from the x given.
template <class S>
Status RungeKutta<S>::solve_implicit_stage(const OneSidedTime& at, double gamma, const Vec& known,
                                           Eigen::Ref<Vec> x) {
  const auto failure = [&](const char* what) {
    return Failure{.what = what,
                   .where = {},
                   .advice = "reduce integrator.step, or check controls and stiffness for extreme values",
                   .time = at.t};
  };
  // A correction by round-off in the largest state.
  constexpr double floor = 1e-13;
  bool was_small = false;
  for (int iteration = 1; iteration <= options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    model_.right_hand_side(at, x, *ws_, residual_);
    residual_ = x - gamma * residual_ - known;
    model_.linearize(at, x, *ws_);
    if (!model_.factorize(gamma, *ws_)) return failure("the step has no unique solution");
    model_.solve(*ws_, residual_);
    x -= residual_;
    const double size = residual_.template lpNorm<Eigen::Infinity>();
    if (!std::isfinite(size)) break;
    const bool small =
        size <= (options_.newton_tolerance * gamma + floor) * (1.0 + x.template lpNorm<Eigen::Infinity>());
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
    known_ = y_prev;
    for (Eigen::Index j = 0; j < i; ++j) {
      if (tableau_.A(i, j) != 0.0) known_ += (h_ * tableau_.A(i, j)) * F_.col(j);
    }
    if (tableau_.A(i, i) != 0.0) {
      y = y_prev;
      return solve_implicit_stage(stage_time(k, i), h_ * tableau_.A(i, i), known_, y);
    }
    model_.right_hand_side(stage_time(k, i), known_, *ws_, F_.col(i));
  }
  y = y_prev;
  for (Eigen::Index i = 0; i < n; ++i) y += (h_ * tableau_.b[i]) * F_.col(i);
  if (!y.allFinite()) {
    return Failure{.what = "the motion has diverged",
                   .where = place_not_finite(y),
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
    model_.right_hand_side(stage_time(k, i), X_.col(i), *ws_, F_.col(i));
  }
}

template <class S>
void RungeKutta<S>::reserve_columns(Eigen::Index m) {
  const Eigen::Index room = X_columns_.front().cols();
  if (m <= room) return;
  const Eigen::Index capacity = std::max(m, 2 * room);
  for (Matrix& X : X_columns_) X.resize(model_.n_x(), capacity);
  for (Matrix& F : F_columns_) F.resize(model_.n_x(), capacity);
}

/// Backwards through the stages, with g_i = h b_i x_1_bar + h sum_{j > i} a_ji X_j_bar:
///     F_i_bar = (I - h a_ii f_x)^-T g_i,   X_i_bar = f_x^T F_i_bar,   x_0_bar = x_1_bar + sum_i X_i_bar
///     h_bar = (x_1_bar . (x_1 - x_0) + sum_i X_i_bar . (X_i - x_0)) / h
template <class S>
void RungeKutta<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                                  Columns p_bar) {
  const Eigen::Index m = y_bar.cols();
  reserve_columns(m);
  stage_states(k, y_prev, y);
  const auto n = static_cast<std::size_t>(tableau_.n_stages());
  for (std::size_t i = n; i-- > 0;) {
    const auto stage = static_cast<Eigen::Index>(i);
    auto F_bar = F_columns_[i].leftCols(m);
    F_bar = (h_ * tableau_.b[stage]) * y_bar;
    for (std::size_t j = i + 1; j < n; ++j) {
      const double a = tableau_.A(static_cast<Eigen::Index>(j), stage);
      if (a != 0.0) F_bar += (h_ * a) * X_columns_[j].leftCols(m);
    }
    model_.linearize(stage_time(k, stage), X_.col(stage), *ws_);
    if (const double a = tableau_.A(stage, stage); a != 0.0) {
      model_.factorize(h_ * a, *ws_);
      model_.solve_transposed(*ws_, F_bar);
    }
    model_.pullback(*ws_, F_bar, X_columns_[i].leftCols(m), p_bar);
  }
  for (Eigen::Index c = 0; c < m && this->varies_length(); ++c) {
    S bar = (y_bar.col(c).transpose() * (y - y_prev)).value();
    for (std::size_t i = 0; i < n; ++i)
      bar += (X_columns_[i].col(c).transpose() * (X_.col(static_cast<Eigen::Index>(i)) - y_prev)).value();
    this->add_length_bar(bar, p_bar.col(c));
  }
  for (const Matrix& X_bar : X_columns_) y_bar += X_bar.leftCols(m);
}

template <class S>
void RungeKutta<S>::pullback_initial(const Segment&, const ConstColumns& y_bar, Columns p_bar) {
  model_.pullback_initial(y_bar, p_bar);
}

/// Forwards through the stages, with r_i = x_0_dot + h sum_{j < i} a_ij F_j_dot:
///     F_i_dot = (I - h a_ii f_x)^-1 (f_x r_i + f_p p_dot),   x_1_dot = x_0_dot + h sum_i b_i F_i_dot
template <class S>
void RungeKutta<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                      const ConstColumns& p_dot, Columns y_dot) {
  const Eigen::Index m = y_dot.cols();
  reserve_columns(m);
  stage_states(k, y_prev, y);
  const auto n = static_cast<std::size_t>(tableau_.n_stages());
  for (std::size_t i = 0; i < n; ++i) {
    const auto stage = static_cast<Eigen::Index>(i);
    model_.linearize(stage_time(k, stage), X_.col(stage), *ws_);
    auto x_dot = X_columns_[i].leftCols(m);
    auto F_dot = F_columns_[i].leftCols(m);
    x_dot = y_dot;
    for (std::size_t j = 0; j < i; ++j) {
      const double a = tableau_.A(stage, static_cast<Eigen::Index>(j));
      if (a != 0.0) x_dot += (h_ * a) * F_columns_[j].leftCols(m);
    }
    if (this->varies_length()) x_dot += (X_.col(stage) - y_prev) * this->length_directions(p_dot);
    model_.push_forward(*ws_, x_dot, p_dot, F_dot);
    if (const double a = tableau_.A(stage, stage); a != 0.0) {
      model_.factorize(h_ * a, *ws_);
      model_.solve(*ws_, F_dot);
    }
  }
  if (this->varies_length()) y_dot += (y - y_prev) * this->length_directions(p_dot);
  for (std::size_t i = 0; i < n; ++i) {
    y_dot += (h_ * tableau_.b[static_cast<Eigen::Index>(i)]) * F_columns_[i].leftCols(m);
  }
}

template <class S>
void RungeKutta<S>::push_forward_initial(const Segment&, const ConstColumns& p_dot, Columns y_dot) {
  model_.push_forward_initial(p_dot, y_dot);
}

template class RungeKutta<InstantiatedScalar>;

}  // namespace kurbel
