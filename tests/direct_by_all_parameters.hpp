/// @file
/// Direct differentiation by every parameter, to be compared with an adjoint method.
#pragma once

#include "sensitivity/direct_differentiation.hpp"

namespace kurbel::test {

/// @return  n_parameters x (number of objectives)
inline MatrixXd direct_by_all_parameters(StepResidual<double>& steps, const Trajectory<double>& trajectory,
                                         const std::vector<const Objective<double>*>& objectives) {
  const Eigen::Index n = steps.n_parameters();
  return direct_differentiation<double>(steps, trajectory, objectives, MatrixXd::Identity(n, n));
}

}  // namespace kurbel::test
