#include "problem/cases_in_common.hpp"

#include <algorithm>

namespace kurbel {

namespace {

/// True if a case states anything of which the mass consists. Slender beams are the same in all cases.
bool changes_mass(const TomlValue& own, const std::string& body) {
  const auto states = [&](const char* key) { return own.find(key) != nullptr; };
  if (body.empty()) return states("beams") || states("points") || states("masses");
  const TomlValue* bodies = own.find("bodies");
  const TomlValue* part = bodies ? bodies->find(body) : nullptr;
  return part && part->find("mass");
}

void let_one_case_bear(const Problem& problem, bool is_bearer, double weight,
                       std::vector<CriterionTerm>& terms) {
  for (CriterionTerm& term : terms) {
    if (is_in_common(problem, term)) term.weight = is_bearer ? term.weight / weight : 0.0;
  }
}

}  // namespace

bool is_in_common(const Problem& problem, const CriterionTerm& term) {
  const TomlValue* cases = problem.document->root.find("cases");
  if (term.quantity != Quantity::mass || !cases || !cases->table()) return false;
  return std::ranges::none_of(*cases->table(),
                              [&](const TomlEntry& own) { return changes_mass(own.value, term.body); });
}

void count_once(Problem& problem) {
  std::vector<CaseShare> all;
  for (std::size_t c = 0; c < problem.cases.size(); ++c) all.push_back({c, 0, problem.cases[c].weight});
  const bool objective_is_sum = problem.over_cases.functional == OverCases::Functional::sum;
  for (const CaseShare& share : all) {
    auto own = std::make_shared<Problem>(*problem.cases[share.of_case].problem);
    const auto bear = [&](const std::vector<CaseShare>& shares, std::vector<CriterionTerm>& terms) {
      const CaseShare& first = shares.front();
      let_one_case_bear(problem, first.of_case == share.of_case, first.weight, terms);
    };
    if (objective_is_sum) {
      bear(all, own->objective);
      for (Stage& stage : own->first_stages) bear(all, stage.objective);
    }
    for (const CriterionConstraint& sum : problem.constraints.criteria) {
      if (!sum.sum_over_cases) continue;
      for (const CaseShare& part : sum.shares) {
        if (part.of_case == share.of_case) bear(sum.shares, own->constraints.criteria[part.constraint].terms);
      }
    }
    problem.cases[share.of_case].problem = std::move(own);
  }
}

}  // namespace kurbel
