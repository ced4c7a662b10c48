#include "optimizers/gradient_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/errors.hpp"
#include "optimizers/extrapolation.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

void check_input(const VectorXd& x, const MatrixXd& gradients, const VectorXd& lower, const VectorXd& upper,
                 const GradientCheckOptions& o) {
  const Index n = x.size();
  if (gradients.rows() != n || lower.size() != n || upper.size() != n) {
    throw InputError(
        fmt::format("a gradient check needs a gradient and bounds of {} values; they have {}, {} and {}", n,
                    gradients.rows(), lower.size(), upper.size()));
  }
  for (Index i = 0; i < n; ++i) {
    if (lower[i] <= x[i] && x[i] <= upper[i]) continue;
    throw InputError(
        fmt::format("a gradient can not be checked outside the bounds: variable {} = {:g} is outside "
                    "[{:g}, {:g}]",
                    i, x[i], lower[i], upper[i]));
  }
  if (o.n_elements < 0 || o.n_directions < 0 || o.n_steps < 1 || o.n_sweeps < 1 || o.n_noise_samples < 0 ||
      !(o.largest_step > 0.0) || !(o.step_ratio > 1.0) || !(o.small_entry > 0.0) || o.sufficient < 0.0 ||
      o.small_change < 0.0 || !(o.no_change > 0.0)) {
    throw InputError(
        "a gradient check needs n_elements, n_directions, n_noise_samples, sufficient, small_change >= 0, "
        "n_steps, "
        "n_sweeps >= 1, "
        "largest_step > 0, step_ratio > 1, small_entry > 0 and no_change > 0");
  }
}

/// The range in which x moves: that of its bounds, and of a number whose bounds have one sign and span decades no more
/// than some of its own size.
double range_of(double x, double lower, double upper) {
  constexpr double decade = 10.0, least_share = 1e-4;
  const double range = upper - lower;
  if (!std::isfinite(range)) return std::max(1.0, std::abs(x));
  const double most = std::max(std::abs(lower), std::abs(upper)),
               least = std::min(std::abs(lower), std::abs(upper));
  if (lower * upper < 0.0 || most <= decade * least) return range;
  const double size = std::max(std::abs(x), least_share * most);
  return std::min(range, size * std::log(most / std::max(least, least_share * size)));
}

