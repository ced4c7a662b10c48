#include "sensitivity/adjoint_equations.hpp"

#include <cassert>

namespace kurbel {

namespace {

JumpInstants jumps_within(const SecondOrderDae<double>& model, const Trajectory<double>& trajectory) {
  const Eigen::Index n = trajectory.t.size() - 1;
  if (n < 1) return {{}, 0.0};
  return {model.jumps(trajectory.t[0], trajectory.t[n]), trajectory.span() / static_cast<double>(n)};
}

}  // namespace

AdjointEquations::AdjointEquations(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                                   const Trajectory<double>& trajectory, const Integrands& integrands,
                                   const Integrands& finals)
    : model_(model),
      layout_(layout),
      trajectory_(trajectory),
      x_(layout.n_x),
      ws_(model.make_workspace()),
      jacobians_(model.make_jacobians()),
      none_(VectorXd::Zero(layout.n_c)),
      jumps_(jumps_within(model, trajectory)),
      after_(layout.n_state()),
      integrands_(integrands),
      finals_(finals) {
  if (layout.has_middle)
    throw InputError("the continuous adjoint does not suit the variational step; use the discrete adjoint");
  assert(trajectory.n_stored == trajectory.y.cols());
  const Eigen::Index n_v = layout.n_v, n_c = layout.n_c, m = static_cast<Eigen::Index>(integrands.size());
  jacobians_.store_full();
  constraints_.resize(n_v, n_c);
  kkt_.setZero(n_v + n_c, n_v + n_c);
  F_bar_.setZero(layout.n_tangent(), m);
  for (MatrixXd* matrix : {&rhs_, &multipliers_}) matrix->setZero(n_v + n_c, m);
  for (MatrixXd* matrix : {&mu_, &sigma_, &mu_rate_, &sigma_rate_}) matrix->setZero(n_v, m);
  p_bar_.setZero(model.parameters().size(), m);
}

DaeInstant<double> AdjointEquations::after_jump(Eigen::Index i) {
  if (!jumps_at(i)) return stored(i);
  if (!jump_) jump_ = std::make_unique<ForceJump<double>>(model_, layout_, LinearSolver::automatic);
  [[maybe_unused]] const bool passed = jump_->pass(trajectory_.t[i], trajectory_.y.col(i), after_);
  assert(passed);
  return layout_.instant<double>({trajectory_.t[i], false}, after_);
}

void AdjointEquations::move_to(const DaeInstant<double>& at) {
  t_ = at.t, x_ = at.x, v_ = at.v, v_dot_ = at.v_dot, lambda_ = at.lambda;
}

void AdjointEquations::linearize(double weight) {
  const DaeInstant<double> at = here();
  model_.jacobians(at, *ws_, jacobians_);
  model_.constraint_derivatives(at, *ws_, constraints_);
  F_bar_.setZero();
  for (Eigen::Index j = 0; j < F_bar_.cols(); ++j) {
    DaeInstantBar<double> bar(layout_, F_bar_.col(j));
    integrands_[static_cast<std::size_t>(j)]->add_partials(at, weight, bar, p_bar_.col(j));
  }
  F_bar_ /= weight;
}

/// mu = (known) + b mu_rate, sigma = (known) + b sigma_rate with the multipliers that these imply.
void AdjointEquations::solve(double b) {
  const Eigen::Index n_v = layout_.n_v, n_c = layout_.n_c;
  const auto F_x = F_bar_.topRows(n_v), F_v = F_bar_.middleRows(n_v, n_v),
             F_v_dot = F_bar_.middleRows(2 * n_v, n_v), F_lambda = F_bar_.bottomRows(n_c);
  kkt_.topLeftCorner(n_v, n_v) =
      (jacobians_.M.full() + b * jacobians_.f_v.full() + b * b * jacobians_.f_x.full()).transpose();
  kkt_.topRightCorner(n_v, n_c) =
      (jacobians_.C.full() + b * constraints_.c2_v + b * b * constraints_.c2_x).transpose();
  kkt_.bottomLeftCorner(n_c, n_v) = jacobians_.C.full();
  lu_.compute(kkt_);
  rhs_.topRows(n_v) = F_v_dot + sigma_ + b * (F_v + mu_) + b * b * F_x;
  rhs_.bottomRows(n_c) = F_lambda;
  multipliers_ = lu_.solve(rhs_);
  const auto xi = multipliers_.topRows(n_v), gamma = multipliers_.bottomRows(n_c);
  mu_rate_ = F_x;
  jacobians_.f_x.add_transposed_product(-1.0, xi, mu_rate_);
  mu_rate_.noalias() -= constraints_.c2_x.transpose() * gamma;
  mu_ += b * mu_rate_;
  sigma_rate_ = F_v + mu_;
  jacobians_.f_v.add_transposed_product(-1.0, xi, sigma_rate_);
  sigma_rate_.noalias() -= constraints_.c2_v.transpose() * gamma;
  sigma_ += b * sigma_rate_;
}

/// Adds weight (-f_p^T xi - c_ddot_p^T gamma).
void AdjointEquations::add_multipliers(double weight) {
  for (Eigen::Index j = 0; j < p_bar_.cols(); ++j) {
    minus_xi_ = -weight * multipliers_.col(j).head(layout_.n_v);
    minus_gamma_ = -weight * multipliers_.col(j).tail(layout_.n_c);
    model_.pullback(here(), minus_xi_, none_, *ws_, p_bar_.col(j));
    model_.pullback_constraints(here(), none_, none_, minus_gamma_, *ws_, p_bar_.col(j));
  }
}

/// mu and sigma at t1: the rates that G in place of F would give them, with b = 0.
void AdjointEquations::start_from_finals() {
  if (finals_.empty()) return;
  const MatrixXd F_bar = F_bar_;
  F_bar_.setZero();
  for (Eigen::Index j = 0; j < F_bar_.cols(); ++j) {
    DaeInstantBar<double> bar(layout_, F_bar_.col(j));
    finals_[j]->add_partials(here(), 1.0, bar, p_bar_.col(j));
  }
  solve(0.0);
  add_multipliers(1.0);
  mu_ = mu_rate_, sigma_ = sigma_rate_;
  F_bar_ = F_bar;
}

MatrixXd AdjointEquations::finish(StepResidual<double>& steps) {
  MatrixXd y_bar = MatrixXd::Zero(steps.n_tangent(), p_bar_.cols());
  y_bar.topRows(layout_.n_v) = mu_;
  y_bar.middleRows(layout_.n_v, layout_.n_v) = sigma_;
  steps.pullback_initial(trajectory_.y.col(0), y_bar, p_bar_);
  return p_bar_;
}

}  // namespace kurbel
