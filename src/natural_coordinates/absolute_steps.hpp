/// @file
/// Steps of systems in absolute coordinates: Runge-Kutta methods on x_dot = f(t, x), x = (q, v), or the integrators of
/// mechanisms on M v_dot = Q.
#pragma once

#include "integration/integrator_options.hpp"
#include "integration/step_residual.hpp"
#include "natural_coordinates/absolute_dae.hpp"

namespace kurbel {

template <class Scalar>
class AbsoluteSteps {
 public:
  /// The system must outlive this.
  AbsoluteSteps(AbsoluteSystem<Scalar>& system, const IntegratorOptions& options);

  StepResidual<Scalar>& residual() { return *residual_; }
  const StepResidual<Scalar>& residual() const { return *residual_; }
  /// Of their states: first those of the system, then what the method adds.
  const DaeStateLayout& layout() const { return layout_; }
  /// Of the system.
  void set_parameters(const VectorX<Scalar>& p);

 private:
  AbsoluteSystem<Scalar>& system_;
  std::unique_ptr<AbsoluteDae<Scalar>> second_order_;  ///< for methods that integrate such equations
  std::unique_ptr<StepResidual<Scalar>> residual_;
  DaeStateLayout layout_;
};

}  // namespace kurbel
