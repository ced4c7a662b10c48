/// @file
/// Gradient of discrete objectives by one sweep backwards over the steps; exact for the discrete psi.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "sensitivity/objective.hpp"

namespace kurbel {

/// Told after the partials at y_k were added: d psi_j / d y_k for the objectives that begin at k or later,
/// one per column, and which objectives these are.
template <class Scalar>
using AdjointObserver = std::function<void(Eigen::Index k, const Eigen::Ref<const MatrixX<Scalar>>& y_bar,
                                           const std::vector<Eigen::Index>& objective_of_column)>;

/// d psi_j / d p for all objectives at once.
///
///     y_bar_N = d psi/d y_N,    mu_k = (dr_k/dy_k)^-T y_bar_k,
///     y_bar_{k-1} = d psi/d y_{k-1} - (dr_k/dy_{k-1})^T mu_k,    d psi/dp = psi_p - sum_k (dr_k/dp)^T mu_k +
///     initial
///
/// An objective joins the sweep at its last_step(): columns stand in that order, latest first, and a step
/// treats only those that have begun.                                                    [P2, eqs 17-21]
///
/// @param trajectory  of the last simulate() with this integrator
/// @return            n_parameters x (number of objectives)
template <class Scalar>
MatrixX<Scalar> discrete_adjoint(StepResidual<Scalar>& integrator, const Trajectory<Scalar>& trajectory,
                                 const std::vector<const Objective<Scalar>*>& objectives,
                                 const AdjointObserver<Scalar>& observer = {}) {
  const ObjectiveSpans<Scalar> spans(objectives);
  const Eigen::Index m = spans.size();
  std::vector<Eigen::Index> order(objectives.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return spans.last_step(a) > spans.last_step(b); });

  std::vector<Eigen::Index> column_of(objectives.size());
  for (Eigen::Index j = 0; j < m; ++j) column_of[order[j]] = j;

  MatrixX<Scalar> p_bar = MatrixX<Scalar>::Zero(integrator.n_parameters(), m);
  MatrixX<Scalar> y_bar = MatrixX<Scalar>::Zero(integrator.n_tangent(), m);
  Eigen::Index begun = 0;
  const auto add_partials = [&](Eigen::Index k) {
    while (begun < m && spans.last_step(order[begun]) >= k) ++begun;
    spans.for_each_at(k, [&](Eigen::Index i) {
      const Eigen::Index j = column_of[i];
      spans[i].add_partials(k, trajectory, y_bar.col(j), p_bar.col(j));
    });
    if (observer) observer(k, y_bar.leftCols(begun), order);
  };
  for (Eigen::Index k = integrator.n_steps(); k > 0; --k) {
    add_partials(k);
    if (begun == 0) continue;
    integrator.pullback_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), y_bar.leftCols(begun),
                             p_bar.leftCols(begun));
  }
  add_partials(0);
  integrator.pullback_initial(trajectory.y.col(0), y_bar, p_bar);

  MatrixX<Scalar> gradients(p_bar.rows(), m);
  for (Eigen::Index j = 0; j < m; ++j) gradients.col(order[j]) = p_bar.col(j);
  return gradients;
}

}  // namespace kurbel
