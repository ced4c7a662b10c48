/// @file
/// Gradient of discrete objectives by one sweep backwards over the steps; exact for the discrete psi.
#pragma once

#include <vector>

#include "sensitivity/objective.hpp"

namespace kurbel {

/// d psi_j / d p for all objectives at once.
///
///     y_bar_N = d psi/d y_N,    mu_k = (dr_k/dy_k)^-T y_bar_k,
///     y_bar_{k-1} = d psi/d y_{k-1} - (dr_k/dy_{k-1})^T mu_k,    d psi/dp = psi_p - sum_k (dr_k/dp)^T mu_k +
///     initial
///
/// @param trajectory  of the last simulate() with this integrator
/// @return            n_parameters x (number of objectives)
template <class Scalar>
MatrixX<Scalar> discrete_adjoint(StepResidual<Scalar>& integrator, const Trajectory<Scalar>& trajectory,
                                 const std::vector<const Objective<Scalar>*>& objectives) {
  const Eigen::Index m = static_cast<Eigen::Index>(objectives.size());
  MatrixX<Scalar> p_bar = MatrixX<Scalar>::Zero(integrator.n_parameters(), m);
  MatrixX<Scalar> y_bar = MatrixX<Scalar>::Zero(integrator.n_tangent(), m);
  const auto add_partials = [&](Eigen::Index k) {
    for (Eigen::Index j = 0; j < m; ++j)
      objectives[j]->add_partials(k, trajectory, y_bar.col(j), p_bar.col(j));
  };
  for (Eigen::Index k = integrator.n_steps(); k > 0; --k) {
    add_partials(k);
    integrator.pullback_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), y_bar, p_bar);
  }
  add_partials(0);
  integrator.pullback_initial(trajectory.y.col(0), y_bar, p_bar);
  return p_bar;
}

}  // namespace kurbel
