/// @file
/// Gradient of integrals over time and final values from the continuous adjoint equations.
///
/// For psi = G(x, v, v_dot, lambda; p) at t1 + int F(t, x, v, v_dot, lambda; p) dt along a solution of f = 0,
/// c_ddot = 0. Varied along the tangent coordinates of the Lie group, x_dot = X(x) v says (delta x)_dot =
/// delta v - ad_v delta x. So with sigma = M nu of the reference and xi its nu + xi: [P0, eqs 3-6]
///
///     mu_dot    = ad_v^T mu + f_x^T xi + c_ddot_x^T gamma - F_x            mu(t1) = G_x - ...
///     sigma_dot = -mu       + f_v^T xi + c_ddot_v^T gamma - F_v            sigma(t1) = G_v - ...
///     [M C^T; C 0] [xi; gamma] = [F_v_dot + sigma; F_lambda]
///     grad psi  = int (F_p - f_p^T xi - c_ddot_p^T gamma) dt - phi_p^T zeta0 - phi_dot_p^T eta0
///
/// At t1, v_dot and lambda of G follow from x and v: with [M C^T; C 0] [xi1; gamma1] = [G_v_dot; G_lambda],
/// mu(t1) = G_x - f_x^T xi1 - c_ddot_x^T gamma1, sigma(t1) alike, and the gradient gains
/// G_p - f_p^T xi1 - c_ddot_p^T gamma1.
///
/// where eta0 and zeta0 follow from mu(t0) and sigma(t0) by the implicit initial conditions [P0, eq. 5].
///
/// Backward in time over the steps of a stored trajectory, or fractions of them, by the two-step backward
/// differentiation formula, started by one trapezoidal step; the integral by the trapezoidal rule: second
/// order, L-stable. Between two steps mu is carried along with the moving frames, exp(-ad_{h v})^T mu. The
/// gradient differs by O(h^2) from that of the discrete psi; what the steps do not resolve, high elastic
/// modes above all, is damped.
#pragma once

#include <vector>

#include "integration/dae_steps.hpp"
#include "integration/second_order_dae.hpp"
#include "sensitivity/integrand.hpp"

namespace kurbel {

/// d psi_j / d p of several criteria at once.
/// @param steps       those that found the trajectory last, whose start is not solved again
/// @param trajectory  complete, with equal steps
/// @param substeps    backward steps per stored one, at least 1; states between stored ones are interpolated
/// @param finals      G_j, as many as integrands; none if they are all zero
/// @return            n_parameters x (number of integrands)
MatrixXd continuous_adjoint(const SecondOrderDae<double>& model, DaeSteps<double>& steps,
                            const Trajectory<double>& trajectory,
                            const std::vector<const Integrand<double>*>& integrands, int substeps = 1,
                            const std::vector<const Integrand<double>*>& finals = {});

/// The same by the Runge-Kutta method of order 4, for motions of order 4 of equations that are not stiff; between two
/// steps the motion is interpolated to that order. In joint coordinates this is the joint-space adjoint, of all
/// bodies the global one                                                            [P3, eqs 20-22, 27-31]
MatrixXd explicit_continuous_adjoint(const SecondOrderDae<double>& model, DaeSteps<double>& steps,
                                     const Trajectory<double>& trajectory,
                                     const std::vector<const Integrand<double>*>& integrands,
                                     const std::vector<const Integrand<double>*>& finals = {});

/// The continuous adjoint that belongs to the method of the motion.
MatrixXd continuous_adjoint_of(IntegratorMethod forwards, const SecondOrderDae<double>& model,
                               DaeSteps<double>& steps, const Trajectory<double>& trajectory,
                               const std::vector<const Integrand<double>*>& integrands, int substeps,
                               const std::vector<const Integrand<double>*>& finals);

}  // namespace kurbel
