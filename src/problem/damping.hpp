/// @file
/// A check that the time integration damps enough for the observed quantities.
///
/// With constraints generalized-alpha has, at infinite frequency, a double root -rho_inf: after a start or a
/// jump, accelerations and multipliers carry an error of the form (a + b k) (-rho_inf)^k, of order h per step
/// k. With rho_inf = 1 nothing damps it, and k h grows to the length of the run: accelerations, reactions
/// and drive torques are off by an amount that does not depend on the step. Positions and velocities are of
/// order two for any rho_inf.    [M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149]
#pragma once

#include <optional>
#include <string>

#include "problem/problem.hpp"

namespace kurbel {

/// True for an acceleration, a reaction or the torque of a drive: quantities of the highest order in time.
bool reads_highest_derivatives(const CriterionTerm& term);

/// A criterion of accelerations, reactions or drive torques needs rho_inf < 1 where there are constraints.
/// @param key  of its type, such as "objective.type"
/// @throws InputError that names rho_inf and the criterion
void check_damping(const Problem& problem, const CriterionTerm& term, const std::string& key);

/// The continuous adjoint reads accelerations and multipliers of the motion, whatever the criterion.
/// @throws InputError that names rho_inf and the method
void check_damping_of_adjoint(const Problem& problem);

/// A warning of a motion whose accelerations and multipliers carry the oscillation through a
/// considerable part of the run: rho_inf^n > 1e-4 after all n steps. Its root mean square over the run is
/// then 3 % of the undamped one or more, sqrt(3 / (4 d^3)) with d = -n ln rho_inf. Nothing unless these are
/// requested or rho_inf is above its default.
std::optional<std::string> warning_of_oscillation(const Problem& problem);

}  // namespace kurbel
