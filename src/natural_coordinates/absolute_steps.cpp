#include "natural_coordinates/absolute_steps.hpp"

#include "base/instantiate.hpp"
#include "integration/dae_steps.hpp"
#include "integration/runge_kutta.hpp"

namespace kurbel {

template <class S>
AbsoluteSteps<S>::AbsoluteSteps(AbsoluteSystem<S>& system, const IntegratorOptions& options)
    : system_(system) {
  if (options.method == IntegratorMethod::generalized_alpha ||
      options.method == IntegratorMethod::variational_midpoint) {
    second_order_ = std::make_unique<AbsoluteDae<S>>(system);
    auto steps = make_dae_steps<S>(*second_order_, options);
    layout_ = steps->layout();
    residual_ = std::move(steps);
  } else {
    layout_ = {.n_x = system.n_q(), .n_v = system.n_q(), .n_accelerations = 0};
    residual_ = std::make_unique<RungeKutta<S>>(system, options);
  }
}

template <class S>
void AbsoluteSteps<S>::set_parameters(const VectorX<S>& p) {
  if (second_order_)
    second_order_->set_parameters(p);
  else
    system_.set_parameters(p);
}

template class AbsoluteSteps<InstantiatedScalar>;

}  // namespace kurbel
