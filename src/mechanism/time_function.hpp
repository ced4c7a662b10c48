/// @file
/// Prescribed functions of time for drives and applied loads.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "integration/one_sided_time.hpp"

namespace kurbel {

/// A value and its first two time derivatives.
template <class Scalar>
struct TimeValueOf {
  Scalar value{};
  Scalar rate{};
  Scalar acceleration{};
};
using TimeValue = TimeValueOf<double>;

/// The times from begin to end.
struct TimeRange {
  double begin = -std::numeric_limits<double>::infinity();
  double end = std::numeric_limits<double>::infinity();
};

/// A function of time with its derivatives. Immutable, shared between the models of a run.
class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  /// The value and its derivatives; at a jump, those before it.
  virtual TimeValue at(double t) const = 0;
  /// The value alone, on either side of a jump.
  virtual double value(const OneSidedTime& t) const { return at(t).value; }
  /// Instants within [from, to) at which the value jumps.
  virtual std::vector<double> jumps(double /*from*/, double /*to*/) const { return {}; }
  /// True if the function is known to be constant.
  virtual bool is_constant() const { return false; }
  /// True if the function is an oscillation about zero whose frequency an analysis gives (excitation.hpp).
  virtual bool is_excitation() const { return false; }
  /// Times at which the function is given. Beyond them at() continues it by a straight line, which serves rounding.
  virtual TimeRange range() const { return {}; }
};

using TimeFunctionPtr = std::shared_ptr<const TimeFunction>;

/// value0 + rate (t - t0)
TimeFunctionPtr constant_rate(double value0, double rate, double t0 = 0.0);

/// Value and derivatives that a polynomial takes at one end of its interval, lowest derivative first.
struct EndConditions {
  double t = 0.0;
  std::vector<double> derivatives;
};

/// The polynomial of lowest degree that meets both ends [P0, eqs 79-80]; beyond them it continues at the rate
/// that it has there.
/// @throws InputError if begin.t >= end.t or an end states nothing
TimeFunctionPtr polynomial(const EndConditions& begin, const EndConditions& end);

/// From rest at t = 0 to a constant rate from `duration` on, without a jump of the acceleration (spin-up
/// maneuver of the literature on rotating beams):
///     rate of change  r / T (t - T / (2 pi) sin(2 pi t / T))     for 0 <= t <= T
/// @throws InputError if the duration is not positive
TimeFunctionPtr spin_up(double rate, double duration);

/// An oscillation that sets in at t = 0:
///     w(t / T) A sin(2 pi f t + phi),    w(s) = s^3 (10 - 15 s + 6 s^2) for 0 <= s <= 1, 0 before, 1 after
/// @param fade_in  T, s; 0: the oscillation is there at all times
TimeFunctionPtr harmonic(double amplitude, double frequency, double phase = 0.0, double fade_in = 0.0);

}  // namespace kurbel
