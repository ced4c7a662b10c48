/// @file
/// Gradient of discrete objectives by dy_k/dp, forwards over the steps; the cost grows with the directions.
///
/// Steps may be differentiated as they are taken (DifferentiatedSteps): the derivatives at the end of each serve the
/// next one too, so that one or a few directions cost a fraction of the simulation. A sweep over a trajectory that is there
/// costs as much as the derivatives at all its instants.
#pragma once

#include <utility>
#include <vector>

#include "integration/forwarded_steps.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// Gradients of several objectives along some directions of parameter space, gathered instant by instant:
///
///     sum over k of (dpsi_j/dy_k dy_k/dp + dpsi_j/dp) p_dot                              [P2, eq. 16]
template <class Scalar>
class DirectGradients {
 public:
  /// @param p_dot  (n_parameters x m)
  DirectGradients(const std::vector<const Objective<Scalar>*>& objectives,
                  const Trajectory<Scalar>& trajectory, const MatrixX<Scalar>& p_dot, Eigen::Index n_tangent)
      : spans_(objectives),
        trajectory_(trajectory),
        p_dot_(p_dot),
        of_states_(MatrixX<Scalar>::Zero(p_dot.cols(), spans_.size())),
        p_bar_(MatrixX<Scalar>::Zero(p_dot.rows(), spans_.size())),
        y_bar_(n_tangent) {}

  /// @param y_dot  (n_tangent x m), dy_k/dp p_dot
  void add(Eigen::Index k, const Eigen::Ref<const MatrixX<Scalar>>& y_dot) {
    spans_.for_each_at(k, [&](Eigen::Index j) {
      y_bar_.setZero();
      spans_[j].add_partials(k, trajectory_, y_bar_, p_bar_.col(j));
      of_states_.col(j).noalias() += y_dot.transpose() * y_bar_;
    });
  }
  /// @return  m x (number of objectives), equal to p_dot^T discrete_adjoint() up to rounding
  MatrixX<Scalar> sum() const { return of_states_ + p_dot_.transpose() * p_bar_; }

 private:
  ObjectiveSpans<Scalar> spans_;
  const Trajectory<Scalar>& trajectory_;
  const MatrixX<Scalar>& p_dot_;
  MatrixX<Scalar> of_states_, p_bar_;
  VectorX<Scalar> y_bar_;
};

/// d psi_j / d p along some directions of parameter space for all objectives at once, by a sweep over a trajectory.
/// @param trajectory  of the last simulate() with this integrator
/// @param p_dot       (n_parameters x m)
/// @return            DirectGradients::sum()
template <class Scalar>
MatrixX<Scalar> direct_differentiation(StepResidual<Scalar>& integrator, const Trajectory<Scalar>& trajectory,
                                       const std::vector<const Objective<Scalar>*>& objectives,
                                       const MatrixX<Scalar>& p_dot) {
  DirectGradients<Scalar> gradients(objectives, trajectory, p_dot, integrator.n_tangent());
  MatrixX<Scalar> y_dot(integrator.n_tangent(), p_dot.cols());
  integrator.push_forward_initial(trajectory.y.col(0), p_dot, y_dot);
  gradients.add(0, y_dot);
  for (Eigen::Index k = 1; k <= integrator.n_steps(); ++k) {
    integrator.push_forward_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), p_dot, y_dot);
    gradients.add(k, y_dot);
  }
  return gradients.sum();
}

/// Steps that are differentiated as they are taken, along some directions of parameter space. An integrator whose step
/// begins with Jacobians has those at the end of the step before from its derivatives.
template <class Scalar>
class DifferentiatedSteps final : public ForwardedSteps<Scalar> {
 public:
  using Base = StepResidual<Scalar>;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  /// @param p_dot  (n_parameters x m)
  DifferentiatedSteps(Base& steps, Matrix p_dot) : ForwardedSteps<Scalar>(steps), p_dot_(std::move(p_dot)) {}

  /// The gradients of a trajectory that is the last one taken.
  MatrixX<Scalar> gradients(const std::vector<const Objective<Scalar>*>& objectives,
                            const Trajectory<Scalar>& trajectory) const {
    DirectGradients<Scalar> sums(objectives, trajectory, p_dot_, this->n_tangent());
    for (Eigen::Index k = 0; k <= this->n_steps(); ++k)
      sums.add(k, y_dot_.middleCols(k * p_dot_.cols(), p_dot_.cols()));
    return sums.sum();
  }
  /// True if all steps of a trajectory have been differentiated along these directions. It is known by its last state.
  bool has(const Trajectory<Scalar>& trajectory, const Matrix& p_dot) const {
    return n_taken_ == this->n_steps() && trajectory.n_stored == n_taken_ + 1 &&
           trajectory.y.col(n_taken_) == last_ && p_dot.rows() == p_dot_.rows() &&
           p_dot.cols() == p_dot_.cols() && p_dot == p_dot_;
  }

  Status initial_state(Eigen::Ref<Vec> y0) override {
    n_taken_ = -1;
    if (Status s = this->steps().initial_state(y0); s.failed()) return s;
    y_dot_.resize(this->n_tangent(), p_dot_.cols() * (this->n_steps() + 1));
    this->steps().push_forward_initial(y0, p_dot_, at(0));
    n_taken_ = 0;
    return {};
  }
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override {
    if (Status s = this->steps().step(k, y_prev, y); s.failed()) return s;
    at(k) = at(k - 1);
    this->steps().push_forward_step(k, y_prev, y, p_dot_, at(k));
    n_taken_ = k;
    if (k == this->n_steps()) last_ = y;
    return {};
  }

 private:
  auto at(Eigen::Index k) { return y_dot_.middleCols(k * p_dot_.cols(), p_dot_.cols()); }

  Matrix p_dot_, y_dot_;       ///< y_dot_: dy_k/dp p_dot of all instants, side by side
  Eigen::Index n_taken_ = -1;  ///< the last instant that they are known at
  Vec last_;                   ///< the state at the last instant
};

/// The gradient of one objective, as it grows over time: column k holds what
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
