/// @file
/// Derivatives of vector functions along a line, with an estimate of their own error.
#pragma once

#include <functional>
#include <optional>

#include "base/types.hpp"

namespace kurbel::random_problems {

struct DirectionalDerivative {
  VectorXd value;
  VectorXd error;  ///< estimated; infinite where nothing could be evaluated
};

struct DifferenceSteps {
  double largest = 0.05;
  double ratio = 2.0;
  int count = 4;
};

/// Symmetric differences with decreasing steps, extrapolated; each component takes the entry of the tableau
/// that differs least from the two it came from (C. J. F. Ridders, Adv. Eng. Software 4 (1982) 75).
DirectionalDerivative differentiate(const std::function<std::optional<VectorXd>(const VectorXd&)>& f,
                                    const VectorXd& x, const VectorXd& direction,
                                    const DifferenceSteps& steps);

enum class Judgement { agrees, differs, cannot_tell };

/// An exact derivative against one by differences. They agree within 1e-6 of `size`, the rounding errors of
/// the function, and the error of the difference as long as that is small; they differ where ten times the
/// error does not explain it.
/// @param size      of such derivatives: an error that is small beside it does not count
/// @param rounding  below which both are zero
Judgement judge(double exact, double difference, double error, double size, double rounding);

}  // namespace kurbel::random_problems
