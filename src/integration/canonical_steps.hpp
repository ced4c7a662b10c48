/// @file
/// Explicit Runge-Kutta methods for Hamilton's equations of a mechanism.                    [P3, eqs 6, 10, 11]
///
/// A step from 0 to 1 begins with sigma = 0, p_0 = M(x_0) v_0, as any sigma may. With x_i = x_0 o exp(xi_i):
///
///     xi_i = h sum_j a_ij k_j,    p_i = p_0 + h sum_j a_ij p_dot_j
///     [M C^T; C 0](x_i) [v_i; sigma_i] = [p_i; -c_t],    p_dot_i = g(t_i, x_i, v_i) + C_dot^T sigma_i
///     k_i = v_i + [xi_i, v_i] / 2 + [xi_i, [xi_i, v_i]] / 12
///
/// (k is xi_dot, up to terms that no method of up to order 5 sees). So velocities meet the constraints at every
/// stage; positions drift from them by the order of the method. At its end
///
///     [M C^T; C 0] [w_1; lambda_1] = -[f(t_1, x_1, v_1, 0, 0); c_ddot(t_1, x_1, v_1, 0)]
///
/// An embedded method (Dormand and Prince, 5(4)) takes as many steps from one output to the next as its estimate of
/// the error asks for; they are kept for the derivatives, which are those of the steps taken. With dense_output steps
/// pass the instants of the output, where xi and p are interpolated to order 4, and velocities meet the constraints
/// as at a stage; such motions have no derivatives by steps.
///
/// Steps end and begin where forces or the rates of controls jump: an error that is estimated across a kink is too
/// small, and the steps that it allows change with the design. Where forces jump, a stage at the start of a step sees
/// what is after the jump, one at its end what is before it.
///
/// State y = (x, v, w, lambda). Integrals over time by Gregory's rule of order 4.
#pragma once

#include "integration/canonical_equations.hpp"
#include "integration/dae_steps.hpp"
#include "integration/runge_kutta.hpp"

namespace kurbel {

template <class Scalar>
class CanonicalSteps final : public DaeSteps<Scalar> {
 public:
  using Base = DaeSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  /// @throws InputError if the method is implicit
  CanonicalSteps(std::shared_ptr<const CanonicalEquations<Scalar>> equations,
                 const IntegratorOptions& options);

  double quadrature_weight(Eigen::Index k) const override;
  Status initial_state(Eigen::Ref<Vec> y0) override;
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override;
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override;

  /// The number of steps of an embedded method since initial_state(), without those that were refused.
  long n_steps_taken() const { return n_steps_taken_; }

