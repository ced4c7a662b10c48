#include "integration/dae_steps.hpp"

#include "base/instantiate.hpp"
#include "integration/generalized_alpha.hpp"
#include "integration/matrix_r.hpp"

namespace kurbel {

template <class S>
std::unique_ptr<DaeSteps<S>> make_dae_steps(const SecondOrderDae<S>& model,
                                            const IntegratorOptions& options) {
  switch (options.method) {
    case IntegratorMethod::generalized_alpha:
      return std::make_unique<GeneralizedAlpha<S>>(model, options);
    case IntegratorMethod::trapezoidal:
      return std::make_unique<MatrixR<S>>(model, options);
    case IntegratorMethod::explicit_euler:
    case IntegratorMethod::implicit_euler:
    case IntegratorMethod::runge_kutta_4:
      break;
  }
  throw InputError(
      "this method integrates no equations with constraints; use generalized-alpha or trapezoidal");
}

template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_dae_steps(
    const SecondOrderDae<InstantiatedScalar>&, const IntegratorOptions&);

}  // namespace kurbel
