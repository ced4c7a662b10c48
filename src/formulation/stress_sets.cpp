#include "formulation/stress_sets.hpp"

#include <algorithm>
#include <iterator>

namespace kurbel {

StressSets::StressSets(Shared<const Problem> problem) : problem_(std::move(problem)) {
  for (const Output& output : problem_->outputs) add(output.observable);
  for (const Stage& stage : problem_->stages()) {
    for (const CriterionTerm& term : stage.objective) add(term);
  }
  for (const CriterionConstraint& constraint : problem_->constraints.criteria) {
    for (const CriterionTerm& term : constraint.terms) add(term);
  }
}

void StressSets::add(const CriterionTerm& term) {
  if (term.quantity != Quantity::von_mises || find(term) < size()) return;
  const std::size_t body = *problem_->find_body(term.body);
  const fem::FlexibleBodySpec& spec = problem_->bodies[body].flexible;
  sets_.push_back({body,
                   term.left_out,
                   {fem::stress_elements(spec, *fem::make_mesh(spec.mesh), term.left_out), term.relaxation}});
}

bool StressSets::is_of(const CriterionTerm& term, const Set& set) const {
  return problem_->bodies[set.body].name == term.body && set.points.relaxation == term.relaxation &&
         set.left_out == term.left_out;
}

std::size_t StressSets::find(const CriterionTerm& term) const {
  const auto set = std::find_if(sets_.begin(), sets_.end(), [&](const Set& set) { return is_of(term, set); });
  return static_cast<std::size_t>(set - sets_.begin());
}

std::vector<CriterionTerm> StressSets::complete(std::vector<CriterionTerm> terms,
                                                const StressModesOfSets& modes) const {
  for (CriterionTerm& term : terms) {
    if (term.quantity == Quantity::von_mises) term.stress_modes = modes[find(term)];
  }
  return terms;
}

std::vector<MatrixXd> StressSets::collect(const std::vector<CriterionTerm>& terms,
                                          std::vector<MatrixXd> bars) const {
  std::vector<MatrixXd> sums(size());
  auto bar = bars.begin();
  for (const CriterionTerm& term : terms) {
    if (term.quantity != Quantity::von_mises) continue;
    MatrixXd& sum = sums[find(term)];
    if (sum.size() == 0) {
      sum = std::move(*bar++);
    } else {
      sum += *bar++;
    }
  }
  return sums;
}

std::optional<fem::StressPoints> StressSets::to_show(std::size_t body) const {
  std::optional<fem::StressPoints> shown;
  for (const Set& set : sets_) {
    if (set.body != body) continue;
    if (!shown) shown = fem::StressPoints{{}, set.points.relaxation};
    if (set.points.relaxation != shown->relaxation) continue;
    std::vector<int> both;
    std::ranges::set_union(shown->elements, set.points.elements, std::back_inserter(both));
    shown->elements = std::move(both);
  }
  return shown;
}

}  // namespace kurbel
