#include "formulation/absolute_model.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
AbsoluteModel<S>::AbsoluteModel(const Problem& problem)
    : assembly_(absolute::assemble<S>(problem.system, varied_quantities(problem))),
      steps_(*assembly_.system, problem.integrator),
      observables_(problem.system, assembly_) {}

template <class S>
void AbsoluteModel<S>::set_parameters(const Vec& p) {
  if (assembly_.system->parameters() != p) steps_.set_parameters(p);
}

template class AbsoluteModel<InstantiatedScalar>;

}  // namespace kurbel
