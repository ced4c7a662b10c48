/// @file
/// Instants at which functions of time may jump.
#pragma once

namespace kurbel {

/// An instant, s. Where a function of time jumps, its value there is the one before the jump, which a step that ends
/// there has; or, with from_left = false, the one after it, which a step that begins there has.
struct OneSidedTime {
  OneSidedTime(double time = 0.0, bool left = true) : t(time), from_left(left) {}
  operator double() const { return t; }
  /// Also of the side.
  bool is(const OneSidedTime& other) const { return t == other.t && from_left == other.from_left; }

  double t;
  bool from_left;
};

}  // namespace kurbel
