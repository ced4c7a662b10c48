/// @file
/// One-step methods for a SecondOrderDae, and the choice among them.
#pragma once

#include <memory>

#include "integration/integrator_options.hpp"
#include "integration/second_order_dae.hpp"
#include "integration/step_residual.hpp"

namespace kurbel {

/// Coordinates that were given as independent, and cannot be.
class IndependentCoordinates : public InputError {
 public:
  using InputError::InputError;
};

/// A StepResidual whose y holds x, v, v_dot and lambda.
template <class Scalar>
class DaeSteps : public StepResidual<Scalar> {
 public:
  virtual const DaeStateLayout& layout() const = 0;
  /// Of all steps so far.
  virtual long newton_iterations() const = 0;
};

/// Generalized-alpha, or Matrix R with the trapezoidal rule. The model must outlive it.
/// @throws InputError for methods of other equations, IndependentCoordinates for such that do not exist
template <class Scalar>
std::unique_ptr<DaeSteps<Scalar>> make_dae_steps(const SecondOrderDae<Scalar>& model,
                                                 const IntegratorOptions& options);

}  // namespace kurbel
