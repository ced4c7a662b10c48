#include "floating_frame/make_steps.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "integration/added_coordinates_steps.hpp"
#include "mechanism/marker_coordinates.hpp"

namespace kurbel {

template <class S>
std::unique_ptr<DaeSteps<S>> make_steps(const MultibodySystem<S>& system, const IntegratorOptions& options) {
  const std::vector<std::string> labels = coordinates_of_markers(options.independent);
  if (options.method != IntegratorMethod::trapezoidal || labels.empty())
    return make_dae_steps<S>(system, options);
  try {
    auto functions = std::make_shared<MultibodySystem<S>>(with_marker_coordinates(system.spec(), labels));
    functions->set_parameters(system.parameters());
    return std::make_unique<AddedCoordinatesSteps<S>>(system, std::move(functions), labels, options);
  } catch (const IndependentCoordinates&) {
    throw;
  } catch (const InputError& error) {
    throw IndependentCoordinates(fmt::format("{}, of a place \"body.marker.x\"", error.what()));
  }
}

template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_steps(const MultibodySystem<InstantiatedScalar>&,
                                                                  const IntegratorOptions&);

}  // namespace kurbel
