/// @file
/// How a gradient grows over time.
#pragma once

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "output/run_directory.hpp"

namespace kurbel {

/// gradient_over_time.csv and .png: of the objective by the variables that are one number each, what the motion
/// up to each instant contributes to it; the last instant has the gradient.                     [P4, Fig. 2]
/// @return a failure, and no file, where it is not finite
/// @throws InputError if no variable is one number, or the integrator has no direct differentiation
Status write_gradient_over_time(const RunDirectory& folder, EvaluationChain& chain, const DesignSpace& space,
                                const ChainResult& result);

}  // namespace kurbel
