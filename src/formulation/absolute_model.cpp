#include "formulation/absolute_model.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
AbsoluteModel<S>::AbsoluteModel(const Problem& problem)
    : problem_(problem),
      assembly_(absolute::assemble<S>(problem.absolute, problem.grids())),
      steps_(*assembly_.system, problem.integrator) {}

template <class S>
void AbsoluteModel<S>::set_parameters(const Vec& z) {
  if (assembly_.system->parameters() != z) steps_.set_parameters(z);
}

template class AbsoluteModel<InstantiatedScalar>;

}  // namespace kurbel
