#include "formulation/cases_model.hpp"

#include <algorithm>

namespace kurbel {

CasesModel::CasesModel(Shared<const Problem> problem, const Shared<const StressSets>& stress_sets,
                       const MakeModel& make_model)
    : MotionModel(std::move(problem)) {
  for (const ProblemCase& own : problem_.cases) models_.push_back(make_model(own.problem, stress_sets));
}

Status CasesModel::make_motions(const MechanismValues& values,
                                std::vector<std::unique_ptr<Motion>>& motions) const {
  for (std::size_t c = 0; c < models_.size(); ++c) {
    if (Status s = models_[c]->make(values, motions[c]); s.failed()) return s;
  }
  return {};
}

Status CasesModel::make_new(const MechanismValues& values, std::unique_ptr<Motion>& out) {
  std::vector<std::unique_ptr<Motion>> motions(models_.size());
  if (Status s = make_motions(values, motions); s.failed()) return s;
  out = std::make_unique<CasesMotion>(*this, std::move(motions));
  return {};
}

std::vector<CasesModel::Part> CasesModel::parts(const RequestedFunctions& requested) const {
  std::vector<Part> parts(models_.size());
  for (Part& part : parts) part.requested.stage = requested.stage;
  for (std::size_t j = 0; j < requested.functions.size(); ++j) {
    for (const CaseShare& share : functions()[requested.functions[j]].shares) {
      parts[share.of_case].requested.functions.push_back(share.constraint);
      parts[share.of_case].to.emplace_back(j, share.weight);
    }
  }
  return parts;
}

bool CasesModel::depends(std::size_t function, Eigen::Index number) const {
  return std::ranges::any_of(functions()[function].shares, [&](const CaseShare& share) {
    return models_[share.of_case]->depends(share.constraint, number);
  });
}

void CasesModel::require_possible_start(const VectorXd& numbers, const RequestedFunctions& requested) {
  const std::vector<Part> of_cases = parts(requested);
  for (std::size_t c = 0; c < models_.size(); ++c)
    models_[c]->require_possible_start(numbers, of_cases[c].requested);
}

}  // namespace kurbel
