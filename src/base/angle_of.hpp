/// @file
/// Angles as analytic functions.
#pragma once

#include <cmath>
#include <type_traits>

namespace kurbel {

/// atan2, analytic in both arguments.
template <class S>
S angle_of(const S& sine, const S& cosine) {
  if constexpr (std::is_same_v<S, double>) {
    return std::atan2(sine, cosine);
  } else {
    const double s = sine.real(), c = cosine.real();
    return {std::atan2(s, c), (c * sine.imag() - s * cosine.imag()) / (s * s + c * c)};
  }
}

}  // namespace kurbel
