#include "optimizers/verdict.hpp"

#include <fmt/format.h>

namespace kurbel {
namespace {

bool is_limit(const OptimizerResult& result) {
  return result.reason == StopReason::iterations || result.reason == StopReason::wall_time;
}

Outcome outcome_of(const OptimizerResult& result, bool is_last_step) {
  switch (result.reason) {
    case StopReason::interrupted:
      return Outcome::interrupted;
    case StopReason::failure:
      return Outcome::failed;
    case StopReason::iterations:
    case StopReason::wall_time:
    case StopReason::design_change:
    case StopReason::kkt_residual:
    case StopReason::progress:
    case StopReason::solver:
      break;
  }
  if (!result.feasible) return Outcome::infeasible;
  if (is_last_step && result.kkt_residual <= converged_kkt_residual) return Outcome::converged;
  return is_limit(result) ? Outcome::limit : Outcome::stalled;
}

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::limit:
      return "limit";
    case Outcome::stalled:
      return "stalled";
    case Outcome::infeasible:
      return "infeasible";
    case Outcome::interrupted:
      return "interrupted";
    case Outcome::failed:
      break;
  }
  return "failed";
}

Verdict verdict_on(const OptimizerResult& result, bool is_last_step, const std::string& way_on) {
  const Outcome outcome = outcome_of(result, is_last_step);
  switch (outcome) {
    case Outcome::converged:
      return {outcome, fmt::format("converged: KKT residual {:.2g}", result.kkt_residual)};
    case Outcome::limit:
      return {outcome,
              fmt::format("stopped because {}, KKT residual {:.2g}: not converged. Raise the limit, or {}.",
                          result.ending, result.kkt_residual, way_on)};
    case Outcome::stalled:
      return {outcome,
              fmt::format("stalled after {} iterations with a KKT residual of {:.2g}: {}. Try another "
                          "optimizer.method, another start, or smaller values in optimizer.stop.",
                          result.iterations, result.kkt_residual, result.ending)};
    case Outcome::infeasible:
      if (is_limit(result)) {
        return {outcome,
                fmt::format("not feasible: {} before a design satisfied all constraints. Raise the limit, "
                            "relax a bound, or {}.",
                            result.ending, way_on)};
      }
      return {outcome,
              "not feasible: no design that was tried satisfies all constraints. Relax a bound, or begin "
              "with another start."};
    case Outcome::interrupted:
      return {outcome, fmt::format("interrupted: {}.", way_on)};
    case Outcome::failed:
      break;
  }
  return {outcome, fmt::format("failed: {}", result.message)};
}

}  // namespace kurbel
