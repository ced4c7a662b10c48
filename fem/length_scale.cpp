#include "fem/length_scale.hpp"

#include <cmath>
#include <numbers>

namespace kurbel::fem {

namespace {

/// Argument in [0, high] at which a rising function has a value.
template <class Function>
double inverse(const Function& f, double value, double high) {
  double low = 0.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (f(middle) < value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double share(const FilterSpec& filter, int dim, double a) {
  const double side = std::copysign(1.0, a), x = std::abs(a) / filter.radius;
  if (filter.kernel == FilterSpec::Kernel::helmholtz)
    return side * 0.5 * (1.0 - std::exp(-x * 2.0 * std::numbers::sqrt3));
  return side * (x < 1.0 ? share_of_cone(x, dim) : 0.5);
}

/// Least width of material, with the threshold eta and that of the eroded design.
double least_width(const FilterSpec& filter, int dim, double eta, double eroded) {
  const double far = 20.0 * filter.radius;
  const double half = inverse([&](double a) { return 2.0 * share(filter, dim, a); }, eroded, far);
  const auto missing = [&](double x) {
    return 1.0 - share(filter, dim, half + x) - share(filter, dim, half - x);
  };
  return 2.0 * inverse(missing, 1.0 - eta, far);
}

}  // namespace

double share_of_cone(double a, int dim) {
  if (dim == 3) return a - a * a * a + 0.5 * a * a * a * a;
  // int_0^a (sqrt(1 - x^2) - x^2 acosh(1 / x)) dx, times 3 / pi
  const double b = std::sqrt(1.0 - a * a), acosh = a > 0.0 ? std::acosh(1.0 / a) : 0.0;
  const double integral =
      0.5 * (a * b + std::asin(a)) - (a * a * a * acosh + 0.5 * (std::asin(a) - a * b)) / 3.0;
  return 3.0 / std::numbers::pi * integral;
}

double distance_of_share(double share, int dim) {
  return inverse([&](double a) { return share_of_cone(a, dim); }, share, 1.0);
}

LengthScale length_scale(const FilterSpec& filter, int dim, double eta, double robust) {
  return {least_width(filter, dim, eta, eta + robust),
          least_width(filter, dim, 1.0 - eta, 1.0 - eta + robust)};
}

}  // namespace kurbel::fem
