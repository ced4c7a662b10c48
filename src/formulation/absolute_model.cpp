#include "formulation/absolute_model.hpp"

#include <algorithm>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
AbsoluteModel<S>::AbsoluteModel(const Problem& problem)
    : varied_(varied_quantities(problem)),
      assembly_(absolute::assemble<S>(problem.system, varied_)),
      steps_(*assembly_.system, problem.integrator),
      observables_(problem.system, assembly_) {}

template <class S>
Eigen::Index AbsoluteModel<S>::place_of(const SystemQuantity& quantity) const {
  if (quantity.kind == SystemQuantity::Kind::control_node)
    return assembly_.system->control_offset(static_cast<Eigen::Index>(quantity.owner)) + quantity.component;
  return std::ranges::find(varied_, quantity) - varied_.begin();
}

template <class S>
void AbsoluteModel<S>::set_parameters(const Vec& p) {
  if (assembly_.system->parameters() != p) steps_.set_parameters(p);
}

template class AbsoluteModel<InstantiatedScalar>;

}  // namespace kurbel
