#include "sensitivity/continuous_adjoint.hpp"

#include <Eigen/LU>
#include <cassert>

namespace kurbel {

namespace {

class BackwardIntegration {
 public:
  BackwardIntegration(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                      const Trajectory<double>& trajectory,
                      const std::vector<const Integrand<double>*>& integrands, Eigen::Index substeps,
                      const std::vector<const Integrand<double>*>& finals);

  MatrixXd gradient();

 private:
  DaeInstant<double> stored(Eigen::Index i) const {
    return layout_.instant<double>(trajectory_.t[i], trajectory_.y.col(i));
  }
  DaeInstant<double> here() const { return {t_, x_, v_, v_dot_, lambda_}; }
  void move_to(Eigen::Index k);
  void transport(MatrixXd& mu);
  void linearize(Eigen::Index k);
  void solve(double b);
  void add_multipliers(double weight);
  void start_from_finals();
  double quadrature_weight(Eigen::Index k) const { return k == 0 || k == n_steps_ ? 0.5 * h_ : h_; }

  const SecondOrderDae<double>& model_;
  const DaeStateLayout layout_;
  const Trajectory<double>& trajectory_;
  const std::vector<const Integrand<double>*>&integrands_, &finals_;
  const Eigen::Index substeps_, n_steps_;
  const double h_;

