/// @file
/// Pieces of a design that nothing holds, and the design without them.
#pragma once

#include <optional>

#include "evaluation/design_space.hpp"

namespace kurbel {

/// Treatments of an island.
enum class IslandTreatment {
  empty,  ///< variables of it, and of what is within filter.radius of it and not held, go to their lower bounds
  join    ///< variables of what is within filter.radius of it and of what is held go to their upper bounds
};

struct WithoutIslands {
  VectorXd x;                 ///< over all variables of the space
  int n_islands = 0;          ///< of all bodies
  double volume_share = 0.0;  ///< of the islands in the solid of their body; the largest of all bodies
};

/// Removes the islands of a design: pieces of its cut (cut_design.hpp) that touch neither the clamp nor a marker. They
/// have mass and no stiffness of their own; thin grey members that a cut removes join them to the rest, or corners of
/// elements.
/// @return nothing if no body has islands, or they are more than a tenth of its solid, or their elements do not vary
std::optional<WithoutIslands> without_islands(const FlexibleBodies& models, const DesignSpace& space,
                                              const VectorXd& x, IslandTreatment treatment);

}  // namespace kurbel
