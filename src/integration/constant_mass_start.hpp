/// @file
/// Start of a ConstantMassDae from positions that are given complete: x as given, which satisfies c, then
///
///     [M C^T; C 0] (v - v_given, kappa) = (0, -C v_given - c_t)          the velocity next to the given one
///     [M C^T; C 0] (v_dot, lambda)      = (F, -H(v) v - c_tt)
///
/// with one factorization, sparse where the mechanism is.
#pragma once

#include "integration/constant_mass_dae.hpp"
#include "integration/saddle_point_solver.hpp"

namespace kurbel {

/// The structure of [M C^T; C 0]: a SaddlePointSolver of these, with c_v = c_x = 0.
template <class Scalar>
DaeJacobians<Scalar> without_forces(DaeJacobians<Scalar> jacobians) {
  for (auto* matrix : {&jacobians.f_x, &jacobians.f_v})
    *matrix = BlockMatrix<Scalar>(matrix->rows(), matrix->cols());
  return jacobians;
}

/// Positions as given that do not satisfy a constraint.
class UnmetConstraint : public InputError {
 public:
  UnmetConstraint(const std::string& message, Eigen::Index row) : InputError(message), row_(row) {}
  Eigen::Index row() const { return row_; }

 private:
  Eigen::Index row_;
};

template <class Scalar>
class ConstantMassStart final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  /// The model must outlive this.
  explicit ConstantMassStart(const ConstantMassDae<Scalar>& model);

  /// @throws InputError naming the constraint that the given positions miss, DependentConstraints
  Status solve(double t0, State& state) override;
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

 private:
  DaeInstant<Scalar> instant(const State& s) const { return {t0_, s.x, s.v, s.v_dot, s.lambda}; }
  void check_positions(const Vec& x, const Vec& c) const;
  void check_constraints() const;
  template <class Columns>
  Columns solve_system(const Columns& rhs) const;

  const ConstantMassDae<Scalar>& model_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
  double t0_ = 0.0;
  DaeJacobians<Scalar> jacobians_, system_;  ///< of f, and of [M C^T; C 0]
  ConstraintCurvature<Scalar> curvature_;
  SaddlePointSolver<Scalar> solver_;
  Vec change_, kappa_;  ///< v - v_given
};

}  // namespace kurbel