 private:
  using Workspace = typename SecondOrderDae<Scalar>::Workspace;
  struct Stage {
    OneSidedTime t;
    std::unique_ptr<Workspace> ws;
    Vec x, v, sigma;
    Vec M_v, g;                                   ///< at x, v
    Vec xi, p;                                    ///< where it is, from the start of the step
    Vec k, p_dot;                                 ///< its rates
    std::vector<RetractionBlock<Scalar>> blocks;  ///< of xi
    ConstraintDerivatives<Scalar> constraints;    ///< at x, v, without acceleration
    Vec x_at_rest, p_at_rest;                     ///< d(sigma . c_dot)/d(x, parameters) at v = 0
    bool varies_at_rest = false;                  ///< whether any of these is not zero
    bool is_start = false;                        ///< of a step, where sigma = 0 and v is given
    bool is_placed = false, is_moving = false;
  };
  /// Sensitivities by the rates of a stage.
  struct StageBar {
    Vec k, p_dot;
  };
  DaeInstant<Scalar> instant(const Stage& stage, const Segment& v) const;
  Eigen::Index place(Stage& stage, const OneSidedTime& t, const Segment& x);
  void set_velocity(Stage& stage, const Segment& v);
  void velocity_of_momentum(Stage& stage);
  void add_rates(Stage& stage);
  Eigen::Index begin(double t, const Segment& x0, const Segment& v0);
  Eigen::Index advance(Stage& stage, double t, double h, const VectorXd& weights);
  Eigen::Index run(double t, double t1, const Segment& x0, const Segment& v0);
  double error(double h);
  double error_of_velocity(const Segment& of_momentum);
  void set_parts(Eigen::Index k);
  Status run_once(double& t, double t1);
  Status run_to(double t1, double t, std::vector<double>& taken);
  Status run_past(double t1);
  Status step_densely(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y);
  void finish(Stage& at, Eigen::Ref<Vec> y);
  Status too_small(double t) const;
  void require_steps_to_the_output() const;
  Status failure_at(double t, Eigen::Index singular) const;
  Status diverged(double t) const;
  /// (mu, nu) = [M C^T; C 0]^-1 (top, bottom)
  template <class Top, class Bottom>
  void solve(const Stage& stage, const Top& top, const Bottom& bottom) {
    rhs_.topRows(this->layout_.n_v) = top, rhs_.bottomRows(this->layout_.n_c) = bottom;
    equations_->solve(*stage.ws, rhs_);
    mu_ = rhs_.col(0).head(this->layout_.n_v);
    nu_ = rhs_.col(0).tail(this->layout_.n_c);
  }
  void linearize_end(const DaeInstant<Scalar>& at);
  void pull_back_acceleration(const DaeInstant<Scalar>& at, const Segment& w_bar, const Segment& lambda_bar,
                              Eigen::Ref<Vec> p_bar);
  void pull_back_velocity(const Stage& stage, Eigen::Ref<Vec> p_bar);
  void pull_back_rates(const Stage& stage, const StageBar& bar, Eigen::Ref<Vec> p_bar);
  void pull_back_impulses(const Stage& stage, const Vec& w, Eigen::Ref<Vec> p_bar);
  void pull_back_position(const Stage& stage, double h, const VectorXd& weights);
  void pull_back_run(double h, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar);
  void set_bars_at_rest(Stage& stage);
  void add_bars_at_rest(const Stage& stage, double factor, Eigen::Ref<Vec> p_bar);
  void add_constraint_bars(const Stage& stage, const Vec& v, double first, double second,
                           Eigen::Ref<Vec> p_bar);

  std::shared_ptr<const CanonicalEquations<Scalar>> equations_;
  ButcherTableau tableau_;
  std::vector<VectorXd> weights_;  ///< a_i, of the stages before stage i; last b
  std::vector<Stage> stages_;
  Stage end_;
  Stage between_;  ///< at an instant of dense output
  std::vector<StageBar> bars_;
  std::unique_ptr<Workspace> aside_;  ///< of equations_, for constraints at other velocities
  Vec at_rest_, no_multipliers_;
  Matrix rhs_;
  ConstraintDerivatives<Scalar> at_end_;
  DaeJacobians<Scalar> jacobians_;
  JumpInstants ends_;          ///< where steps end besides those of the output
  std::vector<double> parts_;  ///< where the parts of a step end, s
  std::vector<std::vector<double>>
      taken_;          ///< of an embedded method, by step: where those that it is made of end, s
  double next_ = 0.0;  ///< what the error allows, s
  double largest_momentum_ = 0.0;
  double momentum_tried_ = 0.0;  ///< the same with the last step tried, which may be refused
  long n_steps_taken_ = 0;
  double free_end_ = 0.0, free_length_ = 0.0;  ///< of the last step with dense output, s
  Vec x0_, v0_, x_new_;
  Vec x_bar_, v_bar_, sigma_bar_, xi_bar_;  ///< of the stage under way
  Vec x0_bar_, p0_bar_;                     ///< of the start of the step
  Scalar length_bar_{};                     ///< h d psi/dh of a step
  Matrix x_starts_, v_starts_;              ///< of the steps that one from output to output is made of
  Vec mu_, nu_, unused_;                    ///< a solution; what is not requested
  Vec minus_mu_, minus_nu_, w_, w1_, w2_;   ///< velocities and weights under way
};

}  // namespace kurbel
