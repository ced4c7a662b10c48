/// @file
/// From which step on a motion without constraints feels the nodes of its controls.
#pragma once

#include "integration/step_residual.hpp"
#include "mechanism/criterion_spec.hpp"
#include "natural_coordinates/natural_system.hpp"

namespace kurbel {

/// By parameter, the first step at which it counts: of what is no node, -1, before all. Nodes that only the left or only the
/// right side of an instant feels count at it, those that it feels in its middle at the end of a step.
/// @param alpha  of the variational step
VectorXd first_steps(const NaturalSystem<double>& system, const StepResidual<double>& steps, double alpha);

/// The step after which the motion does not count for the terms any more.
int last_step(const std::vector<CriterionTerm>& terms, int n_steps);

}  // namespace kurbel
