#include "natural_coordinates/system_function.hpp"

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
ElementState<S> SystemFunction<S>::state(const Instant& at) const {
  system_.gather(binding_, at.x, at.v, q_, v_);
  system_.gather_parameters(binding_, xi_);
  return {q_, v_, no_controls_, xi_};
}

template <class S>
Rows<S> SystemFunction<S>::value(const Instant& at) const {
  Rows<S> h = Rows<S>::Zero(function_->n_rows());
  function_->value(state(at), h);
  return h;
}

template <class S>
void SystemFunction<S>::add_partials(const Instant& at, const Rows<S>& h_bar, Bar& bar,
                                     Eigen::Ref<Vec> p_bar) const {
  for (auto* A : {&derivatives_.h_q, &derivatives_.h_v, &derivatives_.h_xi}) A->setZero();
  function_->add_derivatives(state(at), derivatives_);
  const auto along = [&](const MatrixX<S>& h_z, std::size_t k) {
    return (h_bar.transpose() * h_z.col(static_cast<Eigen::Index>(k))).value();
  };
  for (std::size_t k = 0; k < binding_.coordinates.size(); ++k) {
    const int i = system_.state_index(binding_.coordinates[k]);
    if (i < 0) continue;
    bar.x[i] += along(derivatives_.h_q, k);
    bar.v[i] += along(derivatives_.h_v, k);
  }
  for (std::size_t k = 0; k < binding_.parameters.size(); ++k) {
    const ParameterSlot& slot = binding_.parameters[k];
    if (slot.variable >= 0) p_bar[slot.variable] += slot.factor * along(derivatives_.h_xi, k);
  }
}

template class SystemFunction<InstantiatedScalar>;

}  // namespace kurbel
