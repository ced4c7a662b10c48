#include "integration/generalized_alpha.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

template <class Vec>
double largest_of(const Vec& v) {
  return v.size() > 0 ? double(v.template lpNorm<Eigen::Infinity>()) : 0.0;
}

/// The norms of a correction of w_1 and lambda_1.
struct Correction {
  double size = 0.0, kinetic = 0.0;  ///< of w_1: its largest number, and its kinetic norm
  double of_multipliers = 0.0;       ///< the largest number

  /// True if more than rounding remains after this correction, when the next one contracts as this one did.
  /// @param largest      of w_1
  /// @param floor        below which corrections of w_1 are rounding
  /// @param multipliers  the largest of lambda_1, if they have to converge, too; else infinite
  bool leaves_more_than_rounding(const Correction& former, double largest, double floor,
                                 double multipliers) const {
    constexpr double rounding = 1e-14, rounding_of_multipliers = 1e-12, noise_of_multipliers = 1e-9;
    if (size * size > (rounding * largest + floor) * former.size) return true;
    // Positions to rounding determine multipliers to that over the square of the step, which contracts no further.
    const bool is_noise = size <= floor && of_multipliers <= noise_of_multipliers * multipliers;
    return multipliers < infinite && !is_noise &&
           of_multipliers * of_multipliers > rounding_of_multipliers * multipliers * former.of_multipliers;
  }
};

}  // namespace

template <class S>
GeneralizedAlpha<S>::GeneralizedAlpha(Shared<const SecondOrderDae<S>> model, const IntegratorOptions& options)
    : Base(std::move(model), options, 2),
      linearized_(make_linearized_dae(model_, options.linear_solver)),
      residual_(layout_.n_v + layout_.n_c),
      correction_(layout_.n_v + layout_.n_c),
      xi_(layout_.n_v) {
  const double rho = options.rho_inf;
  alpha_m_ = (2.0 * rho - 1.0) / (rho + 1.0);
  alpha_f_ = rho / (rho + 1.0);
  gamma_ = 0.5 - alpha_m_ + alpha_f_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  c_w1_ = (1.0 - alpha_f_) / (1.0 - alpha_m_);
  c_w0_ = alpha_f_ / (1.0 - alpha_m_);
  c_a0_ = -alpha_m_ / (1.0 - alpha_m_);
  for (Vec* v : {&mu_, &minus_mu_}) v->setZero(layout_.n_v + layout_.n_c);
  for (Vec* v : {&x_bar_, &v_bar_, &a_bar_, &xi_bar_}) v->setZero(layout_.n_v);
  nu_.setZero(layout_.n_c);
}

template <class S>
Status GeneralizedAlpha<S>::initial_state(Eigen::Ref<Vec> y0) {
  linearized_->forget();
  linearized_step_ = 0;
  return Base::initial_state(y0);
}

/// K = [M + h gamma c_w1 f_v + h^2 beta c_w1 f_x T, C^T; C T, 0], the constraint rows over h^2 beta c_w1.
template <class S>
bool GeneralizedAlpha<S>::factorize(const Segment& xi) {
  model_.retraction_derivative(xi, blocks_);
  return linearized_->factorize(blocks_, h_ * gamma_ * c_w1_, h_ * h_ * beta_ * c_w1_);
}

/// v_1, a_1 and x_1 that go with w_1.
template <class S>
void GeneralizedAlpha<S>::follow(const Segment& y_prev, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = layout_;
  const auto v0 = l.v(y_prev), w0 = l.w(y_prev), a0 = l.a(y_prev);
  auto a = l.a(y);
  a = c_w1_ * l.w(y) + c_w0_ * w0 + c_a0_ * a0;
  xi_ = h_ * v0 + (h_ * h_ * (0.5 - beta_)) * a0 + (h_ * h_ * beta_) * a;
  l.v(y) = v0 + (h_ * (1.0 - gamma_)) * a0 + (h_ * gamma_) * a;
  model_.retract(l.x(y_prev), xi_, l.x(y));
}

