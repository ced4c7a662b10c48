#include "integration/canonical_steps.hpp"

#include <algorithm>
#include <limits>

#include "base/instantiate.hpp"
#include "integration/increment_rate.hpp"

namespace kurbel {

namespace {

template <class S>
std::vector<double> jumps_and_kinks(const SecondOrderDae<S>& model, const IntegratorOptions& options) {
  std::vector<double> times = model.jumps(options.t0, options.t1);
  const std::vector<double> kinks = model.kinks(options.t0, options.t1);
  times.insert(times.end(), kinks.begin(), kinks.end());
  return times;
}

}  // namespace

template <class S>
CanonicalSteps<S>::CanonicalSteps(std::shared_ptr<const CanonicalEquations<S>> equations,
                                  const IntegratorOptions& options)
    : Base(std::shared_ptr<const SecondOrderDae<S>>(equations, &equations->dae()), options, 1),
      equations_(std::move(equations)),
      tableau_(ButcherTableau::of(options.method)),
      stages_(static_cast<std::size_t>(tableau_.n_stages())),
      bars_(stages_.size()),
      at_rest_(Vec::Zero(this->layout_.n_v)),
      no_multipliers_(Vec::Zero(this->layout_.n_c)),
      jacobians_(this->model_.make_jacobians()),
      ends_(jumps_and_kinks(this->model_, this->options_), this->h_) {
  if (tableau_.is_implicit())
    throw InputError("Hamilton's equations take explicit methods; use runge-kutta-4");
  for (Eigen::Index i = 0; i < tableau_.n_stages(); ++i)
    weights_.push_back(tableau_.A.row(i).head(i).transpose());
  weights_.push_back(tableau_.b);
  const Eigen::Index n_v = this->layout_.n_v, n_c = this->layout_.n_c;
  const auto prepare = [&](Stage& stage) {
    stage.ws = equations_->make_canonical_workspace();
    stage.x.setZero(this->layout_.n_x);
    for (Vec* part : {&stage.v, &stage.M_v, &stage.g, &stage.xi, &stage.p, &stage.k, &stage.p_dot})
      part->setZero(n_v);
    stage.sigma.setZero(n_c);
    stage.constraints.resize(n_v, n_c);
  };
  std::ranges::for_each(stages_, prepare);
  prepare(end_);
  if (options.dense_output) prepare(between_);
  for (StageBar& bar : bars_) bar.k.setZero(n_v), bar.p_dot.setZero(n_v);
  aside_ = equations_->make_canonical_workspace();
  at_end_.resize(n_v, n_c);
  rhs_.resize(n_v + n_c, 1);
  for (Vec* part : {&x_bar_, &v_bar_, &xi_bar_, &mu_, &unused_, &x0_bar_, &p0_bar_, &minus_mu_, &w_})
    part->setZero(n_v);
  for (Vec* part : {&minus_nu_, &w1_, &w2_}) part->setZero(n_c);
  for (Vec* x : {&x0_, &x_new_}) x->setZero(this->layout_.n_x);
  v0_.setZero(n_v);
  taken_.resize(static_cast<std::size_t>(this->n_steps_) + 1);
  sigma_bar_.setZero(n_c);
}

/// 3/8, 7/6, 23/24, 1, 1, ... from both ends, which integrates cubics; the trapezoidal rule for few steps.
template <class S>
double CanonicalSteps<S>::quadrature_weight(Eigen::Index k) const {
  const Eigen::Index from_end = std::min(k, this->n_steps_ - k);
  if (this->n_steps_ < 5) return from_end == 0 ? 0.5 * this->h_ : this->h_;
  constexpr double ends[] = {3.0 / 8.0, 7.0 / 6.0, 23.0 / 24.0};
  return from_end < 3 ? ends[from_end] * this->h_ : this->h_;
}

template <class S>
Status CanonicalSteps<S>::initial_state(Eigen::Ref<Vec> y0) {
  for (Stage& stage : stages_) stage.is_placed = false;
  end_.is_placed = between_.is_placed = false;
  next_ = largest_momentum_ = 0.0;
  n_steps_taken_ = 0;
  return Base::initial_state(y0);
}

template <class S>
DaeInstant<S> CanonicalSteps<S>::instant(const Stage& stage, const Segment& v) const {
  return {stage.t, stage.x, v, at_rest_, no_multipliers_};
}

/// @return a coordinate without inertia, or -1
template <class S>
Eigen::Index CanonicalSteps<S>::place(Stage& stage, const OneSidedTime& t, const Segment& x) {
  if (stage.is_placed && stage.t.is(t) && stage.x == x) return -1;
  stage.t = t, stage.x = x;
  const Eigen::Index singular = equations_->set_position(t, x, *stage.ws);
  stage.is_placed = singular < 0;
  stage.is_moving = false;
  return singular;
}

template <class S>
void CanonicalSteps<S>::set_velocity(Stage& stage, const Segment& v) {
  if (stage.is_moving && stage.v == v) return;
  stage.v = v;
  if (this->layout_.n_c > 0)
    this->model_.constraint_derivatives(instant(stage, stage.v), *this->ws_, stage.constraints);
  equations_->momenta(stage.v, *stage.ws, stage.M_v, stage.g);
  stage.is_moving = true;
}

/// v and sigma from p.
template <class S>
void CanonicalSteps<S>::velocity_of_momentum(Stage& stage) {
  solve(stage, stage.p, -equations_->constraint_rates(*stage.ws));
  stage.sigma = nu_;
  set_velocity(stage, mu_);
}

/// C_dot = c_ddot_v - c_dot_x, for c_ddot = C v_dot + C_dot v.
template <class S>
void CanonicalSteps<S>::add_rates(Stage& stage) {
  stage.p_dot = stage.g;
  if (this->layout_.n_c > 0 && !stage.is_start) {
    stage.p_dot.noalias() += stage.constraints.c2_v.transpose() * stage.sigma;
    stage.p_dot.noalias() -= stage.constraints.c1_x.transpose() * stage.sigma;
  }
  rate_of_increment<S>(stage.blocks, stage.xi, stage.v, stage.k);
}

/// The first stage. Where a step ended the next one begins, and, backwards, the other way round: what is known
/// there stays.
template <class S>
Eigen::Index CanonicalSteps<S>::begin(double t, const Segment& x0, const Segment& v0) {
  std::swap(stages_.front(), end_);
  Stage& stage = stages_.front();
  x_new_ = x0;
  if (const Eigen::Index singular = place(stage, this->jumps_.begin_at(t), x0); singular >= 0)
    return singular;
  set_velocity(stage, v0);
  stage.is_start = true;
  stage.xi.setZero(), stage.sigma.setZero(), stage.blocks.clear();
  stage.p = stage.M_v;
  add_rates(stage);
  return -1;
}

/// A stage, the end, or what lies between, of a step h from the rates of those before; the last weight may be that of
/// the end's rates.
template <class S>
Eigen::Index CanonicalSteps<S>::advance(Stage& stage, double t, double h, const VectorXd& weights) {
  const Stage& start = stages_.front();
  stage.is_start = false;
  stage.xi.setZero();
  stage.p = start.p;
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0.0) continue;
    const Stage& before = j < std::ssize(stages_) ? stages_[static_cast<std::size_t>(j)] : end_;
    stage.xi += (h * weights[j]) * before.k;
    stage.p += (h * weights[j]) * before.p_dot;
  }
  this->model_.retraction_derivative(stage.xi, stage.blocks);
  this->model_.retract(start.x, stage.xi, x_new_);
  if (const Eigen::Index singular = place(stage, t, x_new_); singular >= 0) return singular;
  velocity_of_momentum(stage);
  add_rates(stage);
  return -1;
}

