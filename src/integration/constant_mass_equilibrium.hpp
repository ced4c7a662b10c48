/// @file
/// Start of a ConstantMassDae at rest in static equilibrium, next to the positions that are given:
///
///     f(x, lambda) = C(x)^T lambda - F(t0, x, 0) = 0,     c(t0, x) = 0
///
/// by load steps: f = left f_0, with f_0 what the given position leaves and left from 1 to 0 in steps that adapt, each by
/// Newton's iteration with
///
///     [f_x C^T; C 0] (dx, dlambda) = (left f_0 - f, -c)
///
/// Whole steps: where a slender beam turns, each stretches it by the square of the rotation, and the next one takes that
/// back. Once an equilibrium on the way is stable, those after it have to be, too: else load steps would leave the curve of
/// equilibria for another one, or follow a column beyond its buckling. What balances then is that of
/// constant_mass_balance.hpp.
#pragma once

#include "integration/constant_mass_balance.hpp"
#include "integration/load_steps.hpp"

namespace kurbel {

template <class Scalar>
class ConstantMassEquilibrium final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  explicit ConstantMassEquilibrium(const ConstantMassDae<Scalar>& model);

  /// @throws FaultyConstraint if constraints are redundant
  Status solve(double t0, State& state) override;
  // Both at the state that solve() found last.
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

 private:
  DaeInstant<Scalar> instant() const { return {t_, x_, rest_, rest_, lambda_}; }
  bool factorize();
  double correct(const Vec& unbalanced);
  LoadStep follow(const Vec& unbalanced);
  double step_loads();
  bool refine();
  bool is_stable();
  Failure failure(std::string what) const;

  const ConstantMassDae<Scalar>& model_;
  ConstantMassBalance<Scalar> balance_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
  DaeJacobians<Scalar> jacobians_;
  SaddlePointSolver<Scalar> solver_;
  double t_ = 0.0;
  VectorXd per_unit_;             ///< 1 / u_i with the units of coordinate_units() where parts are given
  bool is_on_stable_ = false;     ///< whether the equilibrium last accepted is stable
  bool loses_stability_ = false;  ///< whether that of the last attempt is not, after one that is
  Vec x_, lambda_, rest_, f_, c_;
};

}  // namespace kurbel
