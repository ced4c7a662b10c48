#include "mechanism/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace kurbel {

namespace {

/// The cubic of one interval: values and second derivatives at its ends.
struct Piece {
  double s0, s1, m0, m1;
};

class Table final : public TimeFunction {
 public:
  Table(std::vector<double> t, std::vector<Piece> pieces, Beyond beyond)
      : t_(std::move(t)), pieces_(std::move(pieces)), beyond_(beyond) {}

  TimeValue at(double t) const override {
    const SplinePlace at(t_, t, beyond_);
    const Piece& piece = pieces_[at.interval];
    return at.value(piece.s0, piece.s1, piece.m0, piece.m1);
  }
  TimeRange range() const override {
    return beyond_ == Beyond::refused ? TimeRange{t_.front(), t_.back()} : TimeRange{};
  }

 private:
  std::vector<double> t_;
  std::vector<Piece> pieces_;
  Beyond beyond_;
};

/// Values that hold from one entry to the next, the last one to the end of the range.
class StepTable final : public TimeFunction {
 public:
  StepTable(std::vector<double> t, std::vector<double> y, Beyond beyond)
      : t_(std::move(t)), y_(std::move(y)), beyond_(beyond) {}

  TimeValue at(double t) const override { return {value(t), 0.0, 0.0}; }
  double value(const OneSidedTime& t) const override {
    const double within = beyond_ == Beyond::repeat ? t.t - period() * periods_before(t) : t.t;
    const auto after = t.from_left ? std::ranges::lower_bound(t_, within - margin())
                                   : std::ranges::upper_bound(t_, within + margin());
    return after == t_.begin() ? y_.front() : y_[static_cast<std::size_t>(after - t_.begin()) - 1];
  }
  std::vector<double> jumps(double from, double to) const override {
    std::vector<double> times;
    const bool repeats = beyond_ == Beyond::repeat;
    // A period ends with a jump to the first value of the next one.
    const double first = repeats ? std::floor((from - t_.front()) / period()) - 1.0 : 0.0;
    for (double k = first;; ++k) {
      const double shift = repeats ? k * period() : 0.0;
      for (std::size_t i = 1; i < t_.size(); ++i) {
        const double t = t_[i] + shift;
        if (y_[i] != y_[i - 1] && t >= from - margin() && t < to - margin()) times.push_back(t);
      }
      if (!repeats || t_.front() + shift >= to) return times;
    }
  }
  TimeRange range() const override {
    return beyond_ == Beyond::refused ? TimeRange{t_.front(), t_.back()} : TimeRange{};
  }

 private:
  /// An instant that differs from an entry by rounding is the entry.
  double margin() const { return 1e-9 * (t_[1] - t_[0]); }
  double period() const { return t_.back() - t_.front(); }
  /// Whole periods before an instant; one that begins there counts from its right side on.
  double periods_before(const OneSidedTime& t) const {
    const double n = (t.t - t_.front()) / period(), nearest = std::round(n);
    if (std::abs(n - nearest) < 1e-12 * std::max(1.0, std::abs(n)))
      return t.from_left ? nearest - 1.0 : nearest;
    return std::floor(n);
  }

  std::vector<double> t_, y_;
  Beyond beyond_;
};

/// Slope between intervals of lengths h0, h1 and slopes d0, d1: the shorter interval has the larger weight.
double monotone_slope(double h0, double h1, double d0, double d1) {
  if (d0 * d1 <= 0.0) return 0.0;
  const double w0 = h0 + 2.0 * h1, w1 = 2.0 * h0 + h1;
  return (w0 + w1) / (w0 / d0 + w1 / d1);
}

/// Slope at the outer end of an interval of length h0 and slope d0, with h1 and d1 of the next one: that of the
/// parabola through three entries, within what keeps the interval monotone.
double monotone_end(double h0, double h1, double d0, double d1) {
  const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (slope * d0 <= 0.0) return 0.0;
  if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
  return slope;
}

/// Cubics by values and slopes. At inner entries the slopes are the weighted harmonic means of Fritsch and Butland
/// (SIAM J. Sci. Stat. Comput. 5, 1984, 300-304): no interval leaves the range of its two values.
std::vector<Piece> monotone_pieces(const std::vector<double>& t, const std::vector<double>& y,
                                   Beyond beyond) {
  const std::size_t n = t.size(), last = n - 2;
  std::vector<double> h, d, slope(n);
  for (std::size_t i = 0; i + 1 < n; ++i) h.push_back(t[i + 1] - t[i]), d.push_back((y[i + 1] - y[i]) / h[i]);
  for (std::size_t i = 1; i + 1 < n; ++i) slope[i] = monotone_slope(h[i - 1], h[i], d[i - 1], d[i]);
  switch (beyond) {
    case Beyond::refused:
      slope[0] = n == 2 ? d[0] : monotone_end(h[0], h[1], d[0], d[1]);
      slope[n - 1] = n == 2 ? d[0] : monotone_end(h[last], h[last - 1], d[last], d[last - 1]);
      break;
    case Beyond::hold:  // the next interval is level
      slope[0] = slope[n - 1] = 0.0;
      break;
    case Beyond::repeat:
      slope[0] = slope[n - 1] = monotone_slope(h[last], h[0], d[last], d[0]);
  }
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    pieces.push_back({y[i], y[i + 1], (6.0 * d[i] - 4.0 * slope[i] - 2.0 * slope[i + 1]) / h[i],
                      (2.0 * slope[i] + 4.0 * slope[i + 1] - 6.0 * d[i]) / h[i]});
  }
  return pieces;
}

std::vector<Piece> linear_pieces(const std::vector<double>& y) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < y.size(); ++i) pieces.push_back({y[i], y[i + 1], 0.0, 0.0});
  return pieces;
}

std::vector<Piece> spline_pieces(const std::vector<double>& t, const std::vector<double>& y,
                                 TableInterpolation interpolation) {
  const VectorXd m = spline_moments(t, Eigen::Map<const VectorXd>(y.data(), std::ssize(y)), interpolation);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < y.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    pieces.push_back({y[i], y[i + 1], m[k], m[k + 1]});
  }
  return pieces;
}

std::vector<Piece> pieces_of(const std::vector<double>& t, const std::vector<double>& y,
                             TableInterpolation interpolation, Beyond beyond) {
  switch (interpolation) {
    case TableInterpolation::natural:
    case TableInterpolation::clamped:
    case TableInterpolation::not_a_knot:
    case TableInterpolation::periodic:
      break;
    case TableInterpolation::monotone:
      return monotone_pieces(t, y, beyond);
    case TableInterpolation::linear:
    case TableInterpolation::constant:
      return linear_pieces(y);
  }
  return spline_pieces(t, y, interpolation);
}

}  // namespace

TimeFunctionPtr table(const std::vector<double>& t, const std::vector<double>& value,
                      TableInterpolation interpolation, Beyond beyond) {
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
  if (beyond == Beyond::repeat && value.front() != value.back()) {
    throw InputError(fmt::format("a table that repeats must end with its first value {}, not with {}",
                                 value.front(), value.back()));
  }
  if (interpolation == TableInterpolation::constant) return std::make_shared<StepTable>(t, value, beyond);
  return std::make_shared<Table>(t, pieces_of(t, value, interpolation, beyond), beyond);
}

}  // namespace kurbel