/// A line through x along which f is differentiated: how far it may be followed on each side.
struct Line {
  VectorXd direction;
  double ahead = 0.0, behind = 0.0;
  double room() const { return std::max(ahead, behind); }
};

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
  Checker(const VectorFunction& f, const VectorXd& x, const MatrixXd& gradients, const VectorXd& lower,
          const VectorXd& upper, const GradientCheckOptions& options)
      : f_(f), x_(x), gradients_(gradients), lower_(lower), upper_(upper), o_(options), range_(x.size()) {
    for (Index i = 0; i < x.size(); ++i) {
      range_[i] = range_of(x[i], lower[i], upper[i]);
      if (range_[i] > 0.0) free_.push_back(i);
    }
    if (free_.empty()) return;
    value_ = values_at(x);
    measure_noise();
  }

  const std::vector<Index>& free() const { return free_; }

  /// One row per function.
  std::vector<GradientCheckRow> element(Index i) const {
    VectorXd direction = VectorXd::Zero(x_.size());
    direction[i] = range_[i];
    std::vector<GradientCheckRow> rows = compare(
        line_along(direction, o_.largest_step),
        [&](const auto& gradient) { return gradient.template lpNorm<Eigen::Infinity>() * range_[i]; });
    for (GradientCheckRow& row : rows) {
      row.variable = i;
      row.adjoint = gradients_(i, row.function);
      row.difference /= range_[i];
      row.step *= range_[i];
    }
    return rows;
  }

  std::vector<GradientCheckRow> direction(int number, std::mt19937_64& random) const {
    const Line line = random_line(random);
    const double length = line.direction.norm() / std::sqrt(static_cast<double>(x_.size()));
    std::vector<GradientCheckRow> rows =
        compare(line, [&](const auto& gradient) { return gradient.norm() * length; });
    for (GradientCheckRow& row : rows) row.direction = number;
    return rows;
  }

 private:
  /// With less room on one side than this share of the other, the other side serves alone.
  static constexpr double small_share = 0.125;
  /// Steps below this share of the largest are lost in rounding.
  static constexpr double smallest_room = 1e-6;
  static constexpr int first_stop = 4;

  VectorXd values_at(const VectorXd& at) const {
    std::optional<VectorXd> values = f_(at);
    return values ? std::move(*values) : VectorXd::Constant(gradients_.cols(), nan);
  }

  /// The largest change of each function by changes of x in its last digits.
  void measure_noise() {
    constexpr double last_digits = 1e-14;
    noise_ = VectorXd::Zero(value_.size());
    for (int sample = 1; sample <= o_.n_noise_samples; ++sample) {
      VectorXd step(x_.size());
      for (Index i = 0; i < x_.size(); ++i) {
        const double size = x_[i] != 0.0 ? std::abs(x_[i]) : range_[i];
        step[i] = ((i + sample) % 2 == 0 ? 1.0 : -1.0) * sample * last_digits * size;
      }
      const VectorXd change = (values_at(moved(step, 1.0)) - value_).cwiseAbs();
      for (Index j = 0; j < noise_.size(); ++j) {
        if (change[j] > noise_[j]) noise_[j] = change[j];
      }
    }
  }

  /// The largest t that the bounds, the largest step and smoothness allow x + t direction.
  double room_along(const VectorXd& direction, double largest) const {
    double t = largest;
    for (Index i = 0; i < x_.size(); ++i) {
      const double left = direction[i] > 0.0 ? upper_[i] - x_[i] : x_[i] - lower_[i];
      if (direction[i] != 0.0) t = std::min(t, left / std::abs(direction[i]));
    }
    if (!o_.is_smooth_up_to) return t > 0.0 ? t : 0.0;
    while (t > smallest_room * largest) {
      if (o_.is_smooth_up_to(moved(direction, t))) return t;
      t *= 0.5;
    }
    return 0.0;
  }

  Line line_along(const VectorXd& direction, double largest) const {
    Line line{direction, room_along(direction, largest), room_along(-direction, largest)};
    if (line.behind < small_share * line.ahead) line.behind = 0.0;
    if (line.ahead < small_share * line.behind) line.ahead = 0.0;
    return line;
  }

  Line random_line(std::mt19937_64& random) const {
    VectorXd mixed = VectorXd::Zero(x_.size()), inwards = mixed;
    for (const Index i : free_) {
      const double entry = symmetric_uniform(random);
      const double up = upper_[i] - x_[i], down = x_[i] - lower_[i];
      if (std::min(up, down) >= small_share * o_.largest_step * range_[i]) mixed[i] = entry * range_[i];
      inwards[i] = (up >= down ? std::abs(entry) : -std::abs(entry)) * range_[i];
    }
    if (mixed.isZero(0.0)) return line_along(inwards, o_.largest_step);
    Line line = line_along(mixed, o_.largest_step);
    if (line.room() >= small_share * o_.largest_step) return line;
    const Line one_sign = line_along(mixed.cwiseAbs(), o_.largest_step);
    return one_sign.room() > line.room() ? one_sign : line;
  }

  /// x + t direction, without rounding beyond the bounds.
  VectorXd moved(const VectorXd& direction, double t) const {
    return (x_ + t * direction).cwiseMax(lower_).cwiseMin(upper_);
  }

  /// Estimates along a line by steps h, h / step_ratio, ...; each is offered with its function.
  /// @param offer  (function, estimate); returns whether that is sufficient
  /// @return       the step that would come next
  template <class Offer>
  double sweep(const Line& line, const Offer& offer) const {
    const Index m = gradients_.cols();
    std::vector<LineDerivative> derivatives;
    for (Index j = 0; j < m; ++j) derivatives.emplace_back(value_[j], o_.step_ratio, noise_[j]);
    const auto offer_all = [&] {
      bool sufficient = true;
      for (Index j = 0; j < m; ++j)
        sufficient = offer(j, derivatives[static_cast<std::size_t>(j)].estimate()) && sufficient;
      return sufficient;
    };
    if (line.room() == 0.0) offer_all();
    double h = line.ahead > 0.0 && line.behind > 0.0 ? std::min(line.ahead, line.behind) : line.room();
    for (int k = 0; k < o_.n_steps && line.room() > 0.0; ++k) {
      const VectorXd none = VectorXd::Constant(m, nan);
      const VectorXd ahead = line.ahead > 0.0 ? values_at(moved(line.direction, h)) : none;
      const VectorXd behind = line.behind > 0.0 ? values_at(moved(line.direction, -h)) : none;
      for (Index j = 0; j < m; ++j) derivatives[static_cast<std::size_t>(j)].add(h, ahead[j], behind[j]);
      h /= o_.step_ratio;
      if (offer_all() && k + 1 >= first_stop) break;
    }
    return h;
  }

  template <class Typical>
  std::vector<GradientCheckRow> compare(const Line& line, const Typical& typical) const {
    std::vector<GradientCheckRow> rows(static_cast<std::size_t>(gradients_.cols()));
    std::vector<DerivativeEstimate> kept(rows.size()),
        latest(rows.size());  // of the sweeps before, and with this one
    const auto offer = [&](Index j, const DerivativeEstimate& of_sweep) {
      const auto place = static_cast<std::size_t>(j);
      const DerivativeEstimate& d = latest[place] =
          kept[place].error < of_sweep.error ? kept[place] : of_sweep;
      GradientCheckRow& row = rows[place];
      const auto gradient = gradients_.col(j);
      row.function = j;
      row.adjoint = gradient.dot(line.direction);
      row.difference = d.value;
      row.step = d.step;
      const double small = std::isfinite(value_[j]) ? o_.small_change * std::abs(value_[j]) : 0.0;
      const double size = std::max({std::abs(row.adjoint), std::isfinite(d.value) ? std::abs(d.value) : 0.0,
                                    o_.small_entry * typical(gradient), small, o_.no_change});
      row.relative_error = std::isfinite(d.value) ? std::abs(row.adjoint - d.value) / size : infinity;
      row.uncertainty = d.error / size;
      return row.uncertainty <= o_.sufficient;
    };
    const auto agrees = [](const GradientCheckRow& row) { return verdict_of(row) == Agreement::agrees; };
    double next = sweep(line, offer);
    for (int s = 1; s < o_.n_sweeps && !std::ranges::all_of(rows, agrees); ++s) {
      kept = latest;
      next = sweep(line_along(line.direction, next), offer);
    }
    return rows;
  }

  const VectorFunction& f_;
  const VectorXd& x_;
  const MatrixXd& gradients_;
  const VectorXd &lower_, &upper_;
  const GradientCheckOptions& o_;
  VectorXd range_, value_, noise_;
  std::vector<Index> free_;
};

}  // namespace

