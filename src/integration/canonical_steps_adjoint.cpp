/// Derivatives of the steps: backwards through them, and from these forwards.
#include "base/instantiate.hpp"
#include "integration/canonical_steps.hpp"
#include "integration/increment_rate.hpp"

namespace kurbel {

/// Derivatives of f and c_ddot at the end of a step that was run.
template <class S>
void CanonicalSteps<S>::linearize_end(const DaeInstant<S>& at) {
  this->model_.jacobians(at, *this->ws_, jacobians_);
  if (this->layout_.n_c > 0) this->model_.constraint_derivatives(at, *this->ws_, at_end_);
}

/// Pulls w and lambda at the end back: with [M C^T; C 0] (mu, nu) = (w_bar, lambda_bar),
///     x_bar -= f_x^T mu + c_ddot_x^T nu,   v_bar -= f_v^T mu + c_ddot_v^T nu
/// Call after linearize_end().
template <class S>
void CanonicalSteps<S>::pull_back_acceleration(const DaeInstant<S>& at, const Segment& w_bar,
                                               const Segment& lambda_bar, Eigen::Ref<Vec> p_bar) {
  solve(end_, w_bar, lambda_bar);
  mu_ = -mu_, nu_ = -nu_;
  jacobians_.f_x.add_transposed_product(1.0, mu_, x_bar_);
  jacobians_.f_v.add_transposed_product(1.0, mu_, v_bar_);
  this->model_.pullback(at, mu_, no_multipliers_, *this->ws_, p_bar);
  if (this->layout_.n_c == 0) return;
  x_bar_.noalias() += at_end_.c2_x.transpose() * nu_;
  v_bar_.noalias() += at_end_.c2_v.transpose() * nu_;
  this->model_.pullback_constraints(at, no_multipliers_, no_multipliers_, nu_, *this->ws_, p_bar);
}

/// Pulls v and sigma back; their sensitivities become mu, that of p:
///     [M C^T; C 0] (mu, nu) = (v_bar, sigma_bar),    x_bar -= d(mu . M v + sigma . C mu + nu . c_dot)/dx
/// where C mu = c_dot(mu) - c_dot(0).
template <class S>
void CanonicalSteps<S>::pull_back_velocity(const Stage& stage, Eigen::Ref<Vec> p_bar) {
  solve(stage, v_bar_, sigma_bar_);
  minus_mu_ = -mu_;
  equations_->pull_back_momentum(minus_mu_, *stage.ws, x_bar_, unused_, p_bar);
  if (this->layout_.n_c == 0) return;
  minus_nu_ = -nu_, w2_.setZero();
  equations_->pull_back_constraint_rates(instant(stage, stage.v), minus_nu_, w2_, *aside_, x_bar_, unused_,
                                         p_bar);
  add_constraint_bars(stage, mu_, -1.0, 0.0, p_bar);
  add_bars_at_rest(stage, 1.0, p_bar);
}

/// Adds d(first sigma . c_dot + second sigma . c_ddot) at a velocity v without acceleration: to x_bar, v_bar, p_bar.
template <class S>
void CanonicalSteps<S>::add_constraint_bars(const Stage& stage, const Vec& v, double first, double second,
                                            Eigen::Ref<Vec> p_bar) {
  w1_ = first * stage.sigma, w2_ = second * stage.sigma;
  unused_.setZero();
  equations_->pull_back_constraint_rates(instant(stage, v), w1_, w2_, *aside_, x_bar_, unused_, p_bar);
}

/// Those of sigma . c_dot at rest, which are zero but where constraints vary in time.
template <class S>
void CanonicalSteps<S>::set_bars_at_rest(Stage& stage) {
  if (this->layout_.n_c == 0) return;
  stage.x_at_rest.setZero(this->layout_.n_v), stage.p_at_rest.setZero(this->n_parameters());
  w2_.setZero();
  equations_->pull_back_constraint_rates(instant(stage, at_rest_), stage.sigma, w2_, *aside_, stage.x_at_rest,
                                         unused_, stage.p_at_rest);
  stage.varies_at_rest = !stage.x_at_rest.isZero(0.0) || !stage.p_at_rest.isZero(0.0);
}

template <class S>
void CanonicalSteps<S>::add_bars_at_rest(const Stage& stage, double factor, Eigen::Ref<Vec> p_bar) {
  if (!stage.varies_at_rest) return;
  x_bar_ += factor * stage.x_at_rest;
  p_bar += factor * stage.p_at_rest;
}

/// Pulls w . C_dot^T sigma back, where C_dot w = D_v D_w c + D_w c_t with derivatives along the motions v and w,
/// which are constant in their frames. D_v D_w is symmetric in v and w but for their bracket; with q(v) = c_ddot and
/// r(v) = c_dot, both without acceleration,
///     C_dot w = (q(v + w) - q(v - w)) / 4 + (r([v, w]) - r(0)) / 2
template <class S>
void CanonicalSteps<S>::pull_back_impulses(const Stage& stage, const Vec& w, Eigen::Ref<Vec> p_bar) {
  const ConstraintDerivatives<S>& c = stage.constraints;
  sigma_bar_.noalias() += c.c2_v * w;
  sigma_bar_.noalias() -= c.c1_x * w;
  for (const double sign : {1.0, -1.0}) {
    w_ = stage.v + sign * w;
    add_constraint_bars(stage, w_, 0.0, 0.25 * sign, p_bar);
    v_bar_ += unused_;
  }
  if (stage.blocks.empty()) return;
  bracket<S>(stage.blocks, stage.v, w, w_);
  add_constraint_bars(stage, w_, 0.5, 0.0, p_bar);
  add_bars_at_rest(stage, -0.5, p_bar);
  pull_back_bracket<S>(stage.blocks, w, unused_, v_bar_);
}

/// Pulls k and p_dot back to x_bar, v_bar, sigma_bar and xi_bar.
template <class S>
void CanonicalSteps<S>::pull_back_rates(const Stage& stage, const StageBar& bar, Eigen::Ref<Vec> p_bar) {
  for (Vec* part : {&x_bar_, &v_bar_, &sigma_bar_, &xi_bar_}) part->setZero();
  pull_back_rate_of_increment<S>(stage.blocks, stage.xi, stage.v, bar.k, xi_bar_, v_bar_);
  equations_->pull_back_rate(bar.p_dot, *stage.ws, x_bar_, v_bar_, p_bar);
  if (this->layout_.n_c > 0 && !stage.is_start) pull_back_impulses(stage, bar.p_dot, p_bar);
}

/// From x_bar, xi_bar and mu, the sensitivity of p, to what they were made of.
template <class S>
void CanonicalSteps<S>::pull_back_position(const Stage& stage, double h, const VectorXd& weights) {
  xi_bar_ += x_bar_;
  for (const RetractionBlock<S>& block : stage.blocks) {
    const auto bar = x_bar_.segment(block.offset, block.size());
    xi_bar_.segment(block.offset, block.size()) += block.T.transpose() * bar - bar;
    x0_bar_.segment(block.offset, block.size()) += block.Ad.transpose() * bar - bar;
  }
  x0_bar_ += x_bar_;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    StageBar& before = bars_[static_cast<std::size_t>(j)];
    before.k += (h * weights[j]) * xi_bar_;
    before.p_dot += (h * weights[j]) * mu_;
    if (!this->varies_length()) continue;
    const Stage& rates = stages_[static_cast<std::size_t>(j)];
    length_bar_ += (h * weights[j]) * (xi_bar_.transpose() * rates.k + mu_.transpose() * rates.p_dot).value();
  }
}

