#include "joint_coordinates/make_joint_steps.hpp"

#include "base/instantiate.hpp"
#include "integration/added_coordinates_steps.hpp"
#include "mechanism/marker_coordinates.hpp"

namespace kurbel {

namespace {

/// A mechanism whose constraints are coordinates of markers, on the tree of another one.
template <class S>
struct OfMarkers {
  OfMarkers(const JointCoordinateSystem<S>& system, const std::vector<std::string>& labels)
      : bodies(with_marker_coordinates(system.system_of_bodies().spec(), labels)),
        joints((bodies.set_parameters(system.parameters()), bodies), system.links(),
               system.reference_point()) {}
  MultibodySystem<S> bodies;
  JointCoordinateSystem<S> joints;
};

}  // namespace

template <class S>
std::unique_ptr<DaeSteps<S>> make_steps(const JointCoordinateSystem<S>& system,
                                        const IntegratorOptions& options) {
  const std::vector<std::string> labels = coordinates_of_markers(options.independent);
  return make_steps_on<S>(system, labels, options, [&] {
    const auto both = std::make_shared<OfMarkers<S>>(system, labels);
    return std::shared_ptr<const SecondOrderDae<S>>(both, &both->joints);
  });
}

template std::unique_ptr<DaeSteps<InstantiatedScalar>> make_steps(
    const JointCoordinateSystem<InstantiatedScalar>&, const IntegratorOptions&);

}  // namespace kurbel