std::string GradientCheckRow::label() const {
  return variable ? fmt::format("variable {}", *variable) : fmt::format("direction {}", direction);
}

Agreement verdict_of(const GradientCheckRow& row, const std::optional<double>& tolerance) {
  constexpr double usual = 1e-6, largest = 1e-2, safety = 10.0;
  const double explained = safety * row.uncertainty;
  const double allowed = tolerance.value_or(std::clamp(explained, usual, largest));
  if (row.relative_error <= allowed && row.uncertainty <= allowed) return Agreement::agrees;
  if (row.relative_error > allowed && row.relative_error > explained && std::isfinite(row.difference))
    return Agreement::differs;
  return Agreement::cannot_tell;
}

Agreement overall_verdict(const std::vector<GradientCheckRow>& rows, const std::optional<double>& tolerance) {
  Agreement overall = rows.empty() ? Agreement::cannot_tell : Agreement::agrees;
  for (const GradientCheckRow& row : rows) overall = std::max(overall, verdict_of(row, tolerance));
  return overall;
}

std::vector<GradientCheckRow> check_gradients(const VectorFunction& f, const VectorXd& x,
                                              const MatrixXd& gradients, const VectorXd& lower,
                                              const VectorXd& upper, const GradientCheckOptions& options) {
  check_input(x, gradients, lower, upper, options);
  const Checker checker(f, x, gradients, lower, upper, options);
  std::mt19937_64 random(options.seed);
  std::vector<GradientCheckRow> rows;
  if (checker.free().empty()) return rows;
  const auto add = [&](std::vector<GradientCheckRow> of_line) {
    rows.insert(rows.end(), of_line.begin(), of_line.end());
  };
  std::vector<Index> chosen = choose(checker.free(), options.n_elements, random);
  for (const Index i : options.always) {
    const bool is_free = std::find(checker.free().begin(), checker.free().end(), i) != checker.free().end();
    if (is_free && std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
  }
  for (const Index i : chosen) add(checker.element(i));
  for (int k = 1; k <= options.n_directions; ++k) add(checker.direction(k, random));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.function < b.function; });
  return rows;
}

std::vector<GradientCheckRow> check_gradient(const ScalarFunction& f, const VectorXd& x,
                                             const VectorXd& gradient, const VectorXd& lower,
                                             const VectorXd& upper, const GradientCheckOptions& options) {
  const VectorFunction one = [&](const VectorXd& at) -> std::optional<VectorXd> {
    const std::optional<double> value = f(at);
    if (!value) return {};
    return VectorXd::Constant(1, *value);
  };
  return check_gradients(one, x, gradient, lower, upper, options);
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
