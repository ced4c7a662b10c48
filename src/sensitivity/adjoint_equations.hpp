/// @file
/// The continuous adjoint equations of continuous_adjoint.hpp at one instant after the other, for what integrates
/// them. Internal to src/sensitivity.
#pragma once

#include <Eigen/LU>

#include "integration/force_jump.hpp"
#include "integration/jump_instants.hpp"
#include "sensitivity/continuous_adjoint.hpp"

namespace kurbel {

class AdjointEquations {
 public:
  using Integrands = std::vector<const Integrand<double>*>;

  AdjointEquations(const SecondOrderDae<double>& model, const DaeStateLayout& layout,
                   const Trajectory<double>& trajectory, const Integrands& integrands,
                   const Integrands& finals);

 protected:
  DaeInstant<double> stored(Eigen::Index i) const {
    return layout_.instant<double>(trajectory_.t[i], trajectory_.y.col(i));
  }
  /// True if forces jump at t_i, within the motion.
  bool jumps_at(Eigen::Index i) const {
    return i > 0 && i + 1 < trajectory_.t.size() && jumps_.has(trajectory_.t[i]);
  }
  /// The state after the jump at t_i; without one the state that is stored.
  DaeInstant<double> after_jump(Eigen::Index i);
  DaeInstant<double> here() const { return {t_, x_, v_, v_dot_, lambda_}; }
  void move_to(const DaeInstant<double>& at);
  /// Derivatives at here().
  /// @param weight  of its value in the integral over time
  void linearize(double weight);
  /// mu = (known) + b mu_rate, sigma = (known) + b sigma_rate with the multipliers that these imply; in frames that
  /// move along.
  void solve(double b);
  /// Adds weight (-f_p^T xi - c_ddot_p^T gamma).
  void add_multipliers(double weight);
  /// mu and sigma at t1.
  void start_from_finals();
  /// Adds the contributions of mu and sigma at t0, and returns the gradient.
  /// @param steps  those that found the trajectory, whose start is solved
  MatrixXd finish(StepResidual<double>& steps);

  const SecondOrderDae<double>& model_;
  const DaeStateLayout layout_;
  const Trajectory<double>& trajectory_;

  OneSidedTime t_;
  VectorXd x_, v_, v_dot_, lambda_;  ///< the state here
  std::unique_ptr<SecondOrderDae<double>::Workspace> ws_;
  DaeJacobians<double> jacobians_;
  ConstraintDerivatives<double> constraints_;
  Eigen::PartialPivLU<MatrixXd> lu_;  ///< of the equations of the multipliers
  MatrixXd mu_, sigma_;               ///< before solve(), what is known of them
  MatrixXd mu_rate_, sigma_rate_;     ///< derivatives by -t in the moving frames
  VectorXd none_;                     ///< no multipliers
  MatrixXd F_bar_;                    ///< partial derivatives of the integrands
  MatrixXd multipliers_;              ///< (xi, gamma)

 private:
  JumpInstants jumps_;
  std::unique_ptr<ForceJump<double>> jump_;  ///< once there is one
  VectorXd after_;
  const Integrands &integrands_, &finals_;
  MatrixXd kkt_;
  MatrixXd rhs_;
  VectorXd minus_xi_, minus_gamma_;
  MatrixXd p_bar_;
};

}  // namespace kurbel
