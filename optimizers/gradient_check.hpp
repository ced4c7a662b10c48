/// @file
/// A check of a given gradient against differences of its function, element by element and in
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

/// Some functions at once, m values, or nothing if they can not be evaluated there.
using VectorFunction = std::function<std::optional<VectorXd>(const VectorXd& x)>;

struct GradientCheckOptions {
  int n_elements = 10;               ///< random variables to check, all if there are fewer
  std::vector<Eigen::Index> always;  ///< variables to check besides those
  int n_directions = 3;              ///< random directions to check
  std::uint64_t seed = 1;
  /// Largest step, relative to upper - lower; to max(1, |x|) where that is infinite, and to |x| ln(upper / lower) where
  /// this is less because the bounds span decades.
  double largest_step = 1e-2;
  /// Steps per row at most, each the one before divided by step_ratio.
  int n_steps = 4;
  double step_ratio = 8.0;
  /// After four steps no smaller ones are taken once the uncertainty of every function is below this.
  double sufficient = 0.0;
  /// Sweeps of n_steps at most along a line. The next one begins where the last one ended, as long as a function does
  /// not agree: what bends on a smaller scale than all steps looks like a kink. The estimate counts whose error is least.
  int n_sweeps = 1;
  /// Evaluations next to x, by rounding errors of it apart, that measure the noise of the functions.
  int n_noise_samples = 0;
  /// True if the functions are smooth on the whole straight line from x to this point; steps do not leave
  /// such lines. Empty: nothing is known of kinks.
  std::function<bool(const VectorXd& to)> is_smooth_up_to;
  /// Entries below this fraction of the largest are compared with that fraction of the largest.
  double small_entry = 1e-3;
  /// Changes over a whole range below this fraction of the function's value count as none.
  double small_change = 1e-9;
  /// Changes over a whole range below this count as none, whatever the unit: what rounding leaves of a zero may be the
  /// square of what it leaves of the zero that the function is made of.
  double no_change = 1e-60;
};

struct GradientCheckRow {
  Eigen::Index function = 0;             ///< position among the functions
  std::optional<Eigen::Index> variable;  ///< none: a direction
  int direction = 0;                     ///< its number, from 1
  double adjoint = 0.0;                  ///< g_i or g^T d, from the given gradient
  double difference = 0.0;               ///< from values of f alone; NaN if f could not be evaluated
  double relative_error = 0.0;           ///< infinite if f could not be evaluated
  double step = 0.0;                     ///< smallest step behind `difference`
  double uncertainty = 0.0;              ///< estimated error of `difference`, relative like relative_error

  /// "variable 17", "direction 2"
  std::string label() const;
};

/// The verdict of a row on the gradient.
enum class Agreement {
  agrees,       ///< adjoint and difference agree, and the difference is accurate enough to say so
  cannot_tell,  ///< they may differ by the error of the difference alone
  differs,      ///< they differ by more than its error explains
};

/// Agrees: neither the relative error nor the uncertainty exceeds the tolerance, which is ten times the
/// uncertainty, between 1e-6 and 1e-2, unless given. So no gradient that is off by more than 2 % is approved,
/// however noisy the function. Differs: the error exceeds the tolerance and ten times the uncertainty, for
/// estimated errors of differences are right to their order only. Cannot tell: all else.
Agreement verdict_of(const GradientCheckRow& row, const std::optional<double>& tolerance = {});

/// differs if any row does; else cannot_tell if any is so, or if there are none.
Agreement overall_verdict(const std::vector<GradientCheckRow>& rows,
                          const std::optional<double>& tolerance = {});

/// Compares the gradient g of f at x with difference quotients.
///
/// Each derivative is extrapolated from a sweep of steps on both sides of x (extrapolation.hpp), which stay
/// within the bounds and where f is smooth: smaller ones where there is little room, on one side alone where
/// the other has less than an eighth of its room. The quotients that agree best with each other count;
/// the given gradient has no influence on this choice.
///
/// An error is relative to max(|adjoint|, |difference|, small_entry * typical, small_change * |f|, no_change),
/// typical being max |g_i| for elements and |g| |d| / sqrt(n) for directions, so that an entry which is all but zero
/// is judged by its weight.
///
/// Variables with lower = upper are left out. Directions have entries in [-1, 1], times upper - lower;
/// entries of variables too close to a bound are zero, unless that holds for all of them: then the direction
/// points inwards. Where such a direction soon meets a kink on both sides, all its entries get one sign.
///
/// @param x, gradient, lower, upper  (n)
/// @throws InputError if sizes differ, x is outside the bounds, or an option is out of range
std::vector<GradientCheckRow> check_gradient(const ScalarFunction& f, const VectorXd& x,
                                             const VectorXd& gradient, const VectorXd& lower,
                                             const VectorXd& upper, const GradientCheckOptions& options = {});

/// The same for several functions, each along the same lines: all rows of the first function, then of the
/// next.
/// @param gradients  (n x m)
std::vector<GradientCheckRow> check_gradients(const VectorFunction& f, const VectorXd& x,
                                              const MatrixXd& gradients, const VectorXd& lower,
                                              const VectorXd& upper,
                                              const GradientCheckOptions& options = {});

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
