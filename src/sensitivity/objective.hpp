/// @file
/// Scalar functions of a discrete trajectory, with their partial derivatives.
#pragma once

#include "integration/step_residual.hpp"

namespace kurbel {

/// psi(y_0, ..., y_N; p).
template <class Scalar>
class Objective {
 public:
  virtual ~Objective() = default;

  virtual Scalar value(const Trajectory<Scalar>& trajectory) const = 0;

  /// Adds the partial derivatives by y_k and, through y_k, by p.
  /// @param y_bar (n_tangent)     @param p_bar (n_parameters)
  virtual void add_partials(Eigen::Index k, const Trajectory<Scalar>& trajectory,
                            Eigen::Ref<VectorX<Scalar>> y_bar, Eigen::Ref<VectorX<Scalar>> p_bar) const = 0;
};

}  // namespace kurbel
