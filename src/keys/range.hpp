/// @file
/// Intervals of numbers.
#pragma once

#include <limits>
#include <string>

namespace kurbel {

/// The numbers that a key accepts. Only finite ones, unless `infinite` is set.
struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;
  bool upper_open = false;
  bool infinite = false;

  static Range any() { return {}; }
  static Range any_or_infinite() { return {.infinite = true}; }
  static Range positive() { return {.lower = 0.0, .lower_open = true}; }
  static Range at_least(double lower) { return {.lower = lower}; }
  static Range closed(double lower, double upper) { return {.lower = lower, .upper = upper}; }
  static Range open(double lower, double upper) {
    return {.lower = lower, .upper = upper, .lower_open = true, .upper_open = true};
  }
  static Range above(double lower, double upper) {
    return {.lower = lower, .upper = upper, .lower_open = true};
  }

  bool contains(double x) const;
  std::string complaint(double x) const;  ///< "must be positive", "is outside (-1, 0.5)"
  std::string description() const;        ///< "a positive number", "a number in (-1, 0.5)"
};

}  // namespace kurbel
