/// @file
/// Scalar functions of a discrete trajectory, with their partial derivatives.
#pragma once

#include <limits>

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

  /// The last k on whose y_k the value depends: the adjoint variables are zero after it.   [P2,
  /// section 5.1.2]
  virtual Eigen::Index last_step() const { return std::numeric_limits<Eigen::Index>::max(); }
};

}  // namespace kurbel
