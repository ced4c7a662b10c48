#include "keys/range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kurbel {

bool Range::contains(double x) const {
  if (std::isnan(x) || (std::isinf(x) && !infinite)) return false;
  return (lower_open ? x > lower : x >= lower) && (upper_open ? x < upper : x <= upper);
}

std::string Range::complaint(double x) const {
  if (!std::isfinite(x) && !infinite) return "must be finite";
  if (std::isfinite(upper) || !std::isfinite(lower)) {
    return fmt::format("is outside {}{}, {}{}", lower_open ? '(' : '[', lower, upper, upper_open ? ')' : ']');
  }
  if (lower == 0.0) return lower_open ? "must be positive" : "must not be negative";
  return fmt::format("must be {} {}", lower_open ? "above" : "at least", lower);
}

std::string Range::description() const {
  const bool lower_bound = std::isfinite(lower), upper_bound = std::isfinite(upper);
  if (!lower_bound && !upper_bound) return "a number";
  if (upper_bound) {
    return fmt::format("a number in {}{}, {}{}", lower_open ? '(' : '[', lower, upper,
                       upper_open ? ')' : ']');
  }
  return fmt::format("a number {} {}", lower_open ? "above" : "of at least", lower);
}

}  // namespace kurbel