template <class S>
void GeneralizedAlpha<S>::guess(Guess kind, const Segment& y_prev, Eigen::Ref<Vec> y) {
  const DaeStateLayout& l = layout_;
  const auto v0 = l.v(y_prev), w0 = l.w(y_prev), a0 = l.a(y_prev);
  auto w = l.w(y), a = l.a(y);
  w = w0;
  l.lambda(y) = l.lambda(y_prev);
  if (kind == Guess::extrapolated) {
    this->extrapolate(y_prev, y);
  } else if (kind != Guess::same_acceleration) {
    a = -((0.5 - beta_) / beta_) * a0;
    if (kind == Guess::same_position) a -= v0 / (h_ * beta_);
    w = (a - c_w0_ * w0 - c_a0_ * a0) / c_w1_;
  }
  follow(y_prev, y);
}

/// From a guess of w_1 and lambda_1. What moves away from it is no solution near it, and Newton's iteration
/// may then end at another solution of the same equations: that is a failure.
template <class S>
auto GeneralizedAlpha<S>::iterate(Guess kind, double t, const Segment& y_prev, Eigen::Ref<Vec> y,
                                  bool is_linearized) -> Outcome {
  const DaeStateLayout& l = layout_;
  const auto x0 = l.x(y_prev);
  const auto x = l.x(y), v = l.v(y);
  auto w = l.w(y), lambda = l.lambda(y);
  guess(kind, y_prev, y);
  // A correction of the accelerations that moves no coordinate by more than this is round-off, of positions
  // in whatever unit.
  const double floor = 1e-13 / (h_ * h_) * std::max(1.0, x0.template lpNorm<Eigen::Infinity>());
  // Factors of one iteration serve the next ones of a step that begins near its end, as long as these contract as
  // they should; so do those of a step before, if they are there. With those, multipliers have to converge as well:
  // accelerations of what turns at a constant rate may be right at once, and do not show that C has turned.
  constexpr double contraction = 0.02;
  double first = 0.0;
  Correction former;
  bool was_small = false, serves = is_linearized;
  for (int iteration = 1; iteration <= options_.max_newton_iterations; ++iteration) {
    ++newton_iterations_;
    iterations_ = iteration;
    const DaeInstant<S> at{t, x, v, w, lambda};
    if (serves) {
      model_.residual(at, *ws_, residual_.head(l.n_v), residual_.tail(l.n_c));
    } else {
      is_linearized = false;
      linearized_->linearize(at, *ws_, residual_.head(l.n_v), residual_.tail(l.n_c));
      if (!factorize(xi_)) return Outcome::singular;
    }
    residual_.tail(l.n_c) /= h_ * h_ * beta_ * c_w1_;
    linearized_->solve(residual_, correction_);
    w -= correction_.head(l.n_v);
    lambda -= correction_.tail(l.n_c);
    follow(y_prev, y);
    Correction own{correction_.head(l.n_v).template lpNorm<Eigen::Infinity>(), 0.0,
                   largest_of(correction_.tail(l.n_c))};
    if (!std::isfinite(own.size)) break;
    const double largest = w.template lpNorm<Eigen::Infinity>();
    const bool is_left = serves && own.leaves_more_than_rounding(
                                       former, largest, floor, is_linearized ? largest_of(lambda) : infinite);
    const bool is_close = own.size <= options_.newton_tolerance * largest + floor,
               small = is_close && !is_left;
    // Complex step: the imaginary part converges one iteration behind the real one.
    if (was_small || (small && std::is_same_v<S, double>)) return Outcome::converged;
    was_small = small;
    // Growth is that of a norm without units: the largest number may be a displacement in millimetres or a turn.
    own.kinetic = linearized_->kinetic_norm(correction_.head(l.n_v));
    if (iteration == 1) first = own.kinetic;
    if (iteration > 1 && !is_close && own.kinetic > largest_growth(kind) * first) break;
    // Factors that served go on if corrections contract in both norms, others if one is small beside the accelerations:
    // beside displacements in millimetres, large corrections of turns are small numbers.
    const bool goes_on = serves && iteration > 1;
    const bool contracts =
        own.size < contraction * (goes_on ? former.size : largest) &&
        own.kinetic <= contraction * (goes_on ? former.kinetic : linearized_->kinetic_norm(w));
    serves = std::is_same_v<S, double> && contracts;
    former = own;
  }
  return Outcome::astray;
}

