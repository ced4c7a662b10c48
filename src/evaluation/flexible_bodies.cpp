#include "evaluation/flexible_bodies.hpp"

namespace kurbel {

FlexibleBodies::FlexibleBodies(const Problem& problem) : problem_(problem) {
  for (const ProblemBody& body : problem.bodies) {
    models_.push_back(body.type == ProblemBody::Type::flexible
                          ? std::make_unique<fem::FlexibleBody>(body.flexible)
                          : nullptr);
  }
}

std::vector<fem::BodyDesign> FlexibleBodies::nominal(const BodyFields& densities) const {
  std::vector<fem::BodyDesign> designs(size());
  for (std::size_t i = 0; i < size(); ++i) {
    if (models_[i]) designs[i] = models_[i]->nominal(densities[i]);
  }
  return designs;
}

}  // namespace kurbel
