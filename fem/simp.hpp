/// @file
/// Penalized material of an element as a function of its density p.    [P0, eq. 78]
#pragma once

#include <cmath>

#include "fem/body_spec.hpp"

namespace kurbel::fem {

/// A factor of the solid's property and its derivative with respect to p.
struct SimpFactor {
  double value = 1.0;
  double derivative = 0.0;
};

/// E(p) / E0 = p^s
inline SimpFactor stiffness_factor(const Simp& simp, double p) {
  return {std::pow(p, simp.s), simp.s * std::pow(p, simp.s - 1.0)};
}

/// rho(p) / rho0 = p from the threshold on, c p^q below it. At the threshold the derivative is that of p.
inline SimpFactor mass_factor(const Simp& simp, double p) {
  if (p >= simp.threshold) return {p, 1.0};
  return {simp.c * std::pow(p, simp.q), simp.c * simp.q * std::pow(p, simp.q - 1.0)};
}

}  // namespace kurbel::fem