namespace {

constexpr std::size_t most_steps = 10000;  // from one output to the next

}  // namespace

/// All stages of a step from t to t1, and its end.
/// @return a coordinate without inertia, or -1
template <class S>
Eigen::Index CanonicalSteps<S>::run(double t, double t1, const Segment& x0, const Segment& v0) {
  const double h = t1 - t;
  if (const Eigen::Index singular = begin(t, x0, v0); singular >= 0) return singular;
  for (std::size_t i = 1; i < stages_.size(); ++i) {
    const double t_i = t + tableau_.c[static_cast<Eigen::Index>(i)] * h;
    if (const Eigen::Index singular = advance(stages_[i], t_i, h, weights_[i]); singular >= 0)
      return singular;
  }
  return advance(end_, t1, h, weights_.back());
}

/// Estimate of that of the last run, 1: as large as it may be.
template <class S>
double CanonicalSteps<S>::error(double h) {
  xi_bar_ = (h * tableau_.error[std::ssize(stages_)]) * end_.k;
  v_bar_ = (h * tableau_.error[std::ssize(stages_)]) * end_.p_dot;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const double weight = h * tableau_.error[static_cast<Eigen::Index>(i)];
    xi_bar_ += weight * stages_[i].k, v_bar_ += weight * stages_[i].p_dot;
  }
  if (!xi_bar_.allFinite() || !v_bar_.allFinite() || !end_.p.allFinite())
    return std::numeric_limits<double>::infinity();
  // Driven coordinates have momenta M v, and none in p.
  momentum_tried_ = std::max({largest_momentum_, end_.p.template lpNorm<Eigen::Infinity>(),
                              end_.M_v.template lpNorm<Eigen::Infinity>(),
                              h * end_.p_dot.template lpNorm<Eigen::Infinity>(), 1e-300});
  constexpr double negligible = 1e-6;
  const double tolerance = this->options_.tolerance;
  double of_momentum = v_bar_.template lpNorm<Eigen::Infinity>() / momentum_tried_;
  if (of_momentum > tolerance) of_momentum = std::min(of_momentum, error_of_velocity(v_bar_) / negligible);
  return std::max(xi_bar_.template lpNorm<Eigen::Infinity>(), of_momentum) / tolerance;
}

