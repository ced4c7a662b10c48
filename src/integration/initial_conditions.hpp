/// @file
/// Consistent initial values from implicit initial conditions.    [P0, eqs 1a, 1b, 5]
///
/// The given state is corrected by the least change in the metric of the mass (least_change.hpp), first of
/// what is not given, then of what is given, and of elastic coordinates where rigid ones can't do it:
///
///     position       c(t0, x) = 0,            x = x_given o exp(xi),         xi  = D(x) y
///     velocity       C v + dc/dt = 0,         v = v_given(x) + eta,          eta = D_v(x) y_v
///     acceleration   f(v_dot, lambda) = 0,    c_ddot(v_dot) = 0
///
/// Coordinates E that the model wants to start in equilibrium begin with the least
/// acceleration that the constraints allow, at a position to be found:
///
///     equilibrium    M_E v_dot_E + C_E^T kappa = 0,    C_H^T kappa = 0 on all others, H
///
/// With all coordinates in E it is f(t0, x, v, 0, lambda) = 0, wherever the start was given. It is found by Newton's
/// iteration with steps of bounded length; where that is slow, by load steps: M v_dot_held is added to the forces, with
/// v_dot_held the free accelerations of the start, which it balances, times a factor that goes from 1 to 0.
#pragma once

#include <Eigen/LU>
#include <optional>

#include "integration/initial_position.hpp"
#include "integration/load_steps.hpp"

namespace kurbel {

template <class Scalar>
class InitialConditions final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  explicit InitialConditions(const AssembledDae<Scalar>& model);

  Status solve(double t0, State& state) override;
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

  /// Velocities that the given ones become at a position that need not be the start's. Derivatives of the start are not to be
  /// asked of this object afterwards.
  /// @return nothing if they are undetermined there
  std::optional<Vec> velocities_at(double t0, const Vec& x);

 private:
  using Directions = LeastChange<Scalar>;
  DaeInstant<Scalar> instant(const State& s) const { return {t0_, s.x, s.v, s.v_dot, s.lambda}; }
  typename Directions::Ranks ranks(bool of_position) const;
  Status assemble_velocity(State& state);
  Status solve_acceleration(State& state);
  void linearize(const State& state);
  void propagate(const State& state, const Matrix* p_dot, const Matrix* shift, StateDirections& out);
  Vec pullback_given(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                     Eigen::Ref<Vec> p_bar);

  // Of the equilibrium, in initial_equilibrium.cpp.
  void choose_balanced_coordinates();
  void prepare_balance(const State& state);
  Matrix differentiate_acceleration(const State& state);
  Status settle(const Vec& xi, const Vec& shift, State& state);
  Status advance_balanced(const Vec& step, State& state);
  /// A state, and the displacements that lead to it.
  struct Displaced {
    State state;
    Vec xi, shift;
  };
  bool begin_step(const State& state);
  bool return_to(const Displaced& before, State& state);
  LoadStep follow_accelerations(const Vec& unbalanced, State& state);
  double step_loads(State& state);
  Status find_equilibrium(State& state);
  Failure no_equilibrium(const std::string& what, Eigen::Index coordinate) const;

  const AssembledDae<Scalar>& model_;
  std::unique_ptr<typename AssembledDae<Scalar>::Workspace> ws_;
  double t0_ = 0.0;
  InitialPosition<Scalar> position_;
  std::optional<Directions> velocity_;
  Matrix v_x_;                               ///< d v_given / d x
  Eigen::PartialPivLU<Matrix> velocity_lu_;  ///< of C D_v, scaled rows
  Eigen::PartialPivLU<Matrix> kkt_lu_;       ///< scaled rows and columns

  std::vector<Eigen::Index> balanced_, fixed_;  ///< E and H; without E all are in H
  std::optional<Directions> balance_;           ///< least accelerations, at the position found
  Vec least_;                                   ///< n_v: those accelerations
  Matrix free_, weights_;                   ///< n_v x n_f: displacements of E, and what weighs accelerations
  Eigen::PartialPivLU<Matrix> balance_lu_;  ///< of free accelerations by free displacements

  ConstraintDerivatives<Scalar> constraints_;
  DaeJacobians<Scalar> jacobians_;
};

}  // namespace kurbel
