/// Refuses what equivalent static loads cannot serve.
#include <algorithm>

#include "problem/checks.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

namespace {

bool is_served(TimeFunctional time) {
  return time == TimeFunctional::integral || time == TimeFunctional::mean ||
         time == TimeFunctional::final_value || time == TimeFunctional::instants;
}

/// Nothing if static loads serve a term, or else what it would have to be.
const char* why_not_served(const Problem& problem, const CriterionTerm& term) {
  if (term.quantity != Quantity::compliance || !is_served(term.time))
    return "the objective has to be compliance, as an integral, a mean, or values at instants or at the end";
  if (term.weight < 0.0) return "weights of the objective must not be negative";
  if (std::ranges::find(problem.design.bodies, term.body) == problem.design.bodies.end())
    return "the compliance has to be that of a flexible body named in design.bodies";
  return nullptr;
}

/// Nothing if static loads serve a problem, but for its objective.
const char* why_not_served(const Problem& problem) {
  if (problem.analysis != Analysis::motion) return "it needs analysis = \"motion\"";
  if (!problem.cases.empty()) return "its loads come from one motion; remove [cases]";
  if (problem.design.bodies.empty()) return "it needs a flexible body whose densities are designed";
  if (!problem.first_stages.empty()) return "its loads belong to one objective; remove [stages]";
  if (!problem.design.variables.empty())
    return "it varies densities alone; remove [variables] and [controls]";
  if (!problem.constraints.criteria.empty())
    return "it knows bounds on volume and mass alone; remove [constraints.criteria]";
  if (problem.projection.robust > 0.0) return "it knows one design; remove projection.robust";
  return nullptr;
}

}  // namespace

void check_strategy(const Problem& problem) {
  if (problem.strategy == Strategy::exact) return;
  const char* reason = why_not_served(problem);
  for (const CriterionTerm& term : problem.objective)
    if (!reason) reason = why_not_served(problem, term);
  for (const std::string& body : problem.design.bodies) {
    if (!reason &&
        std::ranges::find(problem.objective, body, &CriterionTerm::body) == problem.objective.end())
      reason = "the compliance of every body of design.bodies has to be in the objective";
  }
  if (!reason) return;
  throw problem.error("optimizer.strategy",
                      "= \"{}\" does not fit this problem: {}. \"exact-gradient\" serves every "
                      "objective.",
                      TomlTable::word_of(problem.strategy, keys::strategies), reason);
}

}  // namespace kurbel
