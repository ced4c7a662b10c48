/// @file
/// Is this the gradient of that function? Differences against a given gradient, element by element and in
/// random directions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// f(x), or nothing if it can not be evaluated there.
using ScalarFunction = std::function<std::optional<double>(const VectorXd& x)>;

struct GradientCheckOptions {
  int n_elements = 10;               ///< random variables to check, all if there are fewer
  std::vector<Eigen::Index> always;  ///< variables to check besides those
  int n_directions = 3;              ///< random directions to check
  std::uint64_t seed = 1;
  /// Largest step, relative to upper - lower (to max(1, |x|) where that is infinite).
  double largest_step = 1e-2;
  /// Steps per row, each the one before divided by step_ratio.
  int n_steps = 4;
  double step_ratio = 8.0;
  /// Entries below this fraction of the largest are compared with that fraction of the largest.
  double small_entry = 1e-3;
};

struct GradientCheckRow {
  std::string label;            ///< "element 17", "direction 2"
  double adjoint = 0.0;         ///< g_i or g^T d, from the given gradient
  double difference = 0.0;      ///< from values of f alone; NaN if f could not be evaluated
  double relative_error = 0.0;  ///< infinite if f could not be evaluated
  double step = 0.0;            ///< smallest step behind `difference`
  double uncertainty = 0.0;     ///< estimated error of `difference`, relative like relative_error
};

/// Compares the gradient g of f at x with difference quotients.
///
/// Each derivative is extrapolated from a sweep of steps (Richardson's tableau; symmetric differences, error
/// h^2, h^4, ...). Which entry of the tableau counts is decided by how well its neighbours agree, never by
/// the given gradient (C. J. F. Ridders, Adv. Eng. Software 4 (1982) 75). Evaluations stay within the bounds:
/// where these leave no room on one side, differences are one-sided (error h^2, h^3, ...), into the interior.
///
/// An error is relative to max(|adjoint|, |difference|, small_entry * typical), typical being max |g_i| for
/// elements and |g| |d| / sqrt(n) for directions, so that an entry which is all but zero is judged by its
/// weight.
///
/// Variables with lower = upper are left out. Directions have entries in [-1, 1], times upper - lower;
/// entries of variables too close to a bound for a symmetric difference are zero, unless that holds for all
/// of them: then the direction points inwards.
///
/// @param x, gradient, lower, upper  (n)
/// @throws InputError if sizes differ, x is outside the bounds, or an option is out of range
std::vector<GradientCheckRow> check_gradient(const ScalarFunction& f, const VectorXd& x,
                                             const VectorXd& gradient, const VectorXd& lower,
                                             const VectorXd& upper, const GradientCheckOptions& options = {});

/// Largest relative error of the rows; 0 if there are none.
double worst_relative_error(const std::vector<GradientCheckRow>& rows);

struct TaylorTest {
  VectorXd steps;
  VectorXd remainders;  ///< |f(x + h d) - f(x) - h g^T d|
  /// Order at which the remainder vanishes with h: 2 for the right gradient, 1 for a wrong one. Fitted over
  /// the steps whose remainder is above rounding; nothing if fewer than two are.
  std::optional<double> slope;
};

/// Taylor remainder of f at x along d for the steps h = largest_step / 2^k, k = 0 .. n_steps - 1. The caller
/// sees to it that these points can be evaluated; steps at which f can not be are left out.
/// @throws InputError if sizes differ
TaylorTest taylor_test(const ScalarFunction& f, const VectorXd& x, const VectorXd& gradient,
                       const VectorXd& direction, double largest_step, int n_steps = 6);

}  // namespace kurbel
