/// @file
/// Consistent initial values from implicit initial conditions.    [P0, eqs 1a, 1b, 5]
///
/// The given state is corrected in as many coordinates D as there are constraints (rigid ones first); all
/// others keep their given values:
///
///     position       c(t0, x) = 0,             x = x_given o exp(xi),    xi = 0 outside D and E
///     velocity       C v + dc/dt = 0,          v = v_given + eta,        eta = 0 outside D
///     acceleration   f(v_dot, lambda) = 0,     c_ddot(v_dot) = 0
///
/// except for the coordinates E of those that the model wants to start in equilibrium. They begin without
/// acceleration, at a position to be found:
///
///     equilibrium    v_dot_E(xi_E) = 0
///
/// With v = 0 and all of them in E it is the static equilibrium, f(t0, x, 0, 0, lambda) = 0.
#pragma once

#include <Eigen/LU>

#include "integration/second_order_dae.hpp"

namespace kurbel {

template <class Scalar>
class InitialConditions {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;

  struct State {
    Vec x, v, v_dot, lambda;
  };

  explicit InitialConditions(const SecondOrderDae<Scalar>& model);

  /// @return a Failure if the assembly does not converge, or the mechanism has no stable equilibrium there
  /// @throws InputError naming joints and degrees of freedom if constraints are redundant or contradict each
  /// other
  Status solve(double t0, State& state);

  /// p_bar += (d state / d p)^T bars, at the state last solved for; tangent coordinates for x_bar.
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar);

  /// Derivatives of the state last solved for along m directions of parameter space.
  struct StateDirections {
    Matrix x, v, v_dot;  ///< n_v x m, x in tangent coordinates
    Matrix lambda;       ///< n_c x m
  };
  /// @param p_dot  (n_p x m)
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out);

 private:
  DaeInstant<Scalar> instant(const State& s) const { return {t0_, s.x, s.v, s.v_dot, s.lambda}; }
  void check_constraints(const Matrix& C, const Vec& c) const;
  void choose_dependent_coordinates(const Matrix& C);
  Status assemble_position(State& state);
  Vec nearest_assembled(const State& given);
  Status correct_position(const Vec& x_given, State& state);
  void advance_position(const Vec& x_given, const Vec& step, State& state);
  Status assemble_velocity(State& state);
  Status solve_acceleration(State& state);
  Matrix position_jacobian(const Matrix& C) const;
  Matrix dependent_columns(const Matrix& A) const;
  void linearize(const State& state);
  void propagate(const ConstraintDirections<Scalar>& c_p, const Matrix& f_p, const Matrix& xi,
                 StateDirections& out) const;
  Vec pullback_given(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                     Eigen::Ref<Vec> p_bar);

  // Of the equilibrium, in initial_equilibrium.cpp.
  void choose_balanced_coordinates();
  Matrix balanced_rows(const Matrix& A) const;
  Matrix spread_balanced(const Matrix& rows) const;
  Matrix differentiate_acceleration(const State& state);
  Status settle(const Vec& x_base, const Vec& v_given, State& state);
  Status advance_balanced(const Vec& x_base, const Vec& v_given, const Vec& step, State& state);
  Status find_equilibrium(Vec x_base, const Vec& v_given, State& state);
  Failure no_equilibrium(const std::string& what, Eigen::Index balanced) const;

  const SecondOrderDae<Scalar>& model_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
  double t0_ = 0.0;
  std::vector<Eigen::Index> dependent_, balanced_;  ///< D and E
  bool positions_are_held_ = false;                 ///< of coordinates outside D and E
  Eigen::PartialPivLU<Matrix> balance_lu_;          ///< of d v_dot_E / d xi_E
  Vec xi_;
  ConstraintDerivatives<Scalar> constraints_;
  ConstraintDirections<Scalar> directions_;
  DaeJacobians<Scalar> jacobians_;
  Matrix kkt_;
};

}  // namespace kurbel
