#include "integration/first_order_steps.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

/// DaeSteps finds the accelerations of the start and names a coordinate without mass. The state is the start as it is given.
template <class S>
Status FirstOrderSteps<S>::initial_state(Eigen::Ref<Vec> y0) {
  form_.update();
  return Base::initial_state(y0);
}

template <class S>
Status FirstOrderSteps<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  Status status = steps_.step(k, y_prev, y);
  this->newton_iterations_ = steps_.newton_iterations();
  return status;
}

template class FirstOrderSteps<InstantiatedScalar>;

}  // namespace kurbel
