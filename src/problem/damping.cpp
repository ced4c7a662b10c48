#include "problem/damping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "floating_frame/rigid_twin.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

bool reads_highest_derivatives(const CriterionTerm& term) {
  return traits_of(term.quantity).reads_highest_derivatives;
}

namespace {

/// Share of the oscillation that the end of the run may still carry.
constexpr double largest_remainder = 1e-4;

/// Whether constraints of position are integrated, with such of velocity and acceleration left to follow.
bool has_constraints(const Problem& problem) {
  return problem.integrator.method == IntegratorMethod::generalized_alpha &&
         (is_natural(problem.formulation)
              ? !has_no_constraints(problem.system)
              : n_free_dofs(problem.system) < 6 * static_cast<int>(problem.bodies.size()));
}

bool is_undamped(const Problem& problem) {
  return problem.integrator.rho_inf == 1.0 && has_constraints(problem);
}

/// The largest two-digit rho_inf of which largest_remainder is left after n steps.
double sufficient_rho_inf(int n) {
  return std::floor(100.0 * std::pow(largest_remainder, 1.0 / n)) / 100.0;
}

bool are_requested(const Problem& problem) {
  return problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint ||
         any_term(problem, reads_highest_derivatives);
}

InputError refusal(const Problem& problem, const std::string& reason) {
  return problem.error(
      "integrator.rho_inf",
      "= 1 does not damp what joints and drives excite in accelerations and reactions, and {}; "
      "take rho_inf = {:g} or less",
      reason, sufficient_rho_inf(problem.integrator.n_steps()));
}

}  // namespace

void check_damping(const Problem& problem, const CriterionTerm& term, const std::string& key) {
  if (reads_highest_derivatives(term) && is_undamped(problem)) throw refusal(problem, key + " asks for them");
}

void check_damping_of_adjoint(const Problem& problem) {
  if (problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint && is_undamped(problem))
    throw refusal(problem, "sensitivity.method = \"continuous-adjoint\" reads them");
}

std::optional<std::string> warning_of_oscillation(const Problem& problem) {
  const double rho = problem.integrator.rho_inf;
  const bool concerns = rho > IntegratorOptions{}.rho_inf || are_requested(problem);
  if (problem.analysis != Analysis::motion || problem.integrator.step == 0.0 || !concerns ||
      !has_constraints(problem))
    return {};
  const int n = problem.integrator.n_steps();
  const double left = std::pow(rho, n);
  if (left <= largest_remainder) return {};
  return fmt::format(
      "accelerations, reactions and drive torques oscillate from step to step: with integrator.rho_inf = "
      "{:g}, {:.2g} of the oscillation is left after {} steps, and at most {:g} may be. Choose "
      "rho_inf = {:g} or less; positions and velocities are not affected",
      rho, left, n, largest_remainder, sufficient_rho_inf(n));
}

}  // namespace kurbel
