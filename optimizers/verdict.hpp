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
  std::string text;  ///< what ended the run, and what to do, in at most two sentences
};

/// @param is_last_step  false if a limit ended a continuation before its last step: an optimum of an earlier step is none
/// @param way_on        what the user does to continue a run that ended early, as an imperative without a full stop
Verdict verdict_on(const OptimizerResult& result, bool is_last_step, const std::string& way_on);

}  // namespace kurbel
