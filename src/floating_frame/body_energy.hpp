/// @file
/// Energies of one body and their derivatives, from SID coefficients.
///
///     T   = m v.v / 2 + v.(omega x mc) + omega.(J omega) / 2 + v.(Ct^T q_dot) + omega.(Cr^T q_dot)
///           + q_dot.(Me q_dot) / 2                         = (v, omega, q_dot).M (v, omega, q_dot) / 2
///     U_e = q.(Ke q) / 2
///     U_g = -m r.g - mc.(S^T g)
///
/// with mc = mdCM(q), J, Ct and Cr taken at q.                                              [P0, eqs 69, 81]
#pragma once

#include "floating_frame/body_dynamics.hpp"

namespace kurbel {

/// J.
template <class Scalar>
struct BodyEnergy {
  Scalar kinetic, elastic, gravitational;
};

/// Weights of the kinds of energy in a sum.
struct EnergyWeights {
  double kinetic = 0.0, elastic = 0.0, gravitational = 0.0;
};

/// @param height  r.g, m^2/s^2
template <class Scalar>
BodyEnergy<Scalar> body_energy(const BodyLayout& layout, const Scalar* p, const BodyMotion<Scalar>& motion,
                               const Scalar& height, BodyWorkspace<Scalar>& ws);

/// Adds the derivatives of the weighted sum of energies by (delta r, delta theta, delta q) in the frame, by
/// (v, omega, q_dot) and by p.
/// @param x_bar, v_bar  (6 + n_q)
template <class Scalar>
void add_body_energy_partials(const BodyLayout& layout, const Scalar* p, const BodyMotion<Scalar>& motion,
                              const Scalar& height, const EnergyWeights& weights, BodyWorkspace<Scalar>& ws,
                              Eigen::Ref<VectorX<Scalar>> x_bar, Eigen::Ref<VectorX<Scalar>> v_bar,
                              Scalar* p_bar);

}  // namespace kurbel
