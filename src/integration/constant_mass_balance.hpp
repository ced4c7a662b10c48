/// @file
/// The balance of a ConstantMassDae at one instant whose position and velocity satisfy its constraints:
///
///     [M C^T; C 0] (v_dot, lambda) = (F, -H(v) v - c_tt)
///
/// with one factorization, sparse where the mechanism is.
#pragma once

#include "integration/constant_mass_dae.hpp"
#include "integration/saddle_point_solver.hpp"

namespace kurbel {

/// A constraint of the model that is not satisfied at the start, or redundant, by the input.
class FaultyConstraint : public InputError {
 public:
  FaultyConstraint(const std::string& message, Eigen::Index row) : InputError(message), row_(row) {}
  Eigen::Index row() const { return row_; }

 private:
  Eigen::Index row_;
};

/// The structure of [M C^T; C 0]: a SaddlePointSolver of these, with c_v = c_x = 0.
template <class Scalar>
DaeJacobians<Scalar> without_forces(DaeJacobians<Scalar> jacobians) {
  for (auto* matrix : {&jacobians.f_x, &jacobians.f_v})
    *matrix = BlockMatrix<Scalar>(matrix->rows(), matrix->cols());
  return jacobians;
}

template <class Scalar>
class ConstantMassBalance {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using State = StartState<Scalar>;
  using StateDirections = StartDirections<Scalar>;

  explicit ConstantMassBalance(const ConstantMassDae<Scalar>& model);

  /// C at a position, and c (n_c), overwritten.
  void set_position(double t, const Segment& x, Eigen::Ref<Vec> c);
  /// [M C^T; C 0] there.
  /// @return whether it is regular
  bool factorize();
  /// Finds the constraints that make the system singular.
  /// @throws FaultyConstraint if rows of C are why
  void check_constraints() const;
  /// The failure of a singular system.
  Status singular() const;
  /// [M C^T; C 0]^-1 rhs, of a vector or of columns.
  template <class Columns>
  Columns solve(const Columns& rhs) const {
    Columns solution(rhs.rows(), rhs.cols());
    solver_.solve(rhs, solution);
    return solution;
  }

  /// v_dot and lambda of a state whose x and v are known.
  Status find_accelerations(State& state);
  /// Adds what bars of v_dot and lambda are to x, v and p.
  void pullback(const State& state, const Vec& v_dot_bar, const Vec& lambda_bar, Vec& x_bar, Vec& v_bar,
                Eigen::Ref<Vec> p_bar);
  /// v_dot and lambda of out, whose x and v are known.
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out);

  const BlockMatrix<Scalar>& C() const { return system_.C; }
  /// K = d(C^T a)/dx; valid until the next call of anything here.
  const BlockMatrix<Scalar>& reaction_jacobian(const Segment& x, const Vec& a);
  ConstraintCurvature<Scalar>& curvature() { return curvature_; }
  typename SecondOrderDae<Scalar>::Workspace& workspace() { return *ws_; }
  double time() const { return t_; }
  DaeInstant<Scalar> instant(const State& s) const { return {t_, s.x, s.v, s.v_dot, s.lambda}; }

 private:
  const ConstantMassDae<Scalar>& model_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
  double t_ = 0.0;
  DaeJacobians<Scalar> jacobians_, system_;  ///< of f, and of [M C^T; C 0]
  ConstraintCurvature<Scalar> curvature_;
  SaddlePointSolver<Scalar> solver_;
};

}  // namespace kurbel