template <class S>
Status GeneralizedAlpha<S>::advance(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  // If factors of an earlier step take more iterations than this, new ones are cheaper for some steps.
  constexpr int most_iterations = 4, steps_of_new_factors = 8;
  const double t = this->time(k);
  bool is_singular = false, converges = false;
  // A complex step needs derivatives of its own.
  const bool is_linearized =
      std::exchange(linearized_step_, 0) == k - 1 && k > 1 && std::is_same_v<S, double>;
  if (k == 1) keeps_from_ = 0;
  if (is_linearized) {
    const Guess kind = this->can_extrapolate(k) ? Guess::extrapolated : Guess::same_acceleration;
    converges = iterate(kind, t, y_prev, y, true) == Outcome::converged;
    if (!converges || iterations_ > most_iterations) keeps_from_ = k + steps_of_new_factors;
  }
  for (const Guess kind : {Guess::same_acceleration, Guess::same_velocity, Guess::same_position}) {
    if (converges) break;
    const Outcome outcome = iterate(kind, t, y_prev, y, false);
    converges = outcome == Outcome::converged;
    is_singular = is_singular || outcome == Outcome::singular;
  }
  if (converges) {
    if (!model_.has_cheap_jacobians() && k >= keeps_from_) linearized_step_ = k;
    return {};
  }
  if (is_singular) {
    return this->failure(t, "the mechanism is in a singular position, or its motion has diverged",
                         correction_.head(layout_.n_v),
                         "check the joints for a dead centre, reduce integrator.step, or start elsewhere");
  }
  if (Status s = this->failure_near_dead_centre(k, y_prev); s.failed()) return s;
  return this->failure(
      t, "Newton's iteration does not converge", correction_.head(layout_.n_v),
      "reduce integrator.step or integrator.rho_inf, or check loads and stiffness for extreme values");
}

/// h d xi/dh, with the accelerations held.
template <class S>
auto GeneralizedAlpha<S>::xi_by_length(const Segment& y_prev, const Segment& y) const -> Vec {
  const DaeStateLayout& l = layout_;
  return h_ * l.v(y_prev) + (h_ * h_ * (1.0 - 2.0 * beta_)) * l.a(y_prev) + (2.0 * h_ * h_ * beta_) * l.a(y);
}

/// Jacobians, retraction blocks and factors at a step that was taken.
/// @return whether the matrix is regular
template <class S>
bool GeneralizedAlpha<S>::linearize_step(const DaeInstant<S>& at, const Segment& y_prev, const Segment& y) {
  const DaeStateLayout& l = layout_;
  xi_ = h_ * l.v(y_prev) + (h_ * h_ * (0.5 - beta_)) * l.a(y_prev) + (h_ * h_ * beta_) * l.a(y);
  linearized_->differentiate(at, *ws_);
  return factorize(xi_);
}

template <class S>
void GeneralizedAlpha<S>::pull_back_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                            Columns y_bar, Columns p_bar) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v;
  const DaeInstant<S> at = l.instant<S>(this->time(k), y);
  linearized_step_ = 0;
  linearize_step(at, y_prev, y);

  // In place: bar <- T^T bar, bar <- Ad^T bar.
  const auto apply = [&](auto member, Vec& bar) {
    for (const auto& block : blocks_) {
      with_size(block.*member, [&](const auto& D, auto n) {
        const Eigen::Matrix<S, std::decay_t<decltype(D)>::RowsAtCompileTime, 1, 0, 6, 1> part =
            bar.segment(block.offset, n);
        bar.segment(block.offset, n).noalias() = D.transpose() * part;
      });
    }
  };
  for (Eigen::Index column = 0; column < y_bar.cols(); ++column) {
    auto bar = y_bar.col(column);
    x_bar_ = bar.head(n);
    v_bar_ = bar.segment(n, n);
    // Right-hand side: everything that w_1 reaches through a_1, and lambda_1.
    xi_bar_ = x_bar_;
    apply(&RetractionBlock<S>::T, xi_bar_);
    a_bar_ = bar.segment(3 * n, n) + (h_ * gamma_) * v_bar_ + (h_ * h_ * beta_) * xi_bar_;
    correction_.head(n) = bar.segment(2 * n, n) + c_w1_ * a_bar_;
    correction_.tail(l.n_c) = bar.tail(l.n_c);
    linearized_->solve_transposed(correction_, mu_);
    nu_ = mu_.tail(l.n_c) / (h_ * h_ * beta_ * c_w1_);

    linearized_->subtract_transposed_product(mu_.head(n), nu_, x_bar_, v_bar_);
    minus_mu_ = -mu_;
    nu_ = -nu_;
    model_.pullback(at, minus_mu_.head(n), nu_, *ws_, p_bar.col(column));

    xi_bar_ = x_bar_;
    apply(&RetractionBlock<S>::T, xi_bar_);
    a_bar_ = bar.segment(3 * n, n) + (h_ * gamma_) * v_bar_ + (h_ * h_ * beta_) * xi_bar_;
    if (this->varies_length())
      this->add_length_bar(
          (xi_bar_.transpose() * xi_by_length(y_prev, y) + v_bar_.transpose() * (l.v(y) - l.v(y_prev)))
              .value(),
          p_bar.col(column));
    apply(&RetractionBlock<S>::Ad, x_bar_);
    bar.head(n) = x_bar_;
    bar.segment(n, n) = v_bar_ + h_ * xi_bar_;
    bar.segment(2 * n, n) = c_w0_ * a_bar_;
    bar.segment(3 * n, n) =
        c_a0_ * a_bar_ + (h_ * (1.0 - gamma_)) * v_bar_ + (h_ * h_ * (0.5 - beta_)) * xi_bar_;
    bar.tail(l.n_c).setZero();
  }
}

