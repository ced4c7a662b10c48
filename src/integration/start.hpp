/// @file
/// Consistent initial values of a SecondOrderDae.
#pragma once

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

/// x (n_x), v and v_dot (n_v), lambda (n_c).
template <class Scalar>
struct StartState {
  VectorX<Scalar> x, v, v_dot, lambda;
};

/// Derivatives of a start along m directions of parameter space.
template <class Scalar>
struct StartDirections {
  MatrixX<Scalar> x, v, v_dot;  ///< n_v x m, x in tangent coordinates
  MatrixX<Scalar> lambda;       ///< n_c x m
};

template <class Scalar>
class Start {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using State = StartState<Scalar>;
  using StateDirections = StartDirections<Scalar>;

  virtual ~Start() = default;

  /// @return a Failure if the assembly does not converge, or the mechanism has no stable equilibrium there
  /// @throws InputError naming joints and degrees of freedom if constraints are redundant or contradict each
  /// other
  virtual Status solve(double t0, State& state) = 0;

  /// p_bar += (d state / d p)^T bars, at the state last solved for; tangent coordinates for x_bar.
  virtual void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                        Eigen::Ref<Vec> p_bar) = 0;

  /// @param p_dot  (n_p x m)
  virtual void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot,
                            StateDirections& out) = 0;
};

}  // namespace kurbel
