/// @file
/// Jumps of the accelerations and multipliers that steps carry on, where forces jump.
///
/// At an instant where forces jump, x and v are continuous. With f and c_ddot before (-) and after (+) the jump:
///
///     f(t+, x, v, w+, lambda+) = f(t-, x, v, w-, lambda-)
///     c_ddot(t+, x, v, w+)     = c_ddot(t-, x, v, w-)
///
/// Both are affine in w and lambda: [M C^T; C 0] (w+ - w-, lambda+ - lambda-) = -(jump of f at w-, lambda-; 0).
/// A vector a of algorithmic accelerations jumps as w does.
#pragma once

#include "integration/linearized_dae.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

template <class Scalar>
class ForceJump {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;
  using ConstColumns = Eigen::Ref<const Matrix>;

  /// @param layout  of y, without middles of steps
  ForceJump(const SecondOrderDae<Scalar>& model, const DaeStateLayout& layout, LinearSolver form);

  /// The state after the jump at t from the one before it.
  /// @return false if [M C^T; C 0] is singular
  bool pass(double t, const Segment& before, Eigen::Ref<Vec> after);

  /// Converts sensitivities by the state after the jump to those by the state before it.
  /// @param y_bar  (n_tangent x m)   changed in place
  void pullback(double t, const Segment& before, const Segment& after, Columns y_bar, Columns p_bar);

  /// Directions of the state after the jump from those before it.
  /// @param y_dot  (n_tangent x m)   changed in place
  void push_forward(double t, const Segment& before, const Segment& after, const ConstColumns& p_dot,
                    Columns y_dot);

 private:
  /// The state on one side of the jump.
  DaeInstant<Scalar> side(double t, bool from_left, const Segment& y) const {
    return layout_.template instant<Scalar>({t, from_left}, y);
  }

  const SecondOrderDae<Scalar>& model_;
  DaeStateLayout layout_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_;
  std::unique_ptr<LinearizedDae<Scalar>> linearized_;
  ConstraintDerivatives<Scalar> constraints_;
  Vec f_before_, c_, rhs_, solution_, mu_, nu_, none_;
  ConstraintDirections<Scalar> directions_;
  Matrix multipliers_, rates_, jumps_, f_dot_, c_dot_;
};

}  // namespace kurbel
