#include "evaluation/flexible_bodies.hpp"

namespace kurbel {

namespace {

/// The specification of a body with the surface that a variable moves.
fem::FlexibleBodySpec with_surface(std::size_t body, const Problem& problem) {
  fem::FlexibleBodySpec spec = problem.bodies[body].flexible;
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
    if (quantity && quantity->body == body && quantity->kind == ElementQuantity::Kind::mesh_surface)
      spec.surface = quantity->surface;
  }
  return spec;
}

}  // namespace

FlexibleBodies::FlexibleBodies(std::shared_ptr<const Problem> problem) : problem_(std::move(problem)) {
  Models models;
  for (const ProblemBody& body : problem_->bodies) {
    models.push_back(body.type == ProblemBody::Type::flexible
                         ? std::make_unique<fem::FlexibleBody>(with_surface(models.size(), *problem_))
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
