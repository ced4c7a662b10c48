/// @file
/// Generalized-alpha on the index-3 equations, on a Lie group (Chung and Hulbert 1993; Arnold and Bruels
/// 2007).
///
/// With w = v_dot and the algorithmic acceleration a, step from 0 to 1:
///
///     (1 - alpha_m) a_1 + alpha_m a_0 = (1 - alpha_f) w_1 + alpha_f w_0
///     xi  = h v_0 + h^2 (1/2 - beta) a_0 + h^2 beta a_1           x_1 = x_0 o exp(xi)
///     v_1 = v_0 + h (1 - gamma) a_0 + h gamma a_1
///     f(t_1, x_1, v_1, w_1, lambda_1) = 0                         c(t_1, x_1) = 0
///
/// Unconditionally stable, damping at infinite frequency set by rho_inf. Starts with a_0 = w_0. x and v are
/// of second order; with constraints w and lambda are so after some steps if rho_inf < 1, and not at all
/// convergent if rho_inf = 1 (docs/theory.md, time integration). Steps begin with extrapolated accelerations and with the
/// factors of an earlier step where these serve. State y = (x, v, w, a, lambda); integrals
/// over time by the trapezoidal rule, of the same order.
#pragma once

#include "integration/accelerated_steps.hpp"
#include "integration/linearized_dae.hpp"

namespace kurbel {

template <class Scalar>
class GeneralizedAlpha final : public AcceleratedSteps<Scalar> {
 public:
  using Base = AcceleratedSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  GeneralizedAlpha(Shared<const SecondOrderDae<Scalar>> model, const IntegratorOptions& options);

  Status initial_state(Eigen::Ref<Vec> y0) override;

 private:
  using Base::h_;
  using Base::layout_;
  using Base::model_;
  using Base::newton_iterations_;
  using Base::options_;
  using Base::ws_;

  Status advance(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pull_back_advance(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                         Columns p_bar) override;
  void push_forward_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                            const ConstColumns& p_dot, Columns y_dot) override;

  /// Points at which Newton's iteration of a step begins. The first one is next to the solution wherever the steps
  /// resolve the motion. Where accelerations leap, e.g. where a torque sets in on light elastic coordinates
  /// whose periods are below a step, the forces of their springs overwhelm everything there: the other two
  /// leave them small.
  enum class Guess {
    extrapolated,       ///< w_1 continues the last step linearly
    same_acceleration,  ///< w_1 = w_0
    same_velocity,      ///< xi = h v_0
    same_position,      ///< xi = 0
  };
  /// So many times the first correction of w_1 may the later ones be, in the kinetic norm. Within 1/2 the iteration
  /// has a solution near its start, and no other is near it. [Deuflhard, Newton Methods for Nonlinear Problems]
  static constexpr double largest_growth(Guess guess) { return guess == Guess::same_position ? 1.0 : 0.5; }
  enum class Outcome { converged, singular, astray };
  void follow(const Segment& y_prev, Eigen::Ref<Vec> y);
  void guess(Guess kind, const Segment& y_prev, Eigen::Ref<Vec> y);
  Outcome iterate(Guess kind, double t, const Segment& y_prev, Eigen::Ref<Vec> y, bool is_linearized);
  bool factorize(const Segment& xi);
  Vec xi_by_length(const Segment& y_prev, const Segment& y) const;
  bool linearize_step(const DaeInstant<Scalar>& at, const Segment& y_prev, const Segment& y);

  double alpha_m_, alpha_f_, beta_, gamma_;
  double c_w1_, c_w0_, c_a0_;  ///< a_1 = c_w1 w_1 + c_w0 w_0 + c_a0 a_0

  Eigen::Index linearized_step_ = 0;  ///< whose factors serve the next one; 0: none
  Eigen::Index keeps_from_ = 0;       ///< the first step whose factors may serve the next one
  int iterations_ = 0;                ///< of the last try
  std::unique_ptr<LinearizedDae<Scalar>> linearized_;
  std::vector<RetractionBlock<Scalar>> blocks_;
  Matrix rhs_, solution_, x_dot_, v_dot_, a_dot_, xi_dot_;  ///< one column per direction of parameter space
  Vec residual_, correction_, xi_, mu_, x_bar_, v_bar_, a_bar_, xi_bar_, nu_, minus_mu_;
};

}  // namespace kurbel