/// How far an error of the momentum at the end of a step moves a coordinate until the end of the motion. A mechanism
/// that leaves rest has no momentum yet to compare its error with.
template <class S>
double CanonicalSteps<S>::error_of_velocity(const Segment& of_momentum) {
  solve(end_, of_momentum, no_multipliers_);
  return (this->options_.t1 - this->options_.t0) * mu_.template lpNorm<Eigen::Infinity>();
}

template <class S>
Status CanonicalSteps<S>::too_small(double t) const {
  return this->failure(t, "the error requested takes steps that are far too small", end_.v,
                       "look for stiff springs or contacts, for which implicit methods are made, or raise "
                       "integrator.tolerance");
}

/// One step from t, where x0_ and v0_ are, to t1 at most, as long as the error allows; all three move on.
template <class S>
Status CanonicalSteps<S>::run_once(double& t, double t1) {
  constexpr double safety = 0.9, least = 0.2, most = 5.0;
  const double smallest = 1e-12 * std::max(this->h_, std::abs(t1));
  if (next_ <= 0.0) next_ = this->h_;
  for (;;) {
    const bool is_last = next_ >= t1 - t;
    const double end = is_last ? t1 : t + next_, h = end - t;
    const Eigen::Index singular = run(t, end, x0_, v0_);
    const double e = singular < 0 ? error(h) : std::numeric_limits<double>::infinity();
    const double factor = std::isfinite(e) ? safety * std::pow(std::max(e, 1e-10), -0.2) : least;
    if (e <= 1.0) {
      t = end;
      x0_ = end_.x, v0_ = end_.v;
      largest_momentum_ = momentum_tried_;
      ++n_steps_taken_;
      if (!is_last || factor < 1.0) next_ = h * std::clamp(factor, least, most);
      return {};
    }
    next_ = h * std::clamp(factor, least, 1.0);
    if (next_ > smallest) continue;
    return singular >= 0 ? failure_at(t, singular) : too_small(t);
  }
}

/// A step is one part unless forces, or the rates of controls, jump within it.
template <class S>
void CanonicalSteps<S>::set_parts(Eigen::Index k) {
  const double end = this->time(k);
  parts_.clear();
  for (double t = this->time(k - 1); t < end; t = parts_.back()) parts_.push_back(ends_.next(t, end));
}

/// From x0_ and v0_ at t to t1, between which forces do not jump.
template <class S>
Status CanonicalSteps<S>::run_to(double t1, double t, std::vector<double>& taken) {
  if (tableau_.error.size() == 0) {
    if (const Eigen::Index singular = run(t, t1, x0_, v0_); singular >= 0) return failure_at(t, singular);
    x0_ = end_.x, v0_ = end_.v;
    return {};
  }
  while (t1 - t > 1e-12 * std::max(this->h_, std::abs(t1))) {
    if (taken.size() >= most_steps) return too_small(t);
    if (Status s = run_once(t, t1); s.failed()) return s;
    taken.push_back(t);
  }
  return {};
}

