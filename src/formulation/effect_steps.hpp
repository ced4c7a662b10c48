/// @file
/// The steps at which nodes of controls begin to act on a motion without constraints, and at which it ceases to count.
#pragma once

#include "integration/step_residual.hpp"
#include "mechanism/criterion_spec.hpp"
#include "natural_coordinates/natural_system.hpp"

namespace kurbel {

/// The first step on which each parameter acts; -1, before all, if it is no node of a control. A node that acts on one side
/// of an instant alone counts at this instant, one that acts within a step at the end of it.
/// @param alpha  of the variational step
VectorXd first_steps_of_effect(const NaturalSystem<double>& system, const StepResidual<double>& steps,
                               double alpha);

/// The step after which the motion does not count for the terms any more.
int last_step_that_counts(const std::vector<CriterionTerm>& terms, int n_steps);

}  // namespace kurbel
