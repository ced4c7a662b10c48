#include "floating_frame/beam_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"

namespace kurbel {

std::vector<std::string> node_names(const BeamSpec& beam) {
  std::vector<std::string> names = {"start"};
  for (int i = 1; i < beam.n_elements; ++i) names.push_back(fmt::format("node{}", i));
  names.emplace_back("end");
  return names;
}

std::size_t n_beam_nodes(const SystemSpec& spec) {
  std::size_t n = 0;
  for (const BeamSpec& beam : spec.beams) n += static_cast<std::size_t>(beam.n_elements) + 1;
  return n;
}

SystemSpec with_beam_nodes(SystemSpec spec) {
  for (const BeamSpec& beam : spec.beams) {
    if (beam.kind != BeamSpec::Kind::spatial)
      throw InputError(
          fmt::format("beams.{}: is a cable, whose nodes have slopes and no axes; in the floating frame "
                      "beams are spatial",
                      beam.name));
    const std::string first = body_of_node(beam.name, "start");
    if (std::ranges::find(spec.bodies, first, &BodySpec::name) != spec.bodies.end()) continue;
    const bool moves = !beam.velocity.isZero(0.0) || !beam.angular_velocity.isZero(0.0);
    for (const std::string& node : node_names(beam)) {
      BodySpec body{body_of_node(beam.name, node), Sid::zeros({}, {}), {}};
      body.initial.given = {.position = true, .rotation = true, .velocity = moves, .angular_velocity = moves};
      spec.bodies.push_back(std::move(body));
    }
  }
  return spec;
}

}  // namespace kurbel
