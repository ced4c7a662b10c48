/// @file
/// The inverse of the stiffness that a body asks for.
#pragma once

#include "fem/body_spec.hpp"
#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

/// Returns the maker of the inverse by FlexibleBodySpec::solver; with rigid ties, or with supports where it is not
/// multigrid, the factor in what they leave free.
MakeInverse inverse_of(const FlexibleBodySpec& spec);

}  // namespace kurbel::fem
