/// @file
/// Derivatives of functions of one variable from values alone, with an estimate of their error.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace kurbel {

struct DerivativeEstimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();  ///< estimated, absolute
  double step = 0.0;                                       ///< smallest step behind the value
};

/// Neville's tableau over difference quotients q(h) = f' + c_1 h^p + c_2 h^(p + r) + ... for steps that fall
/// by a constant ratio. The entry counts that differs least from the two it came from (C. J. F. Ridders, Adv.
/// Eng. Software 4 (1982) 75); since among many entries one may do so by chance, its error is at least its
/// distance from the best entries of two other steps.
class Extrapolation {
 public:
  /// @param order, order_increment  p and r: 2, 2 for symmetric differences, 1, 1 for one-sided ones
  Extrapolation(double step_ratio, int order, int order_increment)
      : ratio_(step_ratio), order_(order), increment_(order_increment) {}

  /// The quotient of the next step; NaN where f could not be evaluated, which starts the tableau anew.
  void add(double step, double quotient);
  DerivativeEstimate estimate() const;
  /// q(h) of the smallest step; NaN if there is none
  double last_quotient() const {
    return above_.empty() ? std::numeric_limits<double>::quiet_NaN() : above_[0];
  }

 private:
  double ratio_;
  int order_, increment_;
  std::vector<double> above_;
  std::vector<DerivativeEstimate> best_of_steps_;
};

/// f' at 0 from f(0), f(h) and f(-h) for falling h.
///
/// The symmetric quotient is the most accurate, but sees neither a kink nor a jump at 0. So its limit counts
/// where those of both one-sided quotients say the same within their errors; where only one of these
/// converges, because f has a kink on the other side, that one, as sure as the symmetric quotient of the
/// smallest step confirms it; else the error is half their difference: the
/// derivative of a function with a kink lies between them, and at a jump they grow beyond all bounds. It is
/// at least what the noise of f, or its last digit, makes of a quotient: a tableau of quotients with few digits may
/// agree by chance.
class LineDerivative {
 public:
  /// @param noise  what rounding may change of a value
  LineDerivative(double value, double step_ratio, double noise = 0.0)
      : value_(value),
        noise_(std::max(noise, std::numeric_limits<double>::epsilon() * std::abs(value))),
        symmetric_(step_ratio, 2, 2),
        forward_(step_ratio, 1, 1),
        backward_(step_ratio, 1, 1) {}

  /// NaN stands for a value that could not be found. One side without any value gives a one-sided derivative.
  void add(double step, double ahead, double behind);
  DerivativeEstimate estimate() const;

 private:
  DerivativeEstimate of_quotients() const;

  double value_, noise_;
  Extrapolation symmetric_, forward_, backward_;
  bool has_ahead_ = false, has_behind_ = false;
};

}  // namespace kurbel