/// Through the last run: sensitivities by x and v at its end to such at its start.
template <class S>
void CanonicalSteps<S>::pull_back_run(double h, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                      Eigen::Ref<Vec> p_bar) {
  for (StageBar& bar : bars_) bar.k.setZero(), bar.p_dot.setZero();
  xi_bar_.setZero(), sigma_bar_.setZero();
  length_bar_ = S(0);
  x_bar_ = x_bar, v_bar_ = v_bar;
  pull_back_velocity(end_, p_bar);
  x0_bar_.setZero(), p0_bar_ = mu_;
  pull_back_position(end_, h, weights_.back());
  for (std::size_t i = stages_.size() - 1; i > 0; --i) {
    pull_back_rates(stages_[i], bars_[i], p_bar);
    pull_back_velocity(stages_[i], p_bar);
    p0_bar_ += mu_;
    pull_back_position(stages_[i], h, weights_[i]);
  }
  pull_back_rates(stages_.front(), bars_.front(), p_bar);
  equations_->pull_back_momentum(p0_bar_, *stages_.front().ws, x_bar_, v_bar_, p_bar);
  x_bar = x0_bar_ + x_bar_, v_bar = v_bar_;
  if (this->varies_length()) this->add_length_bar(length_bar_, p_bar);
}

template <class S>
void CanonicalSteps<S>::require_steps_to_the_output() const {
  if (this->options_.dense_output)
    throw InputError(
        "integrator.dense_output lets steps pass the instants of the output: they have no discrete adjoint "
        "and no direct differentiation");
}

