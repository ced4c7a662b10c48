/// @file
/// The finite-element models of the bodies of a problem.
#pragma once

#include <memory>
#include <vector>

#include "evaluation/design.hpp"
#include "fem/flexible_body.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// One per run: meshes, matrix patterns and symbolic factors are made once. Copies share them, and the problem. Not
/// thread-safe.
class FlexibleBodies {
 public:
  /// @throws InputError for what only a finite-element model can find out
  explicit FlexibleBodies(std::shared_ptr<const Problem> problem);

  const Problem& problem() const { return *problem_; }
  /// Number of bodies of the problem, those without a mesh among them.
  std::size_t size() const { return models_->size(); }
  /// nullptr for a body without a mesh
  fem::FlexibleBody* operator[](std::size_t body) { return (*models_)[body].get(); }
  const fem::FlexibleBody* operator[](std::size_t body) const { return (*models_)[body].get(); }

  /// By body: these densities, and all else as in the input.
  std::vector<fem::BodyDesign> nominal(const BodyFields& densities) const;

 private:
  using Models = std::vector<std::unique_ptr<fem::FlexibleBody>>;
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<const Models> models_;
};

}  // namespace kurbel
