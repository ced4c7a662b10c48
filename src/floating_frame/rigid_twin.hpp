/// @file
/// The rigid twin: the same mechanism without elastic deformation, whose motion markers are compared with.
#pragma once

#include <vector>

#include "base/errors.hpp"
#include "integration/integrator_options.hpp"
#include "mechanism/criterion_spec.hpp"

namespace kurbel {

/// All bodies with their inertia and markers in the undeformed state and no elastic coordinates.
SystemSpec rigid_twin(const SystemSpec& spec);

/// Degrees of freedom of the rigid twin that joints and drives leave; redundant rows hold none. With none,
/// its motion is given by the undeformed places of the markers alone, whatever the inertia.
int n_free_dofs(const SystemSpec& spec);

/// Gives every term `relative_to_rigid_twin` the motion of its marker on the rigid twin as target: one
/// simulation, none without such terms. At the steps of the integrator the target is that of the simulation.
/// Constraints that are redundant in the twin are removed from it, whatever they are in the mechanism itself.
/// @throws DependentConstraints as set_redundant_aside(); InputError if the twin has degrees of freedom left
Status set_rigid_targets(const SystemSpec& spec, const IntegratorOptions& options,
                         const std::vector<CriterionTerm*>& terms);

}  // namespace kurbel
