#include <cassert>

#include "integration/increment_rate.hpp"
#include "sensitivity/adjoint_constraints.hpp"
#include "sensitivity/adjoint_equations.hpp"

namespace kurbel {

namespace {

class ExplicitAdjoint final : private AdjointEquations {
 public:
  using AdjointEquations::AdjointEquations;
  /// @param time_history  if not null, of the first functional
  void sweep(Costates* time_history);
  using AdjointEquations::finish;

 private:
  struct Rates {
    MatrixXd mu, sigma;
  };
  void move_between(Eigen::Index k, double h);
  void accelerate();
  Rates rates(const MatrixXd& mu, const MatrixXd& sigma, double weight);
};

/// v_dot and lambda of x and v.
void ExplicitAdjoint::accelerate() {
  const Eigen::Index n_v = layout_.n_v, n_c = layout_.n_c;
  v_dot_.setZero(n_v), lambda_.setZero(n_c);
  VectorXd rhs(n_v + n_c), c(n_c);
  model_.residual(here(), *ws_, rhs.head(n_v), c);
  model_.jacobians(here(), *ws_, jacobians_);
  model_.constraint_derivatives(here(), *ws_, constraints_);
  rhs.tail(n_c) = constraints_.c2;
  MatrixXd K = MatrixXd::Zero(n_v + n_c, n_v + n_c);
  K.topLeftCorner(n_v, n_v) = jacobians_.M.full();
  K.topRightCorner(n_v, n_c) = jacobians_.C.full().transpose();
  K.bottomLeftCorner(n_c, n_v) = jacobians_.C.full();
  const VectorXd solution = -K.partialPivLu().solve(rhs);
  v_dot_ = solution.head(n_v), lambda_ = solution.tail(n_c);
}

/// Half way from t_k to t_{k+1}, by Hermite's cubics of the increment and of the velocity.
void ExplicitAdjoint::move_between(Eigen::Index k, double h) {
  const DaeInstant<double> from = after_jump(k), to = stored(k + 1);
  VectorXd whole(layout_.n_v), rate(layout_.n_v);
  model_.increment(from.x, to.x, whole);
  std::vector<RetractionBlock<double>> blocks;
  model_.retraction_derivative(whole, blocks);
  rate_of_increment<double>(blocks, whole, to.v, rate);
  t_ = from.t + 0.5 * h;
  v_ = 0.5 * (from.v + to.v) + 0.125 * h * (from.v_dot - to.v_dot);
  const VectorXd half = 0.5 * whole + 0.125 * h * (from.v - rate);
  model_.retract(from.x, half, x_);
  accelerate();
}

/// Derivatives by -t in fixed frames: of mu, less ad_v^T mu. Adds the share of the multipliers to the gradient.
ExplicitAdjoint::Rates ExplicitAdjoint::rates(const MatrixXd& mu, const MatrixXd& sigma, double weight) {
  mu_ = mu, sigma_ = sigma;
  solve(0.0);
  add_multipliers(weight);
  Rates out{mu_rate_, sigma_rate_};
  std::vector<RetractionBlock<double>> blocks;
  model_.retraction_derivative(v_, blocks);
  for (const RetractionBlock<double>& block : blocks) {
    const Vector6<double> v = six<double>(block, v_);
    for (Eigen::Index j = 0; j < mu.cols(); ++j) {
      out.mu.col(j).segment(block.offset, block.size()) -=
          ad_transposed<double>(v, six<double>(block, mu.col(j))).tail(block.size());
    }
  }
  return out;
}

void ExplicitAdjoint::sweep(Costates* time_history) {
  const Eigen::Index n = trajectory_.y.cols() - 1;
  if (time_history)
    time_history->xi.resize(layout_.n_v, n + 1), time_history->F_lambda.resize(layout_.n_c, n + 1);
  const auto keep = [&](Eigen::Index k) {
    if (!time_history) return;
    time_history->xi.col(k) = multipliers_.col(0).head(layout_.n_v);
    time_history->F_lambda.col(k) = F_bar_.col(0).tail(layout_.n_c);
  };
  const double h = trajectory_.span() / static_cast<double>(n);
  move_to(stored(n));
  linearize(h / 6.0);
  start_from_finals();
  MatrixXd mu = mu_, sigma = sigma_;
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    const Rates at_end = rates(mu, sigma, h / 6.0);
    keep(k + 1);
    move_between(k, h);
    linearize(2.0 * h / 3.0);
    const Rates first = rates(mu + 0.5 * h * at_end.mu, sigma + 0.5 * h * at_end.sigma, h / 3.0),
                second = rates(mu + 0.5 * h * first.mu, sigma + 0.5 * h * first.sigma, h / 3.0);
    const bool jumps = jumps_at(k);
    move_to(after_jump(k));
    linearize(k == 0 || jumps ? h / 6.0 : h / 3.0);
    const Rates at_start = rates(mu + h * second.mu, sigma + h * second.sigma, h / 6.0);
    mu += h / 6.0 * (at_end.mu + 2.0 * (first.mu + second.mu) + at_start.mu);
    sigma += h / 6.0 * (at_end.sigma + 2.0 * (first.sigma + second.sigma) + at_start.sigma);
    if (!jumps) continue;
    move_to(stored(k));
    linearize(h / 6.0);
  }
  mu_ = mu, sigma_ = sigma;
  if (time_history) solve(0.0), keep(0);
}

}  // namespace

MatrixXd explicit_continuous_adjoint(const SecondOrderDae<double>& model, DaeSteps<double>& steps,
                                     const Trajectory<double>& trajectory,
                                     const std::vector<const Integrand<double>*>& integrands,
                                     const std::vector<const Integrand<double>*>& finals) {
  ExplicitAdjoint equations(model, steps.layout(), trajectory, integrands, finals);
  equations.sweep(nullptr);
  return equations.finish(steps);
}

Costates costates(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                  const Trajectory<double>& trajectory, const Integrand<double>& integrand,
                  const Integrand<double>& final_terms) {
  const std::vector<const Integrand<double>*> integrands = {&integrand}, finals = {&final_terms};
  Costates time_history;
  ExplicitAdjoint(model, layout, trajectory, integrands, finals).sweep(&time_history);
  return time_history;
}

}  // namespace kurbel
