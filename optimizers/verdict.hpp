/// @file
/// The judgement of how an optimization ended.
#pragma once

#include <string>

#include "optimizers/optimizer.hpp"

namespace kurbel {

enum class Outcome {
  converged,   ///< feasible, and the conditions of optimality hold to `converged_kkt_residual`
  limit,       ///< feasible, ended by a limit of iterations or time
  stalled,     ///< feasible, ended by the optimizer itself or by small changes
  infeasible,  ///< no feasible design was found
  interrupted,
  failed,
};

/// "converged", "limit", ...
const char* name_of(Outcome outcome);

/// Largest KKT residual, relative to the largest gradient of the run, at which a design counts as an optimum.
inline constexpr double converged_kkt_residual = 1e-2;

struct Verdict {
  Outcome outcome;
  std::string text;  ///< "stopped at a limit, KKT residual 0.02: not converged; allow more iterations"
};

/// @param is_last_step  false if a limit ended a continuation before its last step: an optimum of an earlier step is none
Verdict verdict_on(const OptimizerResult& result, bool is_last_step = true);

}  // namespace kurbel
