#include "analysis/modes_model.hpp"

#include <algorithm>

#include "problem/checks.hpp"

namespace kurbel {

namespace {

constexpr int least_told = 10;  ///< that are told, even if no criterion counts them

/// An observable of the start is that at the first instant.
ModesModel::Parts parts_of(const std::vector<CriterionTerm>& terms) {
  ModesModel::Parts parts;
  for (CriterionTerm term : terms) {
    if (term.of_response) {
      parts.of_response.emplace_back(term);
      continue;
    }
    if (counts_modes(term.quantity)) {
      parts.of_modes.push_back(term);
      continue;
    }
    term.time = TimeFunctional::instants;
    term.steps = {0};
    parts.of_start.push_back(std::move(term));
  }
  return parts;
}

}  // namespace

ModesModel::ModesModel(Shared<const Problem> problem, Shared<const StressSets> stress_sets)
    : MotionModel(problem), model_(make_motion_model(problem, std::move(stress_sets))) {
  std::vector<double> single;
  for_each_term(problem_, [&](const CriterionTerm& term, const std::string&) {
    if (counts_modes(term.quantity)) n_counted_ = std::max(n_counted_, term.last_mode);
    if (term.of_response && term.time == TimeFunctional::final_value) single.push_back(term.frequency);
  });
  if (problem_.analysis == Analysis::frequency_response) {
    const VectorXd range = frequencies_of(problem_.frequency_response);
    frequencies_.resize(range.size() + std::ssize(single));
    frequencies_ << range, Eigen::Map<const VectorXd>(single.data(), std::ssize(single));
  }
  n_modes_ = std::max(least_told, n_counted_);
  for (const std::vector<CriterionTerm>& terms : objectives_) objective_parts_.push_back(parts_of(terms));
  for (const std::vector<CriterionTerm>& terms : constrained_) constraint_parts_.push_back(parts_of(terms));
}

std::vector<const ModesModel::Parts*> ModesModel::parts(const RequestedFunctions& requested) const {
  std::vector<const Parts*> all = {&objective_parts_[requested.stage]};
  for (const std::size_t j : requested.functions) all.push_back(&constraint_parts_[j]);
  return all;
}

Status ModesModel::make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  std::unique_ptr<Motion> motion;
  if (Status s = model_->make(values, motion); s.failed()) return s;
  out = std::make_unique<ModesMotion>(*this, std::move(motion));
  return {};
}

}  // namespace kurbel
