#include "floating_frame/make_steps.hpp"

#include "base/instantiate.hpp"
#include "integration/added_coordinates_steps.hpp"
#include "mechanism/marker_coordinates.hpp"

namespace kurbel {

template <class S>
std::unique_ptr<DaeSteps<S>> make_steps(const MultibodySystem<S>& system, const IntegratorOptions& options) {
  const std::vector<std::string> labels = coordinates_of_markers(options.independent);
  return make_steps_on<S>(system, labels, options, [&] {
    auto functions = std::make_shared<MultibodySystem<S>>(with_marker_coordinates(system.spec(), labels));
    functions->set_parameters(system.parameters());
    return functions;
  });
}

template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_steps(const MultibodySystem<InstantiatedScalar>&,
                                                                  const IntegratorOptions&);

}  // namespace kurbel
