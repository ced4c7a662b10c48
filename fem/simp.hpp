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

/// E(p) / E0, by Simp::Stiffness.
inline SimpFactor stiffness_factor(const Simp& simp, double p) {
  const double of_solid = 1.0 - simp.void_stiffness;
  switch (simp.stiffness) {
    case Simp::Stiffness::modified:
      return {simp.void_stiffness + of_solid * std::pow(p, simp.s),
              of_solid * simp.s * std::pow(p, simp.s - 1.0)};
    case Simp::Stiffness::ramp: {
      const double slowed = 1.0 + simp.s * (1.0 - p);
      return {simp.void_stiffness + of_solid * p / slowed, of_solid * (1.0 + simp.s) / (slowed * slowed)};
    }
    case Simp::Stiffness::power:
      break;
  }
  return {std::pow(p, simp.s), simp.s * std::pow(p, simp.s - 1.0)};
}

/// rho(p) / rho0 = p from the threshold on, by Simp::LightMass below it. At the threshold the derivative is that of p.
inline SimpFactor mass_factor(const Simp& simp, double p) {
  if (p >= simp.threshold) return {p, 1.0};
  if (simp.light_mass == Simp::LightMass::smooth) {
    const double q = simp.q, ratio = p / simp.threshold, power = std::pow(ratio, q - 1.0);
    return {p * power * (q - (q - 1.0) * ratio), power * (q * q - (q * q - 1.0) * ratio)};
  }
  return {simp.c * std::pow(p, simp.q), simp.c * simp.q * std::pow(p, simp.q - 1.0)};
}

}  // namespace kurbel::fem
