/// @file
/// Convergence with the number of normal modes: the same mechanism reduced to more and more of them.
#pragma once

#include <string>
#include <vector>

#include "evaluation/design.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// One reduction of all flexible bodies to the same number of normal modes; attachment modes as the problem
/// says.
struct ModeConvergenceRow {
  int n_modes = 0;
  VectorXd frequencies_hz;  ///< of the last mode kept, per flexible body
  VectorXd values;          ///< psi and the functions of [constraints]; NaN after a failure
  std::string failure;      ///< empty on success, e.g. if the last kept frequency and the next one meet
};

/// Reductions to 1, ..., n_most normal modes; where the problem can be simulated and has an objective, with
/// what it and the constraints are.
std::vector<ModeConvergenceRow> mode_convergence(const Problem& problem, const Design& design, int n_most);

}  // namespace kurbel
