#include "optimizers/extrapolation.hpp"

#include <algorithm>
#include <cmath>

namespace kurbel {

namespace {

/// A difference counts as explained when it is below so many estimated errors.
constexpr double safety = 10.0;
/// Largest error of a one-sided derivative that has converged, relative to the derivatives.
constexpr double converged_error = 1e-2;
/// Steps whose best entries must agree.
constexpr std::size_t n_witnesses = 3;

}  // namespace

void Extrapolation::add(double step, double quotient) {
  if (!std::isfinite(quotient)) {
    above_.clear();
    return;
  }
  std::vector<double> row = {quotient};
  DerivativeEstimate best{quotient, std::numeric_limits<double>::infinity(), step};
  for (std::size_t j = 0; j < above_.size(); ++j) {
    const double factor = std::pow(ratio_, order_ + increment_ * static_cast<double>(j));
    row.push_back((factor * row[j] - above_[j]) / (factor - 1.0));
    const double error = std::max(std::abs(row[j + 1] - row[j]), std::abs(row[j + 1] - above_[j]));
    if (error < best.error) best = {row[j + 1], error, step};
  }
  best_of_steps_.push_back(best);
  above_ = std::move(row);
}

DerivativeEstimate Extrapolation::estimate() const {
  if (best_of_steps_.empty()) return {};
  const auto by_error = [](const DerivativeEstimate& a, const DerivativeEstimate& b) {
    return a.error < b.error;
  };
  std::vector<DerivativeEstimate> sorted = best_of_steps_;
  std::stable_sort(sorted.begin(), sorted.end(), by_error);
  DerivativeEstimate best = sorted[0];
  for (std::size_t i = 1; i < std::min(n_witnesses, sorted.size()); ++i)
    best.error = std::max(best.error, std::abs(best.value - sorted[i].value));
  return best;
}

void LineDerivative::add(double step, double ahead, double behind) {
  has_ahead_ = has_ahead_ || std::isfinite(ahead);
  has_behind_ = has_behind_ || std::isfinite(behind);
  symmetric_.add(step, (ahead - behind) / (2.0 * step));
  forward_.add(step, (ahead - value_) / step);
  backward_.add(step, (value_ - behind) / step);
}

DerivativeEstimate LineDerivative::estimate() const {
  DerivativeEstimate found = of_quotients();
  found.error = std::max(found.error, noise_ / found.step);
  return found;
}

DerivativeEstimate LineDerivative::of_quotients() const {
  const DerivativeEstimate forward = forward_.estimate(), backward = backward_.estimate();
  if (!has_behind_) return forward;
  if (!has_ahead_) return backward;
  DerivativeEstimate symmetric = symmetric_.estimate();
  double scale = 0.0;
  for (const DerivativeEstimate& d : {symmetric, forward, backward})
    if (std::isfinite(d.value)) scale = std::max(scale, std::abs(d.value));
  const auto has_converged = [&](const DerivativeEstimate& d) { return d.error <= converged_error * scale; };
  const bool ahead = has_converged(forward), behind = has_converged(backward);
  const double gap = std::abs(forward.value - backward.value);
  if (ahead && behind && gap <= safety * (forward.error + backward.error)) return symmetric;
  if (ahead != behind) {
    DerivativeEstimate one = ahead ? forward : backward;
    const double apart = std::abs(symmetric.value - one.value);
    if (symmetric.error < one.error && apart <= safety * one.error) {
      symmetric.error = std::max(symmetric.error, apart);
      return symmetric;
    }
    one.error = std::max(one.error, std::abs(one.value - symmetric_.last_quotient()));
    return one;
  }
  symmetric.error =
      std::isfinite(gap) ? std::max(symmetric.error, 0.5 * gap) : std::numeric_limits<double>::infinity();
  return symmetric;
}

}  // namespace kurbel