template <class S>
void GeneralizedAlpha<S>::push_forward_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                               const ConstColumns& p_dot, Columns y_dot) {
  const DaeStateLayout& l = layout_;
  const Eigen::Index n = l.n_v;
  const DaeInstant<S> at = l.instant<S>(this->time(k), y);
  linearized_step_ = linearize_step(at, y_prev, y) ? k : 0;

  auto x = y_dot.topRows(n), v = y_dot.middleRows(n, n), w = y_dot.middleRows(2 * n, n),
       a = y_dot.middleRows(3 * n, n), lambda = y_dot.bottomRows(l.n_c);
  // With w_1 held.
  a_dot_ = c_w0_ * w + c_a0_ * a;
  xi_dot_ = h_ * v + (h_ * h_ * (0.5 - beta_)) * a + (h_ * h_ * beta_) * a_dot_;
  v_dot_ = v + (h_ * (1.0 - gamma_)) * a + (h_ * gamma_) * a_dot_;
  if (this->varies_length()) {
    xi_dot_ += xi_by_length(y_prev, y) * this->length_directions(p_dot);
    v_dot_ += (l.v(y) - l.v(y_prev)) * this->length_directions(p_dot);
  }
  x_dot_ = x + xi_dot_;
  for (const auto& block : blocks_) {
    with_size(block.T, [&](const auto& T, auto n) {
      x_dot_.middleRows(block.offset, n).noalias() = T * xi_dot_.middleRows(block.offset, n);
    });
    with_size(block.Ad, [&](const auto& Ad, auto n) {
      x_dot_.middleRows(block.offset, n).noalias() += Ad * x.middleRows(block.offset, n);
    });
  }

  rhs_.resize(n + l.n_c, p_dot.cols());
  model_.push_forward(at, p_dot, *ws_, rhs_.topRows(n), rhs_.bottomRows(l.n_c));
  linearized_->add_product(x_dot_, v_dot_, rhs_.topRows(n), rhs_.bottomRows(l.n_c));
  rhs_.bottomRows(l.n_c) /= -(h_ * h_ * beta_ * c_w1_);
  rhs_.topRows(n) *= -1.0;
  linearized_->solve(rhs_, solution_);

  // What w_1 adds.
  w = solution_.topRows(n);
  lambda = solution_.bottomRows(l.n_c);
  a = a_dot_ + c_w1_ * w;
  v = v_dot_ + (h_ * gamma_ * c_w1_) * w;
  x = x_dot_ + (h_ * h_ * beta_ * c_w1_) * w;
  for (const auto& block : blocks_) {
    with_size(block.T, [&](const auto& T, auto n) {
      auto rows = x.middleRows(block.offset, n);
      rows = x_dot_.middleRows(block.offset, n);
      rows.noalias() += (h_ * h_ * beta_ * c_w1_) * T * w.middleRows(block.offset, n);
    });
  }
}

template class GeneralizedAlpha<InstantiatedScalar>;

}  // namespace kurbel
