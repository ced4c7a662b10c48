/// @file
/// Forces and energies of springs by their law, laws.hpp, as functions of
///
///     s = d . d / 2,  s_dot = d . d_dot,   d the vector from "from" to "to", m
///     c, b, l_0                            stiffness (N/m), damping (N s/m), free length (m)
///
/// The force on "to" is
///
///     F = -phi(s, s_dot; c, b, l_0) d                      the damper acts along the line               [P2, eqs 51, 52]
///     F = -phi(s, 0; c, 0, l_0) d - b d_dot                isotropic damping [P1, eq. 65], as of the linear law, phi = c
///
/// and the energy V(s; c, l_0) has dV/ds = phi where s_dot = 0.
#pragma once

#include <cmath>

#include "base/types.hpp"
#include "mechanism/laws.hpp"
#include "mechanism/line_length.hpp"

namespace kurbel {

/// phi, N/m, and its derivatives; by c, b and l_0 in phi_xi.
template <class S>
struct SpringTension {
  S phi, phi_s = S(0), phi_sdot = S(0);
  Vector3<S> phi_xi;
};

/// V, J, and its derivatives by c and l_0.
template <class S>
struct SpringEnergy {
  S V, V_c, V_l0 = S(0);
};

/// True if the damper acts against d_dot rather than along d.
constexpr bool damps_every_direction(SpringLaw law, bool isotropic_damping) {
  return law == SpringLaw::linear || isotropic_damping;
}

/// True if the force needs a direction of d that coinciding ends do not have.
constexpr bool acts_along_line(SpringLaw law) {
  return law == SpringLaw::hooke;
}

template <class S>
SpringTension<S> spring_tension(SpringLaw law, const S& s, const S& s_dot, const S& c, const S& b,
                                const S& l0) {
  SpringTension<S> t;
  switch (law) {
    case SpringLaw::linear:
      t.phi = c;
      t.phi_xi << S(1), S(0), S(0);
      break;
    case SpringLaw::hooke: {
      const S l = line_length(S(2.0 * s)), l2 = l * l;
      t.phi = c * (1.0 - l0 / l) + b * s_dot / l2;
      t.phi_s = c * l0 / (l * l2) - 2.0 * b * s_dot / (l2 * l2);
      t.phi_sdot = b / l2;
      t.phi_xi << 1.0 - l0 / l, s_dot / l2, -c / l;
      break;
    }
    case SpringLaw::green_lagrange: {
      const S l2 = l0 * l0, eps = s / l2 - 0.5, eps_dot = s_dot / l2;
      t.phi = c * eps + b * eps_dot;
      t.phi_s = c / l2;
      t.phi_sdot = b / l2;
      t.phi_xi << eps, eps_dot, -2.0 * (c * s + b * s_dot) / (l2 * l0);
      break;
    }
  }
  return t;
}

/// F on "to", N, and its derivatives by d, d_dot and (c, b, l_0).
template <class S>
struct SpringForce {
  Vector3<S> F;
  Matrix3<S> F_d, F_ddot, F_xi;
};

/// @param is_isotropic  damps_every_direction()
template <class S>
SpringForce<S> spring_force(SpringLaw law, bool is_isotropic, const Vector3<S>& d, const Vector3<S>& d_dot,
                            const S& c, const S& b, const S& l0) {
  const S s = 0.5 * (d.transpose() * d).value(), s_dot = (d.transpose() * d_dot).value();
  const SpringTension<S> t =
      is_isotropic ? spring_tension(law, s, S(0), c, S(0), l0) : spring_tension(law, s, s_dot, c, b, l0);
  SpringForce<S> out;
  out.F = -t.phi * d;
  out.F_d = -t.phi * Matrix3<S>::Identity() - d * (t.phi_s * d.transpose() + t.phi_sdot * d_dot.transpose());
  out.F_ddot = -t.phi_sdot * d * d.transpose();
  out.F_xi = -d * t.phi_xi.transpose();
  if (!is_isotropic) return out;
  out.F -= b * d_dot;
  out.F_ddot -= b * Matrix3<S>::Identity();
  out.F_xi.col(1) -= d_dot;
  return out;
}

template <class S>
SpringEnergy<S> spring_energy(SpringLaw law, const S& s, const S& c, const S& l0) {
  using std::sqrt;
  const S l2 = 2.0 * s;
  SpringEnergy<S> energy;
  switch (law) {
    case SpringLaw::linear:
      energy.V = 0.5 * c * l2, energy.V_c = s;
      break;
    case SpringLaw::hooke: {
      const S stretch = sqrt(l2) - l0;
      energy.V = 0.5 * c * stretch * stretch;
      energy.V_c = 0.5 * stretch * stretch, energy.V_l0 = -c * stretch;
      break;
    }
    case SpringLaw::green_lagrange: {
      const S stretch = 0.5 * (l2 - l0 * l0) / l0;  // l_0 eps
      energy.V = 0.5 * c * stretch * stretch;
      energy.V_c = 0.5 * stretch * stretch, energy.V_l0 = -c * stretch * (0.5 * l2 / (l0 * l0) + 0.5);
      break;
    }
  }
  return energy;
}

/// The free length with which a spring of length l that rests pulls with a force f (N), and its derivatives.
struct FreeLength {
  double l0, l0_l, l0_c;
};

/// Hooke: l_0 = l - f / c. Green-Lagrange: l_0 = l g^(-1/2), g = 1 + 2 f / (c l); not a number unless g > 0.
/// Linear springs have no free length: not a number.
inline FreeLength free_length_of(SpringLaw law, double l, double c, double f) {
  switch (law) {
    case SpringLaw::linear:
      break;
    case SpringLaw::hooke:
      return {l - f / c, 1.0, f / (c * c)};
    case SpringLaw::green_lagrange: {
      const double g = 1.0 + 2.0 * f / (c * l), root = std::sqrt(g), by_g = 1.0 / (g * root);
      return {l / root, 1.0 / root + by_g * f / (c * l), by_g * f / (c * c)};
    }
  }
  const double none = std::nan("");
  return {none, none, none};
}

}  // namespace kurbel
