/// @file
/// Gradient of discrete objectives by one sweep forwards over the steps; the cost grows with the directions.
#pragma once

#include <vector>

#include "sensitivity/objective.hpp"

namespace kurbel {

/// d psi_j / d p along some directions of parameter space for all objectives at once, from dy_k/dp p_dot of all
/// steps.                                                                                       [P2, eq. 16]
/// @param trajectory  of the last simulate() with this integrator
/// @param p_dot       (n_parameters x m)
/// @return            m x (number of objectives), equal to p_dot^T discrete_adjoint() up to rounding
template <class Scalar>
MatrixX<Scalar> direct_differentiation(StepResidual<Scalar>& integrator, const Trajectory<Scalar>& trajectory,
                                       const std::vector<const Objective<Scalar>*>& objectives,
                                       const MatrixX<Scalar>& p_dot) {
  const ObjectiveSpans<Scalar> spans(objectives);
  MatrixX<Scalar> y_dot(integrator.n_tangent(), p_dot.cols());
  MatrixX<Scalar> gradients = MatrixX<Scalar>::Zero(p_dot.cols(), spans.size());
  MatrixX<Scalar> p_bar = MatrixX<Scalar>::Zero(integrator.n_parameters(), spans.size());
  VectorX<Scalar> y_bar(integrator.n_tangent());
  const auto add_partials = [&](Eigen::Index k) {
    spans.for_each_at(k, [&](Eigen::Index j) {
      y_bar.setZero();
      spans[j].add_partials(k, trajectory, y_bar, p_bar.col(j));
      gradients.col(j).noalias() += y_dot.transpose() * y_bar;
    });
  };
  integrator.push_forward_initial(trajectory.y.col(0), p_dot, y_dot);
  add_partials(0);
  for (Eigen::Index k = 1; k <= integrator.n_steps(); ++k) {
    integrator.push_forward_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), p_dot, y_dot);
    add_partials(k);
  }
  return gradients + p_dot.transpose() * p_bar;
}

/// The same of one objective, as it grows over time: column k holds what
/// the steps up to k contribute, of an integral that from the start to t_k.         [P4, Fig. 2]
/// @param p_dot  (n_parameters x m)
/// @return       m x (n_steps + 1); the last column is the gradient along the directions
template <class Scalar>
MatrixX<Scalar> gradient_over_time(StepResidual<Scalar>& integrator, const Trajectory<Scalar>& trajectory,
                                   const Objective<Scalar>& objective, const MatrixX<Scalar>& p_dot) {
  const Eigen::Index n = integrator.n_steps();
  MatrixX<Scalar> y_dot(integrator.n_tangent(), p_dot.cols()), time_history(p_dot.cols(), n + 1);
  VectorX<Scalar> y_bar(integrator.n_tangent()), p_bar(integrator.n_parameters());
  const auto add_partials = [&](Eigen::Index k) {
    y_bar.setZero(), p_bar.setZero();
    if (k >= objective.first_step() && k <= objective.last_step())
      objective.add_partials(k, trajectory, y_bar, p_bar);
    time_history.col(k) = y_dot.transpose() * y_bar + p_dot.transpose() * p_bar;
    if (k > 0) time_history.col(k) += time_history.col(k - 1);
  };
  integrator.push_forward_initial(trajectory.y.col(0), p_dot, y_dot);
  add_partials(0);
  for (Eigen::Index k = 1; k <= n; ++k) {
    integrator.push_forward_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), p_dot, y_dot);
    add_partials(k);
  }
  return time_history;
}

}  // namespace kurbel
