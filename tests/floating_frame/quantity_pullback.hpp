/// @file
/// The pull-back from the parameters of a mechanism to one of its numbers.
#pragma once

#include "floating_frame/system_quantity.hpp"

namespace kurbel::test {

/// d psi / d (quantity) from d psi / d (parameters).
inline double pullback(const SystemQuantity& quantity, const SystemSpec& spec, const ParameterLayout& layout,
                       const VectorXd& p_bar) {
  double sum = 0.0;
  for (const auto& [place, value] : parameter_derivatives(quantity, spec, layout))
    sum += value * p_bar[place];
  return sum;
}

}  // namespace kurbel::test
