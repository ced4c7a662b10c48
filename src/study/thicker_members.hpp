/// @file
/// A design with somewhat more material beside its members.
#pragma once

#include "evaluation/design_space.hpp"

namespace kurbel {

/// Raises the variables of all elements that are at most filter.radius away from an element with a density of at least a tenth.
/// A steep projection makes grey members solid by that. Elsewhere variables stay as they are: below the threshold of the
/// projection they have any value, and many would make new members.
/// @param x      over all variables of the space
/// @param raise  of the variables, which stay within their bounds
/// @return       over all variables of the space
VectorXd with_thicker_members(const FlexibleBodies& models, const DesignSpace& space, const VectorXd& x,
                              double raise);

}  // namespace kurbel
