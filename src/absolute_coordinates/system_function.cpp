#include "absolute_coordinates/system_function.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
SystemFunction<S>::SystemFunction(const AbsoluteSystem<S>& system,
                                  std::shared_ptr<const StateFunction<S>> function, Binding binding)
    : system_(system),
      function_(std::move(function)),
      binding_(std::move(binding)),
      q_(function_->n_q()),
      v_(function_->n_q()),
      xi_(function_->n_xi()) {
  derivatives_.resize(function_->n_rows(), function_->n_q(), function_->n_xi());
}

template <class S>
ElementState<S> SystemFunction<S>::state(const Segment& x) const {
  system_.gather(binding_, x, q_, v_);
  system_.gather_parameters(binding_, xi_);
  return {q_, v_, no_controls_, xi_};
}

template <class S>
VectorX<S> SystemFunction<S>::value(const Segment& x) const {
  Vec h = Vec::Zero(n_rows());
  function_->value(state(x), h);
  return h;
}

template <class S>
void SystemFunction<S>::add_partials(const Segment& x, Eigen::Index row, S weight, Eigen::Ref<Vec> x_bar,
                                     Eigen::Ref<Vec> xi_bar) const {
  for (auto* A : {&derivatives_.h_q, &derivatives_.h_v, &derivatives_.h_xi}) A->setZero();
  function_->add_derivatives(state(x), derivatives_);
  for (std::size_t k = 0; k < binding_.coordinates.size(); ++k) {
    const int i = system_.state_index(binding_.coordinates[k]);
    if (i < 0) continue;
    const auto at = static_cast<Eigen::Index>(k);
    x_bar[i] += weight * derivatives_.h_q(row, at);
    x_bar[system_.n_q() + i] += weight * derivatives_.h_v(row, at);
  }
  for (std::size_t k = 0; k < binding_.parameters.size(); ++k) {
    const ParameterSlot& slot = binding_.parameters[k];
    if (slot.variable >= 0) {
      xi_bar[slot.variable] += weight * slot.factor * derivatives_.h_xi(row, static_cast<Eigen::Index>(k));
    }
  }
}

template class SystemFunction<InstantiatedScalar>;

}  // namespace kurbel
