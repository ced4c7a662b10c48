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

/// Symmetric differences with decreasing steps, extrapolated; each component takes the entry of the tableau that
/// differs least from the two it came from (C. J. F. Ridders, Adv. Eng. Software 4 (1982) 75).
DirectionalDerivative differentiate(const std::function<std::optional<VectorXd>(const VectorXd&)>& f,
                                    const VectorXd& x, const VectorXd& direction, const DifferenceSteps& steps);

}  // namespace kurbel::random_problems
