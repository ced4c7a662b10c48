#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "problem/checks.hpp"

namespace kurbel {

namespace {

/// Whether it bounds a single term at the final time.
bool is_at_end(const CriterionConstraint& constraint, const IntegratorOptions& integrator) {
  const CriterionTerm& term = constraint.terms.front();
  if (constraint.terms.size() > 1 || term.weight != 1.0 || has_target(term) || term.of_response) return false;
  return term.time == TimeFunctional::final_value ||
         (term.time == TimeFunctional::instants && term.steps.back() == integrator.n_steps());
}

bool have_same_time_history(const CriterionConstraint& a, const CriterionConstraint& b) {
  const CriterionTerm &of_a = a.terms.front(), &of_b = b.terms.front();
  return is_same_observable(of_a, of_b) && of_a.component == of_b.component &&
         axes_of(of_a) == axes_of(of_b) && form_of(of_a) == form_of(of_b);
}

/// Whether both hold for the same motion: each case ends where its own constraints want it.
bool have_a_case_in_common(const CriterionConstraint& a, const CriterionConstraint& b) {
  if (a.sum_over_cases || b.sum_over_cases) return false;
  const auto of_b = [&](const std::string& name) {
    return std::ranges::find(b.case_names, name) != b.case_names.end();
  };
  return a.case_names.empty() || b.case_names.empty() || std::ranges::any_of(a.case_names, of_b);
}

/// A value to be reached at the end has to lie within a limit there.
void check_end(const Problem& problem, const CriterionConstraint& end, const CriterionConstraint& limit) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double lower = limit.lower.value_or(-infinity), upper = limit.upper.value_or(infinity);
  if (*end.equals >= lower && *end.equals <= upper) return;
  throw problem.error(fmt::format("constraints.criteria.{}.equals", end.name),
                      "= {} is outside [{}, {}], the limits of constraints.criteria.{}", *end.equals, lower,
                      upper, limit.name);
}

}  // namespace

void check_reachable(const Problem& problem) {
  if (problem.integrator.step == 0.0) return;
  const std::vector<CriterionConstraint>& all = problem.constraints.criteria;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].equals || !is_at_end(all[i], problem.integrator)) continue;
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (i == j || !is_at_end(all[j], problem.integrator) || !have_same_time_history(all[i], all[j]) ||
          !have_a_case_in_common(all[i], all[j]))
        continue;
      if (all[j].equals && j > i) {
        throw problem.error(fmt::format("constraints.criteria.{}.equals", all[j].name),
                            "repeats the end position of constraints.criteria.{}; remove one of the two",
                            all[i].name);
      }
      check_end(problem, all[i], all[j]);
    }
  }
}

}  // namespace kurbel
