/// @file
/// The one-step methods, for tests that hold for each.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "integration/integrator_options.hpp"

namespace kurbel {

inline constexpr IntegratorMethod methods[] = {
    IntegratorMethod::explicit_euler, IntegratorMethod::implicit_euler, IntegratorMethod::trapezoidal,
    IntegratorMethod::runge_kutta_4};

/// Those for equations of second order.
inline constexpr IntegratorMethod second_order_methods[] = {IntegratorMethod::generalized_alpha,
                                                            IntegratorMethod::variational_midpoint};

inline std::string name_of(IntegratorMethod method) {
  switch (method) {
    case IntegratorMethod::explicit_euler:
      return "explicit_euler";
    case IntegratorMethod::implicit_euler:
      return "implicit_euler";
    case IntegratorMethod::trapezoidal:
      return "trapezoidal";
    case IntegratorMethod::runge_kutta_4:
      return "runge_kutta_4";
    case IntegratorMethod::generalized_alpha:
      return "generalized_alpha";
    case IntegratorMethod::variational_midpoint:
      return "variational_midpoint";
    case IntegratorMethod::dormand_prince:
      return "dormand_prince";
  }
  return {};
}

inline IntegratorOptions options_of(IntegratorMethod method, double t1, int n) {
  IntegratorOptions options;
  options.method = method;
  options.t1 = t1;
  options.step = t1 / n;
  return options;
}

class EveryMethod : public testing::TestWithParam<IntegratorMethod> {};

}  // namespace kurbel
