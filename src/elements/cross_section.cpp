#include "elements/cross_section.hpp"

#include <cmath>
#include <numbers>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

using std::numbers::pi;

template <class S>
double real_value(const S& s) {
  return real_part(s);
}

template <class S, int N>
double real_value(const Jet<S, N>& x) {
  return real_part(x.a);
}

bool is_rectangular(SectionShape shape) {
  return shape == SectionShape::square || shape == SectionShape::rectangle;
}

/// Outer and inner diameter of what is round.
template <class T>
std::pair<T, T> diameters(SectionShape shape, const T& dim0, const T& dim1) {
  return {dim0, shape == SectionShape::tube ? dim1 : T(0.0)};
}

/// Sides of what is rectangular, along y and z.
template <class T>
std::pair<T, T> sides(SectionShape shape, const T& dim0, const T& dim1) {
  return {dim0, shape == SectionShape::rectangle ? dim1 : dim0};
}

/// The series of tanh(n pi a / (2 b)) / n^5 for a >= b, as that of 1 / n^5 less terms that decay as
/// exp(-n pi a / b).
template <class T>
T torsion_series(const T& a, const T& b) {
  using std::exp;
  constexpr double sum_n5 = 1.00452376279513961613;  // 31 / 32 zeta(5)
  T sum(sum_n5);
  for (int n = 1; n <= 11; n += 2) {
    const T e = exp((-n * pi) * (a / b));
    sum = sum - (2.0 / std::pow(n, 5)) * (e / (e + 1.0));
  }
  return sum;
}

template <class T>
T rectangle_torsion(const T& width, const T& height) {
  const bool wide = real_value(width) >= real_value(height);
  const T a = wide ? width : height, b = wide ? height : width, b2 = b * b;
  return (1.0 / 3.0) * (a * b * b2) - (64.0 / std::pow(pi, 5)) * (b2 * b2 * torsion_series(a, b));
}

/// Derivatives of Prandtl's function over G twist: (phi_x, phi_y) at x = a xi, y = b eta of a rectangle with
/// half sides a <= b.
///
///     phi_x = -2 x + 16 a / pi^2 sum (-1)^((n-1)/2) / n^2 cosh(k eta) / cosh(k) sin(n pi xi / 2)
///     phi_y =      - 16 a / pi^2 sum (-1)^((n-1)/2) / n^2 sinh(k eta) / cosh(k) cos(n pi xi / 2)
///
/// with k = n pi b / (2 a), n = 1, 3, 5, ...
template <class T>
std::pair<T, T> prandtl(const T& a, const T& b, double xi, double eta) {
  using std::exp;
  constexpr int terms = 40;
  const double side = std::abs(eta), sign = eta < 0.0 ? -1.0 : 1.0;
  T sum_x(0.0), sum_y(0.0);
  for (int i = 0; i < terms; ++i) {
    const int n = 2 * i + 1;
    const T k = (0.5 * n * pi) * (b / a);
    const T near = exp(-(1.0 - side) * k), far = exp(-(1.0 + side) * k), both = exp(-2.0 * k) + 1.0;
    const double weight = (i % 2 == 0 ? 1.0 : -1.0) / (n * n), angle = 0.5 * n * pi * xi;
    sum_x = sum_x + (weight * std::sin(angle)) * ((near + far) / both);
    sum_y = sum_y + (sign * weight * std::cos(angle)) * ((near - far) / both);
  }
  constexpr double scale = 16.0 / (pi * pi);
  return {a * (scale * sum_x - T(2.0 * xi)), -scale * (a * sum_y)};
}

}  // namespace

template <class T>
SectionOutline<T>::SectionOutline(SectionShape shape, const T& dim0, const T& dim1) {
  if (is_rectangular(shape)) {
    const auto [width, height] = sides(shape, dim0, dim1);
    A = width * height;
    I_y = (1.0 / 12.0) * (A * height * height), I_z = (1.0 / 12.0) * (A * width * width);
    c_y = 0.5 * width, c_z = 0.5 * height;
    return;
  }
  const auto [outer, inner] = diameters(shape, dim0, dim1);
  const T outer2 = outer * outer, inner2 = inner * inner;
  A = (pi / 4.0) * (outer2 - inner2);
  I_y = I_z = (1.0 / 16.0) * (A * (outer2 + inner2));
  c_y = c_z = 0.5 * outer;
}

template <class T>
SectionProperties<T>::SectionProperties(SectionShape shape, const T& dim0, const T& dim1, const T& nu)
    : SectionOutline<T>(shape, dim0, dim1) {
  if (is_rectangular(shape)) {
    const auto [width, height] = sides(shape, dim0, dim1);
    J_t = rectangle_torsion(width, height);
    k = T(5.0 / 6.0);
    return;
  }
  const auto [outer, inner] = diameters(shape, dim0, dim1);
  J_t = 2.0 * this->I_y;
  const T m2 = inner * inner / (outer * outer), wall = (m2 + 1.0) * (m2 + 1.0);
  k = (6.0 * nu + 6.0) * wall / ((6.0 * nu + 7.0) * wall + (12.0 * nu + 20.0) * m2);
}

template <class T>
ShearStress<T> torsional_shear(SectionShape shape, const T& dim0, const T& dim1, double eta, double zeta) {
  if (!is_rectangular(shape)) return {(-0.5 * zeta) * dim0, (0.5 * eta) * dim0};
  const auto [width, height] = sides(shape, dim0, dim1);
  const T c_y = 0.5 * width, c_z = 0.5 * height;  // tau_xy = phi_z, tau_xz = -phi_y
  if (real_value(width) <= real_value(height)) {
    const auto [phi_y, phi_z] = prandtl(c_y, c_z, eta, zeta);
    return {phi_z, -phi_y};
  }
  const auto [phi_z, phi_y] = prandtl(c_z, c_y, zeta, eta);
  return {phi_z, -phi_y};
}

template <class T>
T peak_of_shear(SectionShape shape, const T& dim0, const T& dim1) {
  if (is_rectangular(shape)) return T(1.5);
  const auto [outer, inner] = diameters(shape, dim0, dim1);
  const T m = inner / outer, m2 = m * m;
  return (4.0 / 3.0) * ((m + m2 + 1.0) / (m2 + 1.0));
}

using S = InstantiatedScalar;
using J = SectionJet<S>;
template struct SectionOutline<S>;
template struct SectionOutline<J>;
template struct SectionProperties<S>;
template struct SectionProperties<J>;
template ShearStress<S> torsional_shear(SectionShape, const S&, const S&, double, double);
template ShearStress<J> torsional_shear(SectionShape, const J&, const J&, double, double);
template S peak_of_shear(SectionShape, const S&, const S&);
template J peak_of_shear(SectionShape, const J&, const J&);

}  // namespace kurbel
