/// @file
/// Control of load steps towards a static equilibrium.
///
/// The forces f_0 that the start leaves unbalanced are held, and let go little by little:
///
///     f(x, lambda) = left f_0,    left from 1 to 0
///
/// The equilibrium at each `left` is the start of Newton's iteration for the next one, whose first step is the tangent
/// to the curve of equilibria. Steps grow where the iteration is fast and shrink where an attempt is not accepted.
#pragma once

#include <algorithm>

namespace kurbel {

/// Newton's iterations of one attempt, and whether it is accepted.
struct LoadStep {
  int iterations = 0;
  bool accepted = false;
};

/// Takes load steps.
/// @param attempt   left -> LoadStep: looks for the equilibrium at `left` from the present state
/// @param go_back   -> bool: returns to the state before the last attempt
/// @return the part of the loads that acts in the end, in [0, 1]: 1 where the equilibrium is reached
template <class Attempt, class GoBack>
double take_load_steps(const Attempt& attempt, const GoBack& go_back) {
  constexpr double first_step = 0.125, shortest_step = 1.0 / 4096.0, shrinking = 0.25, growth = 2.0;
  constexpr int few_iterations = 6, max_iterations = 400;
  double left = 1.0, step = first_step;
  bool has_failed = false;
  for (int iterations = 0; left > 0.0 && iterations < max_iterations;) {
    const double next = std::max(0.0, left - step);
    const LoadStep taken = attempt(next);
    iterations += taken.iterations;
    if (taken.accepted) {
      left = next;
      // The step after a failure is not longer than the one that mended it.
      if (taken.iterations <= few_iterations && !has_failed) step *= growth;
      has_failed = false;
      continue;
    }
    has_failed = true;
    step *= shrinking;
    if (!go_back() || step < shortest_step) break;
  }
  return 1.0 - left;
}

}  // namespace kurbel
