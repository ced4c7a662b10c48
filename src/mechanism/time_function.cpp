#include "mechanism/time_function.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseLU>
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

/// Coefficients in the scaled time s = (t - t0) / T, so that the end conditions are well conditioned.
class Polynomial final : public TimeFunction {
 public:
  Polynomial(double t0, double t1, Eigen::VectorXd coefficients)
      : t0_(t0), length_(t1 - t0), coefficients_(std::move(coefficients)) {}

  TimeValue at(double t) const override {
    const double s = std::clamp((t - t0_) / length_, 0.0, 1.0);
    double value = 0.0, rate = 0.0, acceleration = 0.0;
    for (Eigen::Index i = coefficients_.size() - 1; i >= 0; --i) {
      acceleration = acceleration * s + 2.0 * rate;
      rate = rate * s + value;
      value = value * s + coefficients_[i];
    }
    rate /= length_;
    acceleration /= length_ * length_;
    const double beyond = t - (t0_ + s * length_);
    if (beyond == 0.0) return {value, rate, acceleration};
    return {value + rate * beyond, rate, 0.0};
  }

 private:
  double t0_, length_;
  Eigen::VectorXd coefficients_;
};

/// Natural cubic spline in terms of its second derivatives m_i at the knots.
class Table final : public TimeFunction {
 public:
  Table(std::vector<double> t, std::vector<double> y)
      : t_(std::move(t)), y_(std::move(y)), m_(moments(t_, y_)) {}

  TimeValue at(double t) const override {
    if (t <= t_.front()) return beyond(t, t_.front(), on_interval(0, t_.front()));
    if (t >= t_.back()) return beyond(t, t_.back(), on_interval(t_.size() - 2, t_.back()));
    const auto it = std::upper_bound(t_.begin(), t_.end(), t);
    return on_interval(static_cast<std::size_t>(it - t_.begin()) - 1, t);
  }

 private:
  static Eigen::VectorXd moments(const std::vector<double>& t, const std::vector<double>& y) {
    const int n = static_cast<int>(t.size());
    std::vector<Eigen::Triplet<double>> entries{{0, 0, 1.0}, {n - 1, n - 1, 1.0}};
    Eigen::VectorXd rhs = Eigen::VectorXd::Zero(n);
    for (int i = 1; i + 1 < n; ++i) {
      const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
      entries.insert(entries.end(), {{i, i - 1, h0 / 6}, {i, i, (h0 + h1) / 3}, {i, i + 1, h1 / 6}});
      rhs[i] = (y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0;
    }
    Eigen::SparseMatrix<double> A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return Eigen::SparseLU<Eigen::SparseMatrix<double>>(A).solve(rhs);
  }

  static TimeValue beyond(double t, double end, const TimeValue& at_end) {
    return {at_end.value + at_end.rate * (t - end), at_end.rate, 0.0};
  }

  TimeValue on_interval(std::size_t i, double t) const {
    const double h = t_[i + 1] - t_[i], a = (t_[i + 1] - t) / h, b = (t - t_[i]) / h;
    TimeValue v;
    v.value = a * y_[i] + b * y_[i + 1] + ((a * a * a - a) * m_[i] + (b * b * b - b) * m_[i + 1]) * h * h / 6;
    v.rate = (y_[i + 1] - y_[i]) / h + ((3 * b * b - 1) * m_[i + 1] - (3 * a * a - 1) * m_[i]) * h / 6;
    v.acceleration = a * m_[i] + b * m_[i + 1];
    return v;
  }

  std::vector<double> t_, y_;
  Eigen::VectorXd m_;
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

TimeFunctionPtr table(const std::vector<double>& t, const std::vector<double>& value) {
  if (t.size() != value.size()) {
    throw InputError(
        fmt::format("a table needs as many values as times, but has {} and {}", value.size(), t.size()));
  }
  if (t.size() < 2) throw InputError("a table needs at least two points");
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (!(t[i - 1] < t[i])) {
      throw InputError(fmt::format("the times of a table must increase, but {} follows {}", t[i], t[i - 1]));
    }
  }
  return std::make_shared<Table>(t, value);
}

}  // namespace kurbel
