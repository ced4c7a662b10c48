/// @file
/// Estimates of the error of a value from those on finer and finer discretizations.
///
///     f(h) = f* + C h^p + ...,    (f_0 - f_1) / (f_1 - f_2) = (h_0^p - h_1^p) / (h_1^p - h_2^p)
///
/// gives the order p of three values, and Richardson's extrapolation to h = 0 the limit f*. After P. J. Roache, Annu. Rev.
/// Fluid Mech. 29 (1997) 123. A p above the order of smooth solutions is a coincidence; then that order counts, which
/// estimates the larger error.
#pragma once

#include <optional>
#include <string>

#include "base/types.hpp"

namespace kurbel {

enum class Trend {
  independent,   ///< the values differ by rounding errors
  monotone,      ///< they approach a limit from one side, by smaller and smaller steps
  settled,       ///< the last two differ by rounding errors, or all by no more than 1e-4 of them
  not_monotone,  ///< their steps change sign
  not_settling,  ///< their steps do not become smaller
  unseen,        ///< two values have one step
};

struct ConvergenceEstimate {
  Trend trend = Trend::unseen;
  std::optional<double> order{};  ///< p of monotone values over sizes h
  double limit = 0.0;             ///< f*, or the last value where nothing is known of it
  double error = 0.0;             ///< estimate of |f_0 - f*|; infinite where values do not settle
};

/// If all values agree to 1e-4, steps that do not become smaller, or hardly do, are no sign of a singularity: the mass of a
/// part with round walls changes so. The error is then at most ten times the spread of the values, and the trend `settled`.
/// @param h           sizes, descending, two or three
/// @param f           finite values
/// @param best_order  p for smooth solutions; two values rely on it
/// @throws std::logic_error if there are other numbers of values
ConvergenceEstimate estimate_convergence(const VectorXd& h, const VectorXd& f, double best_order);

/// The same for numbers of modes or tolerances, whose error follows no power: the error of the first value is taken as its
/// distance from the last value plus the last step.
/// @param f  two or three finite values
ConvergenceEstimate estimate_truncation(const VectorXd& f);

/// The number of significant digits of a value that an error leaves: it is at most half a unit of the last one. At most 12.
int digits_within(double value, double error);

/// The value with these digits, "24" or "2.1e+02"; with all where the error is zero, and "no digit" or "unknown" (infinite
/// error) where there are none.
std::string text_within(double value, double error);

}  // namespace kurbel
