#include "evaluation/flexible_bodies.hpp"

namespace kurbel {

FlexibleBodies::FlexibleBodies(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {
  Models models;
  for (const ProblemBody& body : problem_->bodies) {
    models.push_back(body.type == ProblemBody::Type::flexible
                         ? std::make_unique<fem::FlexibleBody>(body.flexible)
                         : nullptr);
  }
  models_ = std::make_shared<const Models>(std::move(models));
}

std::vector<fem::BodyDesign> FlexibleBodies::nominal(const BodyFields& densities) const {
  std::vector<fem::BodyDesign> designs(size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (const fem::FlexibleBody* body = (*this)[i]) designs[i] = body->nominal(densities[i]);
  }
  return designs;
}

}  // namespace kurbel
