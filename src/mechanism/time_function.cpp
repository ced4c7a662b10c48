#include "mechanism/time_function.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/errors.hpp"

namespace kurbel {

namespace {

class ConstantRate final : public TimeFunction {
 public:
  ConstantRate(double value0, double rate, double t0) : value0_(value0), rate_(rate), t0_(t0) {}
  TimeValue at(double t) const override { return {value0_ + rate_ * (t - t0_), rate_, 0.0}; }
  bool is_constant() const override { return rate_ == 0.0; }

 private:
  double value0_, rate_, t0_;
};

class SpinUp final : public TimeFunction {
 public:
  SpinUp(double rate, double duration) : rate_(rate), duration_(duration) {}
  TimeValue at(double t) const override {
    if (t <= 0.0) return {};
    if (t >= duration_) return {rate_ * (t - 0.5 * duration_), rate_, 0.0};
    const double a = rate_ / duration_, k = 2.0 * std::numbers::pi / duration_;
    return {a * (0.5 * t * t + (std::cos(k * t) - 1.0) / (k * k)), a * (t - std::sin(k * t) / k),
            a * (1.0 - std::cos(k * t))};
  }

 private:
  double rate_, duration_;
};

class Harmonic final : public TimeFunction {
 public:
  Harmonic(double amplitude, double frequency, double phase, double fade_in)
      : amplitude_(amplitude), omega_(2.0 * std::numbers::pi * frequency), phase_(phase), fade_in_(fade_in) {}
  TimeValue at(double t) const override {
    const double angle = omega_ * t + phase_, s = amplitude_ * std::sin(angle),
                 s_dot = amplitude_ * omega_ * std::cos(angle), s_ddot = -omega_ * omega_ * s;
    const TimeValue w = share(t);
    return {w.value * s, w.rate * s + w.value * s_dot,
            w.acceleration * s + 2.0 * w.rate * s_dot + w.value * s_ddot};
  }

 private:
  /// w
  TimeValue share(double t) const {
    if (fade_in_ == 0.0 || t >= fade_in_) return {1.0, 0.0, 0.0};
    if (t <= 0.0) return {};
    const double x = t / fade_in_;
    return {x * x * x * (10.0 - 15.0 * x + 6.0 * x * x), 30.0 * x * x * (1.0 - x) * (1.0 - x) / fade_in_,
            60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (fade_in_ * fade_in_)};
  }

  double amplitude_, omega_, phase_, fade_in_;
};

/// Coefficients in the scaled time s = (t - t0) / T, so that the end conditions are well conditioned.
class Polynomial final : public TimeFunction {
 public:
  Polynomial(double t0, double t1, Eigen::VectorXd coefficients)
      : t0_(t0), t1_(t1), length_(t1 - t0), coefficients_(std::move(coefficients)) {}

  TimeValue at(double t) const override {
    const double t_inside = std::clamp(t, t0_, t1_), s = (t_inside - t0_) / length_;
    double value = 0.0, rate = 0.0, acceleration = 0.0;
    for (Eigen::Index i = coefficients_.size() - 1; i >= 0; --i) {
      acceleration = acceleration * s + 2.0 * rate;
      rate = rate * s + value;
      value = value * s + coefficients_[i];
    }
    rate /= length_;
    acceleration /= length_ * length_;
    if (t == t_inside) return {value, rate, acceleration};
    return {value + rate * (t - t_inside), rate, 0.0};
  }

 private:
  double t0_, t1_, length_;
  Eigen::VectorXd coefficients_;
};

/// Row of the monomial basis' derivative of order d at s.
Eigen::RowVectorXd monomial_derivatives(Eigen::Index n, int d, double s) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n);
  for (Eigen::Index i = d; i < n; ++i) {
    double factor = 1.0;
    for (int k = 0; k < d; ++k) factor *= double(i - k);
    row[i] = factor * std::pow(s, double(i - d));
  }
  return row;
}

}  // namespace

TimeFunctionPtr constant_rate(double value0, double rate, double t0) {
  return std::make_shared<ConstantRate>(value0, rate, t0);
}

TimeFunctionPtr harmonic(double amplitude, double frequency, double phase, double fade_in) {
  return std::make_shared<Harmonic>(amplitude, frequency, phase, fade_in);
}

TimeFunctionPtr spin_up(double rate, double duration) {
  if (!(duration > 0.0))
    throw InputError(fmt::format("a spin-up needs a positive duration, not {}", duration));
  return std::make_shared<SpinUp>(rate, duration);
}

TimeFunctionPtr polynomial(const EndConditions& begin, const EndConditions& end) {
  if (!(begin.t < end.t)) {
    throw InputError(fmt::format("a polynomial needs begin.t < end.t, but {} >= {}", begin.t, end.t));
  }
  if (begin.derivatives.empty() || end.derivatives.empty()) {
    throw InputError("a polynomial needs at least the value at both of its ends");
  }
  const double length = end.t - begin.t;
  const Eigen::Index n = static_cast<Eigen::Index>(begin.derivatives.size() + end.derivatives.size());
  Eigen::MatrixXd A(n, n);
  Eigen::VectorXd rhs(n);
  Eigen::Index row = 0;
  for (const auto& [conditions, s] : {std::pair{&begin, 0.0}, std::pair{&end, 1.0}}) {
    for (std::size_t d = 0; d < conditions->derivatives.size(); ++d, ++row) {
      A.row(row) = monomial_derivatives(n, static_cast<int>(d), s);
      rhs[row] = conditions->derivatives[d] * std::pow(length, double(d));
    }
  }
  return std::make_shared<Polynomial>(begin.t, end.t, A.fullPivLu().solve(rhs));
}

}  // namespace kurbel
