#include "optimizers/gradient_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/errors.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void check_input(const VectorXd& x, const VectorXd& gradient, const VectorXd& lower, const VectorXd& upper,
                 const GradientCheckOptions& o) {
  const Index n = x.size();
  if (gradient.size() != n || lower.size() != n || upper.size() != n) {
    throw InputError(
        fmt::format("a gradient check needs a gradient and bounds of {} values; they have {}, {} and {}", n,
                    gradient.size(), lower.size(), upper.size()));
  }
  for (Index i = 0; i < n; ++i) {
    if (lower[i] <= x[i] && x[i] <= upper[i]) continue;
    throw InputError(
        fmt::format("a gradient can not be checked outside the bounds: variable {} = {:g} is outside "
                    "[{:g}, {:g}]",
                    i, x[i], lower[i], upper[i]));
  }
  if (o.n_elements < 0 || o.n_directions < 0 || o.n_steps < 1 || !(o.largest_step > 0.0) ||
      !(o.step_ratio > 1.0) || !(o.small_entry > 0.0)) {
    throw InputError(
        "a gradient check needs n_elements, n_directions >= 0, n_steps >= 1, largest_step > 0, "
        "step_ratio > 1 and small_entry > 0");
  }
}

/// A line through x along which f is differentiated.
struct Line {
  VectorXd direction;
  bool symmetric = true;
  double largest_step = 0.0;
};

struct Derivative {
  double value = nan, error = infinity, step = 0.0;
};

/// A difference quotient with error O(h^2); nothing if an evaluation fails.
std::optional<double> quotient(const ScalarFunction& f, const VectorXd& x, const Line& line, double h,
                               double value_at_x) {
  const VectorXd d = h * line.direction;
  if (line.symmetric) {
    const auto forward = f(x + d), backward = f(x - d);
    if (!forward || !backward) return {};
    return (*forward - *backward) / (2.0 * h);
  }
  const auto near = f(x + d), far = f(x + 2.0 * d);
  if (!near || !far) return {};
  return (4.0 * *near - *far - 3.0 * value_at_x) / (2.0 * h);
}

/// Neville's tableau over the step sizes; the entry that differs least from the two it came from.
Derivative extrapolate(const ScalarFunction& f, const VectorXd& x, const Line& line, double value_at_x,
                       const GradientCheckOptions& o) {
  Derivative best;
  std::vector<double> row, above;
  for (int k = 0; k < o.n_steps; ++k) {
    const double h = line.largest_step / std::pow(o.step_ratio, k);
    const auto first = quotient(f, x, line, h, value_at_x);
    if (!first || !std::isfinite(*first)) {
      above.clear();
      continue;
    }
    row.assign(1, *first);
    if (std::isnan(best.value)) best = {*first, infinity, h};
    for (std::size_t j = 0; j < above.size(); ++j) {
      const double order = line.symmetric ? 2.0 * (j + 1.0) : j + 2.0;
      const double factor = std::pow(o.step_ratio, order);
      row.push_back((factor * row[j] - above[j]) / (factor - 1.0));
      const double error = std::max(std::abs(row[j + 1] - row[j]), std::abs(row[j + 1] - above[j]));
      if (error < best.error) best = {row[j + 1], error, h};
    }
    above = row;
  }
  return best;
}

/// Uniform in [-1, 1), the same on every platform.
double symmetric_uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-52 - 1.0;
}

std::vector<Index> choose(std::vector<Index> from, int count, std::mt19937_64& random) {
  const std::size_t n = std::min<std::size_t>(count, from.size());
  for (std::size_t i = 0; i < n; ++i) std::swap(from[i], from[i + random() % (from.size() - i)]);
  from.resize(n);
  std::sort(from.begin(), from.end());
  return from;
}

class Checker {
 public:
  Checker(const ScalarFunction& f, const VectorXd& x, const VectorXd& gradient, const VectorXd& lower,
          const VectorXd& upper, const GradientCheckOptions& options)
      : f_(f), x_(x), gradient_(gradient), lower_(lower), upper_(upper), o_(options), range_(x.size()) {
    for (Index i = 0; i < x.size(); ++i) {
      range_[i] = upper[i] - lower[i];
      if (!std::isfinite(range_[i])) range_[i] = std::max(1.0, std::abs(x[i]));
      if (range_[i] > 0.0) free_.push_back(i);
    }
  }

  const std::vector<Index>& free() const { return free_; }

  GradientCheckRow element(Index i) {
    Line line{VectorXd::Zero(x_.size()), is_inner(i, o_.largest_step), o_.largest_step};
    line.direction[i] = range_[i];
    if (!line.symmetric) line.direction[i] *= inwards(i);
    GradientCheckRow row = compare(line, gradient_.lpNorm<Eigen::Infinity>() * range_[i]);
    row.label = fmt::format("element {}", i);
    row.adjoint = gradient_[i];
    row.difference /= line.direction[i];
    row.step *= range_[i];
    return row;
  }

