#include "sensitivity/continuous_adjoint.hpp"

#include <cassert>

#include "sensitivity/adjoint_equations.hpp"

namespace kurbel {

namespace {

class BackwardDifferences final : private AdjointEquations {
 public:
  BackwardDifferences(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                      const Trajectory<double>& trajectory, const Integrands& integrands,
                      Eigen::Index substeps, const Integrands& finals)
      : AdjointEquations(model, layout, trajectory, integrands, finals),
        substeps_(substeps),
        n_steps_((trajectory.y.cols() - 1) * substeps),
        h_(trajectory.span() / static_cast<double>(n_steps_)) {
    assert(substeps >= 1);
    for (MatrixXd* matrix : {&mu_1_, &sigma_1_, &mu_2_, &sigma_2_})
      matrix->setZero(layout.n_v, std::ssize(integrands));
  }

  MatrixXd gradient(StepResidual<double>& steps);

 private:
  void move_to(Eigen::Index k);
  void transport(MatrixXd& mu);
  void add_shares(Eigen::Index k);
  double quadrature_weight(Eigen::Index k) const { return k == 0 || k == n_steps_ ? 0.5 * h_ : h_; }

  const Eigen::Index substeps_, n_steps_;
  const double h_;
  std::vector<RetractionBlock<double>> blocks_;
  MatrixXd mu_1_, sigma_1_;  ///< at t_{k+1}
  MatrixXd mu_2_, sigma_2_;  ///< at t_{k+2}, carried to t_{k+1}
  MatrixXd carried_;
  VectorXd increment_, displacement_;
};

/// The state at t_k, stored or interpolated between stored ones to second order, and exp(-ad_xi) with xi =
/// h (v_k + v_{k+1}) / 2.
void BackwardDifferences::move_to(Eigen::Index k) {
  increment_ = 0.5 * h_ * v_;
  const Eigen::Index i = k / substeps_, s = k % substeps_;
  const DaeInstant<double> from = stored(i);
  AdjointEquations::move_to(from);
  if (s > 0) {
    const double fraction = static_cast<double>(s) / static_cast<double>(substeps_);
    const DaeInstant<double> to = stored(i + 1);
    t_ = t_ + s * h_;
    v_ += fraction * (to.v - from.v);
    v_dot_ += fraction * (to.v_dot - from.v_dot);
    lambda_ += fraction * (to.lambda - from.lambda);
    displacement_ = (0.5 * s * h_) * (from.v + v_);
    model_.retract(from.x, displacement_, x_);
  }
  increment_ += 0.5 * h_ * v_;
  model_.retraction_derivative(increment_, blocks_);
}

/// mu <- exp(-ad_xi)^T mu from t_{k+1} to t_k.
void BackwardDifferences::transport(MatrixXd& mu) {
  for (const auto& block : blocks_) {
    with_size(block.Ad, [&](const auto& Ad, auto n) {
      auto rows = mu.middleRows(block.offset, n);
      carried_.noalias() = Ad.transpose() * rows;
      rows = carried_;
    });
  }
}

/// Adds the shares of the multipliers at t_k: where forces jump, half of them by those after the jump.
void BackwardDifferences::add_shares(Eigen::Index k) {
  const bool jumps = k % substeps_ == 0 && jumps_at(k / substeps_);
  add_multipliers(jumps ? 0.5 * h_ : quadrature_weight(k));
  if (!jumps) return;
  AdjointEquations::move_to(after_jump(k / substeps_));
  add_multipliers(0.5 * h_);
  AdjointEquations::move_to(stored(k / substeps_));
}

MatrixXd BackwardDifferences::gradient(StepResidual<double>& steps) {
  v_ = stored(trajectory_.y.cols() - 1).v;
  move_to(n_steps_);
  linearize(quadrature_weight(n_steps_));
  start_from_finals();
  solve(0.0);
  add_multipliers(quadrature_weight(n_steps_));
  for (Eigen::Index k = n_steps_ - 1; k >= 0; --k) {
    mu_1_ = mu_, sigma_1_ = sigma_;
    const bool first = k == n_steps_ - 1;
    if (first) {
      mu_ += 0.5 * h_ * mu_rate_;
      sigma_ += 0.5 * h_ * sigma_rate_;
    } else {
      mu_ = (4.0 * mu_1_ - mu_2_) / 3.0;
      sigma_ = (4.0 * sigma_1_ - sigma_2_) / 3.0;
    }
    move_to(k);
    transport(mu_);
    linearize(quadrature_weight(k));
    solve(first ? 0.5 * h_ : 2.0 / 3.0 * h_);
    add_shares(k);
    mu_2_ = mu_1_, sigma_2_ = sigma_1_;
    transport(mu_2_);
  }
  return finish(steps);
}

}  // namespace

MatrixXd continuous_adjoint(const SecondOrderDae<double>& model, DaeSteps<double>& steps,
                            const Trajectory<double>& trajectory,
                            const std::vector<const Integrand<double>*>& integrands, int substeps,
                            const std::vector<const Integrand<double>*>& finals) {
  return BackwardDifferences(model, steps.layout(), trajectory, integrands, substeps, finals).gradient(steps);
}

MatrixXd continuous_adjoint_of(IntegratorMethod forwards, const SecondOrderDae<double>& model,
                               DaeSteps<double>& steps, const Trajectory<double>& trajectory,
                               const std::vector<const Integrand<double>*>& integrands, int substeps,
                               const std::vector<const Integrand<double>*>& finals) {
  return takes_momenta(forwards) ? explicit_continuous_adjoint(model, steps, trajectory, integrands, finals)
                                 : continuous_adjoint(model, steps, trajectory, integrands, substeps, finals);
}

}  // namespace kurbel
