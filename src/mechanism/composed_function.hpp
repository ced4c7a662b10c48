/// @file
/// Functions of time made of others.
#pragma once

#include "mechanism/time_function.hpp"

namespace kurbel {

/// factor * function
TimeFunctionPtr scaled(TimeFunctionPtr function, double factor);

/// outer(inner(t)), as a table over the angle of a joint that a drive turns.
/// Precondition: outer has no jumps, and a value everywhere
TimeFunctionPtr composed(TimeFunctionPtr outer, TimeFunctionPtr inner);

/// A function of the share of a motion from t0 to t1 that has passed, of_share((t - t0) / (t1 - t0)).
TimeFunctionPtr relative(TimeFunctionPtr of_share, double t0, double t1);

/// The same function in a motion from t0 to t1; itself if it is neither relative nor made of one that is. None remains
/// none.
TimeFunctionPtr in_motion(const TimeFunctionPtr& function, double t0, double t1);
/// True if the function has the same values at the same shares of every motion.
bool is_relative(const TimeFunction& function);
/// Derivatives of the value, the rate and the acceleration of a relative function by t1, at a fixed share of the motion:
///     0,    -s_dot / (t1 - t0),    -2 s_ddot / (t1 - t0)
template <class Scalar>
TimeValueOf<Scalar> by_end(const TimeValueOf<Scalar>& s, double span) {
  return {Scalar(0), -s.rate / span, -2.0 * s.acceleration / span};
}

}  // namespace kurbel