  GradientCheckRow direction(int number, std::mt19937_64& random) {
    Line line{VectorXd::Zero(x_.size()), true, o_.largest_step};
    VectorXd entries(free_.size());
    for (std::size_t k = 0; k < free_.size(); ++k) entries[k] = symmetric_uniform(random);
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (is_inner(free_[k], o_.largest_step)) line.direction[free_[k]] = entries[k] * range_[free_[k]];
    if (line.direction.isZero(0.0)) {
      line.symmetric = false;
      for (std::size_t k = 0; k < free_.size(); ++k)
        line.direction[free_[k]] = std::abs(entries[k]) * range_[free_[k]] * inwards(free_[k]);
    }
    const double typical =
        gradient_.norm() * line.direction.norm() / std::sqrt(static_cast<double>(x_.size()));
    GradientCheckRow row = compare(line, typical);
    row.label = fmt::format("direction {}", number);
    return row;
  }

 private:
  bool is_inner(Index i, double step) const {
    return std::min(x_[i] - lower_[i], upper_[i] - x_[i]) >= step * range_[i];
  }

  double inwards(Index i) const { return upper_[i] - x_[i] >= x_[i] - lower_[i] ? 1.0 : -1.0; }

  double value_at_x() {
    if (!has_value_at_x_) value_at_x_ = f_(x_).value_or(nan);
    has_value_at_x_ = true;
    return value_at_x_;
  }

  GradientCheckRow compare(Line& line, double typical) {
    if (!line.symmetric)
      line.largest_step = std::min(line.largest_step, 0.25);  // two steps, half a range at least
    GradientCheckRow row;
    row.adjoint = gradient_.dot(line.direction);
    const Derivative d = extrapolate(f_, x_, line, line.symmetric ? nan : value_at_x(), o_);
    row.difference = d.value;
    row.step = d.step;
    const double size = std::max({std::abs(row.adjoint), std::abs(d.value), o_.small_entry * typical,
                                  std::numeric_limits<double>::min()});
    row.relative_error = std::isfinite(d.value) ? std::abs(row.adjoint - d.value) / size : infinity;
    row.uncertainty = d.error / size;
    return row;
  }

  const ScalarFunction& f_;
  const VectorXd &x_, &gradient_, &lower_, &upper_;
  const GradientCheckOptions& o_;
  VectorXd range_;
  std::vector<Index> free_;
  bool has_value_at_x_ = false;
  double value_at_x_ = nan;
};

}  // namespace

std::vector<GradientCheckRow> check_gradient(const ScalarFunction& f, const VectorXd& x,
                                             const VectorXd& gradient, const VectorXd& lower,
                                             const VectorXd& upper, const GradientCheckOptions& options) {
  check_input(x, gradient, lower, upper, options);
  Checker checker(f, x, gradient, lower, upper, options);
  std::mt19937_64 random(options.seed);
  std::vector<GradientCheckRow> rows;
  if (checker.free().empty()) return rows;
  std::vector<Index> chosen = choose(checker.free(), options.n_elements, random);
  for (const Index i : options.always) {
    const bool is_free = std::find(checker.free().begin(), checker.free().end(), i) != checker.free().end();
    if (is_free && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  }
  for (const Index i : chosen) rows.push_back(checker.element(i));
  for (int k = 1; k <= options.n_directions; ++k) rows.push_back(checker.direction(k, random));
  return rows;
}

double worst_relative_error(const std::vector<GradientCheckRow>& rows) {
  double worst = 0.0;
  for (const GradientCheckRow& row : rows) worst = std::max(worst, row.relative_error);
  return worst;
}

TaylorTest taylor_test(const ScalarFunction& f, const VectorXd& x, const VectorXd& gradient,
                       const VectorXd& direction, double largest_step, int n_steps) {
  if (gradient.size() != x.size() || direction.size() != x.size()) {
    throw InputError(
        fmt::format("a Taylor test at {} variables needs a gradient and a direction of that size; they "
                    "have {} and {}",
                    x.size(), gradient.size(), direction.size()));
  }
  TaylorTest test;
  const std::optional<double> value = f(x);
  if (!value) return test;
  const double along = gradient.dot(direction);
  const double rounding = 1e3 * std::numeric_limits<double>::epsilon() * std::abs(*value);
  std::vector<double> steps, remainders;
  double sum = 0.0, sum_h = 0.0, sum_r = 0.0, sum_hh = 0.0, sum_hr = 0.0;
  for (int k = 0; k < n_steps; ++k) {
    const double h = largest_step * std::pow(0.5, k);
    const std::optional<double> moved = f(x + h * direction);
    if (!moved) continue;
    const double remainder = std::abs(*moved - *value - h * along);
    steps.push_back(h);
    remainders.push_back(remainder);
    if (!(remainder > rounding)) continue;
    const double log_h = std::log(h), log_r = std::log(remainder);
    sum += 1.0;
    sum_h += log_h;
    sum_r += log_r;
    sum_hh += log_h * log_h;
    sum_hr += log_h * log_r;
  }
  test.steps = Eigen::Map<const VectorXd>(steps.data(), static_cast<Index>(steps.size()));
  test.remainders = Eigen::Map<const VectorXd>(remainders.data(), static_cast<Index>(remainders.size()));
  if (sum >= 2.0) test.slope = (sum * sum_hr - sum_h * sum_r) / (sum * sum_hh - sum_h * sum_h);
  return test;
}

}  // namespace kurbel