/// From where the last step ended until t1 lies within one, or at its end.
template <class S>
Status CanonicalSteps<S>::run_past(double t1) {
  const long before = n_steps_taken_;
  while (t1 - free_end_ > 1e-12 * std::max(this->h_, std::abs(t1))) {
    if (n_steps_taken_ - before >= static_cast<long>(most_steps)) return too_small(free_end_);
    const double from = free_end_;
    const double end = ends_.next(free_end_, this->time(this->n_steps_));
    if (Status s = run_once(free_end_, end); s.failed()) return s;
    free_length_ = free_end_ - from;
  }
  return {};
}

template <class S>
Status CanonicalSteps<S>::failure_at(double t, Eigen::Index singular) const {
  // rad or m within a step: beyond, s^T I s about one point for all has few digits left.
  constexpr double farthest = 1e4;
  const Vec moved = x_new_ - stages_.front().x;
  if (!moved.allFinite() || moved.template lpNorm<Eigen::Infinity>() > farthest) return diverged(t);
  return Failure{.what = "a coordinate moves no inertia, or loops have come into a singular position",
                 .where = this->model_.coordinate_name(singular),
                 .advice =
                     "give the bodies at the ends of chains mass and inertia, check the joints for a dead "
                     "centre, or start "
                     "elsewhere",
                 .time = t};
}

template <class S>
Status CanonicalSteps<S>::diverged(double t) const {
  return this->failure(
      t, "the motion has diverged", end_.v,
      "reduce integrator.step, or choose an implicit method: explicit ones fail where springs or "
      "contacts are stiff");
}

/// y where a step ended, or between.
template <class S>
void CanonicalSteps<S>::finish(Stage& at, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = this->layout_;
  l.x(y) = at.x, l.v(y) = at.v;
  equations_->force(*at.ws, x_bar_);
  solve(at, -x_bar_, -at.constraints.c2);
  l.w(y) = mu_, l.lambda(y) = nu_;
}

template <class S>
Status CanonicalSteps<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = this->layout_;
  const double t0 = this->time(k - 1), t1 = this->time(k);
  if (this->options_.dense_output) return step_densely(k, y_prev, y);
  x0_ = l.x(y_prev), v0_ = l.v(y_prev);
  std::vector<double>& taken = taken_[static_cast<std::size_t>(k)];
  taken.clear();
  set_parts(k);
  double t = t0;
  for (const double end : parts_) {
    if (Status s = run_to(end, t, taken); s.failed()) return s;
    t = end;
  }
  finish(end_, y);
  return y.allFinite() ? Status{} : diverged(t1);
}

/// Steps follow each other from the start of the motion on.
template <class S>
Status CanonicalSteps<S>::step_densely(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const double t = this->time(k);
  if (k == 1) {
    x0_ = this->layout_.x(y_prev), v0_ = this->layout_.v(y_prev);
    free_end_ = this->time(0);
  }
  if (Status s = run_past(t); s.failed()) return s;
  const double theta = 1.0 - (free_end_ - t) / free_length_;
  const Eigen::Index singular = advance(between_, t, free_length_, tableau_.weights_at(theta));
  if (singular >= 0) return failure_at(t, singular);
  finish(between_, y);
  return y.allFinite() ? Status{} : diverged(t);
}

#define KURBEL_INSTANTIATE(S)                                                                  \
  template CanonicalSteps<S>::CanonicalSteps(std::shared_ptr<const CanonicalEquations<S>>,     \
                                             const IntegratorOptions&);                        \
  template double CanonicalSteps<S>::quadrature_weight(Eigen::Index) const;                    \
  template Status CanonicalSteps<S>::initial_state(Eigen::Ref<Vec>);                           \
  template Status CanonicalSteps<S>::step(Eigen::Index, const Segment&, Eigen::Ref<Vec>);      \
  template DaeInstant<S> CanonicalSteps<S>::instant(const Stage&, const Segment&) const;       \
  template Eigen::Index CanonicalSteps<S>::place(Stage&, const OneSidedTime&, const Segment&); \
  template void CanonicalSteps<S>::set_parts(Eigen::Index);                                    \
  template Eigen::Index CanonicalSteps<S>::run(double, double, const Segment&, const Segment&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
