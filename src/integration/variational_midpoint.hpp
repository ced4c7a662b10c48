/// @file
/// The variational step on a ConstantMassDae.    [P1, eqs 7-17]
///
/// The motion between two instants makes the discrete action h L(x_a, v_a) stationary, with constraints by the
/// trapezoidal rule. As a step from 0 to 1, with F_a = F(t_a, x_a, v_a) at
///
///     t_a = t_0 + alpha h      x_a = (1 - alpha) x_0 + alpha x_1      v_a = (x_1 - x_0) / h
///
/// and multipliers a behind instant 0 and b before instant 1, whose mean is that of the paper at an instant:
///
///     M v_a = M v_0 + h (1 - alpha) F_a - h/2 C(x_0)^T a      c(t_1, x_1) = 0                  for x_1, a
///     M v_1 = M v_a + h alpha F_a - h/2 C(x_1)^T b            C(x_1) v_1 + dc/dt(t_1) = 0      for v_1, b
///
/// Without other forces than those of a potential: symplectic, keeps momenta exactly and the energy within O(h^2)
/// for long. Of second order for alpha = 1/2, else of first.
///
/// State y = (x, v, x_mid, v_mid, w, lambda) with x_mid = x_a, v_mid = v_a, w = (v_1 - v_0) / h and lambda = (a + b)
/// / 2: what balances in the middle of the step that ends at the instant. A rotation by omega h between two instants
/// fakes a strain (omega h)^2 / 8 of what velocities and forces at their ends are made for, not of x_a. Integrals
/// over time by the trapezoidal rule, of integrands in_the_middle() by the midpoint rule.
#pragma once

#include "integration/constant_mass_dae.hpp"
#include "integration/dae_steps.hpp"
#include "integration/saddle_point_solver.hpp"

namespace kurbel {

template <class Scalar>
class VariationalMidpoint final : public DaeSteps<Scalar> {
 public:
  using Base = DaeSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;

  VariationalMidpoint(Shared<const ConstantMassDae<Scalar>> model, const IntegratorOptions& options);

  Status initial_state(Eigen::Ref<Vec> y0) override;
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override;
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override;

 private:
  using Base::h_;
  using Base::layout_;
  using Base::newton_iterations_;
  using Base::options_;
  using Base::ws_;

  /// The first guess of Newton's iteration in a step.
  enum class Guess {
    same_acceleration,  ///< x_1 = x_0 + h v_0 + h^2/2 w_0
    same_displacement,  ///< x_1 = x_0 + h v_a of the step before
    same_velocity,      ///< x_1 = x_0 + h v_0
    same_position,      ///< x_1 = x_0
  };
  /// Beyond it the rounding in x_1 outweighs that of the force.
  static constexpr double largest_balanced_alpha = 0.9;
  enum class Outcome { converged, singular, astray };
  static double largest_correction(Guess kind, double first);

  /// max_i |z_i| / u_i with the units u of ConstantMassDae::coordinate_units() at the start.
  template <class Z>
  double size_of(const Eigen::MatrixBase<Z>& z) const {
    return z.size() > 0 ? z.cwiseAbs().cwiseProduct(per_unit_).maxCoeff() : 0.0;
  }
  bool rings(Eigen::Index k, const Segment& y_prev) const;
  bool is_near(const Segment& y_prev, const Segment& x) const;
  OneSidedTime middle_time(Eigen::Index k) const {
    return {this->time(k) - (1.0 - options_.alpha) * h_, options_.alpha > 0.0};
  }
  /// Weights of F_a in the equation times h for x_1, and in that for v_1.
  double weight_of_first_force() const { return h_ * h_ * (1.0 - options_.alpha); }
  double weight_of_second_force() const { return h_ * options_.alpha; }

  void set_middle(const Segment& y_prev, Eigen::Ref<Vec> y);
  bool factorize_first();
  bool factorize_second();
  Outcome iterate(Guess kind, Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y);
  void set_balanced_force(Eigen::Index k, const Segment& y_prev, const Segment& y);
  void solve_second_balance(Eigen::Index k, const Segment& y);
  bool complete(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y);
  bool find_multipliers(Eigen::Index k, const Segment& y_prev, const Segment& y);
  double set_first_residual(const Segment& y);
  void balance_multipliers(const Segment& y);
  void refine_middle(Eigen::Index k, const Segment& y);
  void linearize_step(Eigen::Index k, const Segment& y_prev, const Segment& y);
  void pull_back_velocity();
  void pull_back_position(const Segment& z_bar);
  void pull_back_parameters(Eigen::Index k, const Segment& y_prev, const Segment& y, Eigen::Ref<Vec> p_bar);
  std::pair<Vec, Vec> residuals_by_length(const Segment& y_prev, const Segment& y) const;
  Vec multipliers_by_length() const;
  void pull_back_length(const Segment& y_prev, const Segment& y, const Segment& y_bar, Eigen::Ref<Vec> p_bar);
  /// p_bar += d(u . (M change - weight F_a))/dp
  void pull_back_balance(const OneSidedTime& t_a, const Segment& y, const Segment& u, const Vec& change,
                         double weight, Eigen::Ref<Vec> p_bar);
  /// d(M change - weight F_a)/dp p_dot
  Matrix push_forward_balance(const OneSidedTime& t_a, const Segment& y, const Vec& change, double weight,
                              const ConstColumns& p_dot);

  const ConstantMassDae<Scalar>& model_;
  DaeJacobians<Scalar> jacobians_;  ///< f_x and f_v at the middle, M, C(x_1)
  BlockMatrix<Scalar> C0_;          ///< C(x_0)
  DaeJacobians<Scalar> of_velocity_;
  SaddlePointSolver<Scalar> position_solver_, velocity_solver_;
  const std::vector<RetractionBlock<Scalar>> no_blocks_;

  Vec residual_, correction_;   ///< n_v + n_c
  Vec z_, s_;                   ///< h^2/2 a and h/2 b, n_c
  Vec F_;                       ///< F_a
  VectorXd per_unit_;           ///< 1 / u_i, of size_of()
  Vec change_, second_change_;  ///< x_1 - x_0 - h v_0 and v_1 - v_a, which M multiplies in the two equations

  // Of the derivatives.
  ConstraintCurvature<Scalar> curvature_;
  BlockMatrix<Scalar> K0_, K1_;             ///< d(C^T z)/dx at x_0, d(C^T s)/dx at x_1
  const BlockMatrix<Scalar>* H_ = nullptr;  ///< (C v_1)_x
  Vec mu_, nu_;                             ///< less the multipliers of the equations for x_1, z and v_1, s
  Vec x0_bar_, v0_bar_, x1_bar_, v1_bar_, s_bar_, x_mid_bar_, v_mid_bar_;
  Vec scaled_change_, scaled_multiplier_, none_;
  Vec x_rest_, v_rest_, c_;  ///< what x_a and v_a as stored miss, c(x_1)
};

}  // namespace kurbel
