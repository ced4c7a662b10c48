/// @file
/// One-step methods for x_dot = f(t, x, p), as Runge-Kutta methods with a lower triangular tableau:
///
///     X_i = x_0 + h sum_{j <= i} a_ij F_j,    F_i = f(t_0 + c_i h, X_i, p),
///     x_1 = x_0 + h sum_i b_i F_i
///
///     explicit Euler  [P2, eq. 22]     implicit Euler  [P2, eq. 25]
///     trapezoidal rule                 classical, of order 4
///
/// Stages at the end of a step see the model's functions of time from the left: where one is constant between
/// nodes, a step sees the value inside its own interval.
#pragma once

#include <vector>

#include "base/shared.hpp"
#include "integration/first_order_ode.hpp"
#include "integration/integrator_options.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// Coefficients; an implicit stage (a_ii != 0) is the last one and equals the new state.
struct ButcherTableau {
  MatrixXd A;
  VectorXd b, c;
  VectorXd error;  ///< of an embedded method: b - b^, with a last entry for the rate at the end; else empty

  Eigen::Index n_stages() const { return b.size(); }
  /// Coefficients of dense output of an embedded method: h sum_i dense_i F_i, the rate at the end last, see
  /// weights_at(); else empty.
  VectorXd dense;

  /// b(theta) of x(theta) = x_0 + h sum_i b_i(theta) F_i, of order 4 within the step, the rate at the end last: the
  /// cubic that has the values and rates of both ends, and theta^2 (1 - theta)^2 h sum_i dense_i F_i.
  VectorXd weights_at(double theta) const;
  bool is_implicit() const { return A(n_stages() - 1, n_stages() - 1) != 0.0; }
  /// @throws InputError if the method is none of this family
  static ButcherTableau of(IntegratorMethod method);
};

template <class Scalar>
class RungeKutta final : public StepResidual<Scalar> {
 public:
  using Base = StepResidual<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  /// The parameters of the model are those of the steps.
  /// @throws InputError if the method is none of this family
  RungeKutta(Shared<const FirstOrderOde<Scalar>> model, const IntegratorOptions& options);

  Eigen::Index n_state() const override { return model_.n_x(); }
  Eigen::Index n_tangent() const override { return model_.n_x(); }
  Eigen::Index n_parameters() const override { return model_.parameters().size(); }
  Eigen::Index n_steps() const override { return n_steps_; }
  Eigen::Index end_parameter() const override { return model_.end_parameter(); }
  double time(Eigen::Index k) const override { return options_.t0 + static_cast<double>(k) * h_; }
  std::string place_not_finite(const Segment& y) const override;
  /// Trapezoidal rule; the left or right rule for the Euler methods would be of their order as well.
  double quadrature_weight(Eigen::Index k) const override { return k == 0 || k == n_steps_ ? 0.5 * h_ : h_; }
  Status initial_state(Eigen::Ref<Vec> y0) override;
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override;
  void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) override;
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override;
  void push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot) override;

  /// Newton iterations of all steps so far.
  long newton_iterations() const { return newton_iterations_; }

 private:
  OneSidedTime stage_time(Eigen::Index k, Eigen::Index stage) const;
  Status solve_implicit_stage(const OneSidedTime& at, double gamma, const Vec& known, Eigen::Ref<Vec> x);
  void stage_states(Eigen::Index k, const Segment& y_prev, const Segment& y);
  void reserve_columns(Eigen::Index m);

  Shared<const FirstOrderOde<Scalar>> shared_;
  const FirstOrderOde<Scalar>& model_;  ///< *shared_
  IntegratorOptions options_;
  ButcherTableau tableau_;
  Eigen::Index n_steps_;
  double h_;
  long newton_iterations_ = 0;
  std::unique_ptr<typename FirstOrderOde<Scalar>::Workspace> ws_;
  Vec known_, residual_;
  Matrix X_, F_;                               ///< n_x x n_stages
  std::vector<Matrix> X_columns_, F_columns_;  ///< per stage, n_x x (m at most)
};

}  // namespace kurbel
