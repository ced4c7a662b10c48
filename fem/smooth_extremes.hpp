/// @file
/// Maximum and minimum of densities as smooth functions:
///
///     max(a, b) = (a^p + b^p - a^p b^p)^(1/p),   min(a, b) = a b / max(a, b)
///
/// For a and b in [0, 1]: both are symmetric, associative and monotone, min <= the smaller <= the larger <= max <= 1, and exact where one of
/// them is 0 or 1, so that no chain of them leaves [0, 1], rounds a monotone row or is wrong where a design is black and white. Between grey
/// densities max is larger and min smaller than the exact one, by up to 2^(1/p); of n equal ones, n^(1/p).
#pragma once

#include <cmath>

namespace kurbel::fem {

template <class Scalar>
struct Extreme {
  Scalar value, by_a, by_b;  ///< with derivatives
};

namespace detail {
constexpr double extreme_exponent = 12.0;
template <class Scalar>
Scalar to_exponent(const Scalar& x) {
  const Scalar cube = x * x * x, sixth = cube * cube;
  return sixth * sixth;
}
/// x^(p - 1) of x^p
template <class Scalar>
Scalar lowered(const Scalar& xp, const Scalar& x) {
  return x == Scalar(0.0) ? Scalar(0.0) : xp / x;
}
}  // namespace detail

/// Smooth maximum. The derivatives at a = b = 0 are those along a = b.
template <class Scalar>
Extreme<Scalar> smooth_max(const Scalar& a, const Scalar& b) {
  using std::pow;
  const Scalar ap = detail::to_exponent(a), bp = detail::to_exponent(b);
  const Scalar sum = ap + bp - ap * bp;
  if (sum == Scalar(0.0)) {
    const Scalar half(std::pow(2.0, 1.0 / detail::extreme_exponent - 1.0));
    return {Scalar(0.0), half, half};
  }
  const Scalar value = pow(sum, 1.0 / detail::extreme_exponent), factor = value / sum;
  return {value, factor * detail::lowered(ap, a) * (1.0 - bp), factor * detail::lowered(bp, b) * (1.0 - ap)};
}

template <class Scalar>
Extreme<Scalar> smooth_min(const Scalar& a, const Scalar& b) {
  const Extreme<Scalar> max = smooth_max(a, b);
  if (max.value == Scalar(0.0)) {
    const Scalar half(std::pow(2.0, -1.0 / detail::extreme_exponent - 1.0));
    return {Scalar(0.0), half, half};
  }
  const Scalar value = a * b / max.value;
  return {value, (b - value * max.by_a) / max.value, (a - value * max.by_b) / max.value};
}

}  // namespace kurbel::fem
