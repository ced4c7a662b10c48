/// Refuses what equivalent static loads cannot serve.
#include <fmt/format.h>

#include <algorithm>

#include "problem/checks.hpp"

namespace kurbel {

namespace {

const char* word_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::exact:
      return "exact-gradient";
    case Strategy::static_loads:
      return "equivalent-static-loads";
    case Strategy::first_loads:
      break;
  }
  return "first-static-loads";
}

bool is_served(TimeFunctional time) {
  return time == TimeFunctional::integral || time == TimeFunctional::mean ||
         time == TimeFunctional::final_value || time == TimeFunctional::instants;
}

/// Nothing if static loads serve a term, or else what it would have to be.
const char* why_not_served(const Problem& problem, const CriterionTerm& term) {
  if (term.quantity != Quantity::compliance || !is_served(term.time))
    return "the objective has to be compliance, as an integral, a mean, or values at instants";
  if (term.weight < 0.0 || std::ranges::any_of(term.step_weights, [](double w) { return w < 0.0; }))
    return "weights of the objective must not be negative";
  if (std::ranges::find(problem.design.bodies, term.body) == problem.design.bodies.end())
    return "the compliance has to be that of a flexible body named in design.bodies";
  return nullptr;
}

/// Nothing if static loads serve a problem, but for its objective.
const char* why_not_served(const Problem& problem) {
  if (problem.analysis != Analysis::motion) return "it takes loads from a motion, analysis = \"motion\"";
  if (!problem.cases.empty()) return "it knows one motion and no [cases]";
  if (problem.design.bodies.empty()) return "it needs a flexible body whose densities are designed";
  if (!problem.design.variables.empty())
    return "it varies densities alone; leave [variables] and [controls] out";
  if (!problem.constraints.criteria.empty())
    return "it knows bounds on volume and mass alone; leave [constraints.criteria] out";
  if (problem.projection.robust > 0.0) return "it knows one design; leave projection.robust out";
  return nullptr;
}

}  // namespace

void check_strategy(const Problem& problem) {
  if (problem.strategy == Strategy::exact) return;
  const char* reason = why_not_served(problem);
  for (const Stage& stage : problem.stages()) {
    for (const CriterionTerm& term : stage.objective)
      if (!reason) reason = why_not_served(problem, term);
  }
  if (!reason) return;
  throw problem.error("optimizer.strategy",
                      fmt::format("= \"{}\" does not fit this problem: {}. \"exact-gradient\" serves every "
                                  "objective.",
                                  word_of(problem.strategy), reason));
}

}  // namespace kurbel