template <class S>
void CanonicalSteps<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                                      Columns p_bar) {
  require_steps_to_the_output();
  const DaeStateLayout& l = this->layout_;
  const Eigen::Index n = l.n_v;
  set_parts(k);
  const std::vector<double>& ends = tableau_.error.size() > 0 ? taken_[static_cast<std::size_t>(k)] : parts_;
  const auto start = [&](std::size_t i) { return i == 0 ? this->time(k - 1) : ends[i - 1]; };
  const auto m = std::ssize(ends);
  if (x_starts_.cols() < m) x_starts_.resize(l.n_x, m), v_starts_.resize(n, m);
  x_starts_.col(0) = l.x(y_prev), v_starts_.col(0) = l.v(y_prev);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    run(start(i), ends[i], x_starts_.col(at), v_starts_.col(at));
    x_starts_.col(at + 1) = end_.x, v_starts_.col(at + 1) = end_.v;
  }
  const DaeInstant<S> at = l.template instant<S>(this->time(k), y);
  bool is_linearized = false;
  for (std::size_t i = ends.size(); i-- > 0;) {
    const auto part = static_cast<Eigen::Index>(i);
    run(start(i), ends[i], x_starts_.col(part), v_starts_.col(part));
    for (std::size_t j = 1; j < stages_.size(); ++j) set_bars_at_rest(stages_[j]);
    set_bars_at_rest(end_);
    for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
      auto bar = y_bar.col(j);
      if (i + 1 == ends.size() && !bar.tail(n + l.n_c).isZero(0.0)) {
        x_bar_ = bar.head(n), v_bar_ = bar.segment(n, n);
        if (!is_linearized) linearize_end(at);
        is_linearized = true;
        pull_back_acceleration(at, bar.segment(2 * n, n), bar.tail(l.n_c), p_bar.col(j));
        bar.head(n) = x_bar_, bar.segment(n, n) = v_bar_;
        bar.tail(n + l.n_c).setZero();
      }
      pull_back_run(ends[i] - start(i), bar.head(n), bar.segment(n, n), p_bar.col(j));
    }
  }
}

/// Directions of x and v by the transposed derivative of the step; then
///     [M C^T; C 0] (w_dot, lambda_dot) = -d(f, c_ddot) along (x_dot, v_dot, p_dot)
template <class S>
void CanonicalSteps<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                          const ConstColumns& p_dot, Columns y_dot) {
  const DaeStateLayout& l = this->layout_;
  const Eigen::Index n = l.n_v, m = p_dot.cols();
  Matrix by_state = Matrix::Zero(this->n_tangent(), 2 * n), by_parameters = Matrix::Zero(p_dot.rows(), 2 * n);
  by_state.topRows(2 * n).setIdentity();
  pullback_step(k, y_prev, y, by_state, by_parameters);
  auto x_dot = y_dot.topRows(n), v_dot = y_dot.middleRows(n, n);
  y_dot.topRows(2 * n) =
      (by_state.topRows(2 * n).transpose() * y_dot.topRows(2 * n) + by_parameters.transpose() * p_dot).eval();

  const DaeInstant<S> at = l.template instant<S>(this->time(k), y);
  linearize_end(at);
  Matrix rates(n + l.n_c, m);
  this->model_.push_forward(at, p_dot, *this->ws_, rates.topRows(n), rates.bottomRows(l.n_c));
  jacobians_.f_x.add_product(1.0, x_dot, rates.topRows(n));
  jacobians_.f_v.add_product(1.0, v_dot, rates.topRows(n));
  if (l.n_c > 0) {
    ConstraintDirections<S> along;
    along.resize(l.n_c, m);
    this->model_.push_forward_constraints(at, p_dot, *this->ws_, along);
    rates.bottomRows(l.n_c) = along.c2 + at_end_.c2_x * x_dot + at_end_.c2_v * v_dot;
  }
  place(end_, at.t, at.x);
  equations_->solve(*end_.ws, rates);
  y_dot.middleRows(2 * n, n) = -rates.topRows(n);
  y_dot.bottomRows(l.n_c) = -rates.bottomRows(l.n_c);
}

#define KURBEL_INSTANTIATE(S)                                                                           \
  template void CanonicalSteps<S>::pullback_step(Eigen::Index, const Segment&, const Segment&, Columns, \
                                                 Columns);                                              \
  template void CanonicalSteps<S>::push_forward_step(Eigen::Index, const Segment&, const Segment&,      \
                                                     const ConstColumns&, Columns);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
