#include "study/grid_convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace kurbel {

namespace {

constexpr double rounding = 1e-11;  // of a value, between runs on different discretizations
constexpr double infinite = std::numeric_limits<double>::infinity();

void require_two_or_three(const VectorXd& f) {
  if (f.size() != 2 && f.size() != 3) throw std::logic_error("two or three values");
}

/// The trend of two or three values by the sign and size of their steps alone.
Trend trend_of(const VectorXd& f) {
  const double noise = rounding * f.cwiseAbs().maxCoeff();
  const double first = f[1] - f[0], last = f[f.size() - 1] - f[f.size() - 2];
  if (std::abs(first) <= noise && std::abs(last) <= noise) return Trend::independent;
  if (f.size() == 2) return Trend::unseen;
  if (std::abs(last) <= noise) return Trend::settled;
  if (first * last <= 0.0) return Trend::not_monotone;
  return Trend::monotone;
}

double spread(const VectorXd& f) {
  return f.maxCoeff() - f.minCoeff();
}

double ratio_at(const VectorXd& h, double p) {
  const double a = std::pow(h[0] / h[1], p) - 1.0, b = 1.0 - std::pow(h[2] / h[1], p);
  return a / b;
}

/// p, which the ratio of the steps grows with; nothing where it would not be positive.
std::optional<double> observed_order(const VectorXd& h, double ratio) {
  constexpr double least = 1e-3, most = 20.0;
  if (ratio <= ratio_at(h, least)) return {};
  double low = least, high = most;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (ratio_at(h, middle) < ratio ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// f* of the last two values.
double extrapolated(const VectorXd& h, const VectorXd& f, double p) {
  const Eigen::Index last = f.size() - 1;
  return f[last] + (f[last] - f[last - 1]) / (std::pow(h[last - 1] / h[last], p) - 1.0);
}

/// A value counts as settled where all levels agree to `negligible`, however their steps behave. If it goes on to change at the
/// same rate by the logarithm of the size, the error taken here is reached after `refinements` times those of the levels: where
/// these halve the size, on a mesh a thousand times finer.
ConvergenceEstimate unless_negligible(const VectorXd& f, const ConvergenceEstimate& found) {
  constexpr double negligible = 1e-4, refinements = 10.0;
  const double largest = refinements * spread(f);
  if (spread(f) > negligible * f.cwiseAbs().maxCoeff() || found.error <= largest) return found;
  return {Trend::settled, {}, f[f.size() - 1], largest};
}

ConvergenceEstimate estimate_by_power(const VectorXd& h, const VectorXd& f, double best_order) {
  ConvergenceEstimate found{trend_of(f), {}, f[f.size() - 1]};
  double p = best_order;
  switch (found.trend) {
    case Trend::independent:
      return found;
    case Trend::not_monotone:
      found.error = spread(f);
      return found;
    case Trend::settled:
      found.error = std::abs(f[0] - found.limit);
      return found;
    case Trend::monotone:
      found.order = observed_order(h, (f[0] - f[1]) / (f[1] - f[2]));
      if (!found.order) {
        found.trend = Trend::not_settling, found.error = infinite;
        return found;
      }
      p = std::min(*found.order, best_order);
      break;
    case Trend::unseen:
    case Trend::not_settling:
      break;
  }
  found.limit = extrapolated(h, f, p);
  found.error = std::abs(f[0] - found.limit);
  return found;
}

ConvergenceEstimate estimate_by_distance(const VectorXd& f) {
  ConvergenceEstimate found{trend_of(f), {}, f[f.size() - 1]};
  const double last = std::abs(found.limit - f[f.size() - 2]);
  switch (found.trend) {
    case Trend::independent:
      return found;
    case Trend::not_monotone:
      found.error = spread(f);
      return found;
    case Trend::monotone:
      if (last < std::abs(f[1] - f[0])) break;
      found.trend = Trend::not_settling, found.error = infinite;
      return found;
    case Trend::settled:
    case Trend::unseen:
    case Trend::not_settling:
      break;
  }
  found.error = std::abs(f[0] - found.limit) + last;
  return found;
}

}  // namespace

ConvergenceEstimate estimate_convergence(const VectorXd& h, const VectorXd& f, double best_order) {
  require_two_or_three(f);
  return unless_negligible(f, estimate_by_power(h, f, best_order));
}

ConvergenceEstimate estimate_truncation(const VectorXd& f) {
  require_two_or_three(f);
  return unless_negligible(f, estimate_by_distance(f));
}

int digits_within(double value, double error) {
  constexpr int most = 12;
  if (error == 0.0) return most;
  if (value == 0.0 || !std::isfinite(error)) return 0;
  const double first = std::floor(std::log10(std::abs(value)));  // power of ten of its first digit
  return std::clamp(static_cast<int>(std::floor(first + 1.0 - std::log10(2.0 * error))), 0, most);
}

std::string text_within(double value, double error) {
  if (error == 0.0) return fmt::format("{:.9g}", value);
  if (std::isinf(error)) return "unknown";
  const int digits = digits_within(value, error);
  if (digits == 0) return "no digit";
  std::string text = fmt::format("{:.{}e}", value, digits - 1);
  const int power = std::stoi(text.substr(text.find('e') + 1));  // of ten, of the first digit, after rounding
  if (power < -5 || power >= digits) return text;
  return fmt::format("{:.{}f}", value, digits - 1 - power);
}

}  // namespace kurbel
