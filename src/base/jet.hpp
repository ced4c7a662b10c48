/// @file
/// Forward differentiation: a number with its derivatives by N others, fit for kernels that are templated on the
/// scalar. S may be complex.
#pragma once

#include <cmath>

#include "base/types.hpp"

namespace kurbel {

template <class S, int N>
struct Jet {
  using Gradient = Eigen::Matrix<S, N, 1>;

  S a{};
  Gradient d = Gradient::Zero();

  Jet() = default;
  Jet(const S& value) : a(value) {}  // NOLINT(google-explicit-constructor): constants in formulas
  Jet(const S& value, const Gradient& gradient) : a(value), d(gradient) {}
  /// The number by which is differentiated, or another one of the N.
  static Jet variable(const S& value, int index) {
    Jet x(value);
    x.d[index] = S(1);
    return x;
  }

  Jet operator-() const { return {-a, -d}; }
  friend Jet operator+(const Jet& x, const Jet& y) { return {x.a + y.a, x.d + y.d}; }
  friend Jet operator-(const Jet& x, const Jet& y) { return {x.a - y.a, x.d - y.d}; }
  friend Jet operator*(const Jet& x, const Jet& y) { return {x.a * y.a, y.a * x.d + x.a * y.d}; }
  friend Jet operator/(const Jet& x, const Jet& y) {
    const S inverse = S(1) / y.a, quotient = x.a * inverse;
    return {quotient, inverse * (x.d - quotient * y.d)};
  }
  friend Jet operator+(const Jet& x, const S& y) { return {x.a + y, x.d}; }
  friend Jet operator+(const S& x, const Jet& y) { return y + x; }
  friend Jet operator-(const Jet& x, const S& y) { return {x.a - y, x.d}; }
  friend Jet operator*(const S& x, const Jet& y) { return {x * y.a, x * y.d}; }
  friend Jet operator*(const Jet& x, const S& y) { return y * x; }
};

template <class S, int N>
Jet<S, N> sqrt(const Jet<S, N>& x) {
  using std::sqrt;
  const S root = sqrt(x.a);
  return {root, (S(0.5) / root) * x.d};
}

template <class S, int N>
Jet<S, N> exp(const Jet<S, N>& x) {
  using std::exp;
  const S value = exp(x.a);
  return {value, value * x.d};
}

template <class S, int N>
Jet<S, N> sin(const Jet<S, N>& x) {
  using std::cos, std::sin;
  return {sin(x.a), cos(x.a) * x.d};
}

template <class S, int N>
Jet<S, N> atan(const Jet<S, N>& x) {
  using std::atan;
  return {atan(x.a), (S(1) / (S(1) + x.a * x.a)) * x.d};
}

}  // namespace kurbel