  std::unique_ptr<SecondOrderDae<double>::Workspace> ws_;
  double t_ = 0.0;
  VectorXd x_, v_, v_dot_, lambda_;  ///< the state at t_k
  DaeJacobians<double> jacobians_;
  ConstraintDerivatives<double> constraints_;
  std::vector<RetractionBlock<double>> blocks_;
  MatrixXd kkt_;
  Eigen::PartialPivLU<MatrixXd> lu_;
  MatrixXd F_bar_;                 ///< partial derivatives of the integrands
  MatrixXd rhs_, multipliers_;     ///< (xi, gamma)
  MatrixXd mu_, sigma_;            ///< at t_k; before solve(), what is known of them
  MatrixXd mu_1_, sigma_1_;        ///< at t_{k+1}
  MatrixXd mu_2_, sigma_2_;        ///< at t_{k+2}, carried to t_{k+1}
  MatrixXd mu_rate_, sigma_rate_;  ///< derivatives by -t at t_k in the moving frames
  MatrixXd carried_;
  VectorXd increment_, displacement_, minus_xi_, minus_gamma_, none_;
  MatrixXd p_bar_;
};

BackwardIntegration::BackwardIntegration(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                                         const Trajectory<double>& trajectory,
                                         const std::vector<const Integrand<double>*>& integrands,
                                         Eigen::Index substeps,
                                         const std::vector<const Integrand<double>*>& finals)
    : model_(model),
      layout_(layout),
      trajectory_(trajectory),
      integrands_(integrands),
      finals_(finals),
      substeps_(substeps),
      n_steps_((trajectory.y.cols() - 1) * substeps),
      h_((trajectory.t[trajectory.t.size() - 1] - trajectory.t[0]) / static_cast<double>(n_steps_)),
      ws_(model.make_workspace()),
      x_(layout.n_x),
      jacobians_(model.make_jacobians()),
      none_(VectorXd::Zero(layout.n_c)) {
  assert(trajectory.n_stored == trajectory.y.cols() && substeps >= 1);
  const Eigen::Index n_v = layout.n_v, n_c = layout.n_c, m = static_cast<Eigen::Index>(integrands.size());
  jacobians_.store_full();
  constraints_.resize(n_v, n_c);
  kkt_.setZero(n_v + n_c, n_v + n_c);
  F_bar_.setZero(layout.n_tangent(), m);
  for (MatrixXd* matrix : {&rhs_, &multipliers_}) matrix->setZero(n_v + n_c, m);
  for (MatrixXd* matrix : {&mu_, &sigma_, &mu_1_, &sigma_1_, &mu_2_, &sigma_2_, &mu_rate_, &sigma_rate_})
    matrix->setZero(n_v, m);
  p_bar_.setZero(model.parameters().size(), m);
}

/// The state at t_k, stored or interpolated between stored ones to second order, and exp(-ad_xi) with xi =
/// h (v_k + v_{k+1}) / 2.
void BackwardIntegration::move_to(Eigen::Index k) {
  increment_ = 0.5 * h_ * v_;
  const Eigen::Index i = k / substeps_, s = k % substeps_;
  const DaeInstant<double> from = stored(i);
  t_ = from.t, x_ = from.x, v_ = from.v, v_dot_ = from.v_dot, lambda_ = from.lambda;
  if (s > 0) {
    const double fraction = static_cast<double>(s) / static_cast<double>(substeps_);
    const DaeInstant<double> to = stored(i + 1);
    t_ += s * h_;
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
void BackwardIntegration::transport(MatrixXd& mu) {
  for (const auto& block : blocks_) {
    with_size(block.Ad, [&](const auto& Ad, auto n) {
      auto rows = mu.middleRows(block.offset, n);
      carried_.noalias() = Ad.transpose() * rows;
      rows = carried_;
    });
  }
}

void BackwardIntegration::linearize(Eigen::Index k) {
  const DaeInstant<double> at = here();
  model_.jacobians(at, *ws_, jacobians_);
  model_.constraint_derivatives(at, *ws_, constraints_);
  F_bar_.setZero();
  for (Eigen::Index j = 0; j < F_bar_.cols(); ++j) {
    DaeInstantBar<double> bar(layout_, F_bar_.col(j));
    integrands_[j]->add_partials(at, quadrature_weight(k), bar, p_bar_.col(j));
  }
  F_bar_ /= quadrature_weight(k);
}

/// mu = (known) + b mu_rate, sigma = (known) + b sigma_rate with the multipliers that these imply.
void BackwardIntegration::solve(double b) {
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
void BackwardIntegration::add_multipliers(double weight) {
  for (Eigen::Index j = 0; j < p_bar_.cols(); ++j) {
    minus_xi_ = -weight * multipliers_.col(j).head(layout_.n_v);
    minus_gamma_ = -weight * multipliers_.col(j).tail(layout_.n_c);
    model_.pullback(here(), minus_xi_, none_, *ws_, p_bar_.col(j));
    model_.pullback_constraints(here(), none_, none_, minus_gamma_, *ws_, p_bar_.col(j));
  }
}

/// mu and sigma at t1: the rates that G in place of F would give them, with b = 0.
void BackwardIntegration::start_from_finals() {
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

MatrixXd BackwardIntegration::gradient() {
  v_ = stored(trajectory_.y.cols() - 1).v;
  move_to(n_steps_);
  linearize(n_steps_);
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
    linearize(k);
    solve(first ? 0.5 * h_ : 2.0 / 3.0 * h_);
    add_multipliers(quadrature_weight(k));
    mu_2_ = mu_1_, sigma_2_ = sigma_1_;
    transport(mu_2_);
  }

  const auto start = model_.make_start();
  StartState<double> state;
  [[maybe_unused]] const Status status = start->solve(trajectory_.t[0], state);
  assert(!status);
  const VectorXd no_acceleration = VectorXd::Zero(layout_.n_v);
  for (Eigen::Index j = 0; j < p_bar_.cols(); ++j) {
    start->pullback(state, mu_.col(j), sigma_.col(j), no_acceleration, none_, p_bar_.col(j));
  }
  return p_bar_;
}

}  // namespace

MatrixXd continuous_adjoint(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                            const Trajectory<double>& trajectory,
                            const std::vector<const Integrand<double>*>& integrands, int substeps,
                            const std::vector<const Integrand<double>*>& finals) {
  return BackwardIntegration(model, layout, trajectory, integrands, substeps, finals).gradient();
}

}  // namespace kurbel
