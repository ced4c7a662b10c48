/// @file
/// Instants at which forces jump, as steps meet them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integration/one_sided_time.hpp"

namespace kurbel {

class JumpInstants {
 public:
  /// @param times  in any order, s
  /// @param h      length of the steps, s; instants that differ by rounding of these are one
  JumpInstants(std::vector<double> times, double h) : times_(std::move(times)), h_(h) {
    std::ranges::sort(times_);
  }

  bool empty() const { return times_.empty(); }
  /// True if forces jump at t.
  bool has(double t) const {
    const auto at = std::ranges::lower_bound(times_, t - margin(t));
    return at != times_.end() && *at <= t + margin(t);
  }
  /// t where a step begins.
  OneSidedTime begin_at(double t) const { return {t, !has(t)}; }
  /// The first jump after t and before `end`; or `end`.
  double next(double t, double end) const {
    const auto at = std::ranges::upper_bound(times_, t + margin(t));
    return at != times_.end() && *at < end - margin(end) ? *at : end;
  }

 private:
  double margin(double t) const {
    return 1e-9 * h_ + 4.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
  }

  std::vector<double> times_;
  double h_;
};

}  // namespace kurbel
