#include "natural_coordinates/out_of_plane.hpp"

#include <algorithm>

namespace kurbel {

namespace {

bool lies_in_plane(const Vector3d& v) {
  return v.z() == 0.0;
}
bool is_normal_to_plane(const Vector3d& v) {
  return v.x() == 0.0 && v.y() == 0.0;
}

std::optional<std::string> of_body(const BodySpec& body) {
  const std::string start = "bodies." + body.name + ".initial.";
  if (!is_normal_to_plane(body.initial.rotation)) return start + "rotation";
  if (!lies_in_plane(body.initial.velocity)) return start + "velocity";
  if (!is_normal_to_plane(body.initial.angular_velocity)) return start + "angular_velocity";
  return {};
}

std::optional<std::string> of_beam(const BeamSpec& beam) {
  const std::string key = "beams." + beam.name;
  if (beam.kind != BeamSpec::Kind::cable) return key + ".type";
  if (beam.start.z() != beam.end.z()) return key + ".end";
  if (!lies_in_plane(beam.velocity)) return key + ".velocity";
  if (!is_normal_to_plane(beam.angular_velocity)) return key + ".angular_velocity";
  return {};
}

bool acts_in_plane(const MarkerLoadSpec& load) {
  const auto stays = [](const ControlledLoad& share) {
    return lies_in_plane(share.force) && is_normal_to_plane(share.torque);
  };
  return !load.force[2] && !load.torque[0] && !load.torque[1] && std::ranges::all_of(load.controls, stays);
}

}  // namespace

std::optional<std::string> out_of_plane(const SystemSpec& spec) {
  if (!lies_in_plane(spec.gravity)) return "gravity";
  for (const BodySpec& body : spec.bodies) {
    if (auto key = of_body(body)) return key;
  }
  for (const BeamSpec& beam : spec.beams) {
    if (auto key = of_beam(beam)) return key;
  }
  for (const MarkerLoadSpec& load : spec.loads) {
    if (!acts_in_plane(load)) return "loads." + load.name;
  }
  return {};
}

}  // namespace kurbel
