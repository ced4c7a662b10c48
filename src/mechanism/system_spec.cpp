#include "mechanism/system_spec.hpp"

#include <algorithm>

namespace kurbel {

namespace {

const std::map<std::string, std::array<bool, 6>>& joint_types() {
  static const std::map<std::string, std::array<bool, 6>> types = {
      {"fixed", {true, true, true, true, true, true}},
      {"revolute", {true, true, true, true, true, false}},
      {"spherical", {true, true, true, false, false, false}},
      {"universal", {true, true, true, false, false, true}},
      {"prismatic", {true, true, false, true, true, true}},
      {"cylindrical", {true, true, false, true, true, false}},
      {"planar", {false, false, true, true, true, false}},
      {"in-plane", {false, false, true, false, false, false}},
      {"in-line", {true, true, false, false, false, false}}};
  return types;
}

}  // namespace

std::string text_of(const MarkerRef& marker) {
  return marker.marker == "origin" ? marker.body : marker.body + "." + marker.marker;
}

std::vector<NamedJump> jumps_of(const SystemSpec& spec, double from, double to) {
  std::vector<NamedJump> jumps;
  for (const ControlSpec& control : spec.controls) {
    for (const double t : control.grid.jumps()) {
      if (t >= from && t < to) jumps.push_back({"controls." + control.name, t});
    }
  }
  for (const MarkerLoadSpec& load : spec.loads) {
    for (const auto* components : {&load.force, &load.torque}) {
      for (const TimeFunctionPtr& component : *components) {
        if (!component) continue;
        for (const double t : component->jumps(from, to)) jumps.push_back({"loads." + load.name, t});
      }
    }
  }
  return jumps;
}

bool goes_over_angle(const MarkerLoadSpec& load) {
  const auto is_over_angle = [](const std::optional<HingeAngle>& over) { return over.has_value(); };
  return std::ranges::any_of(load.force_over, is_over_angle) ||
         std::ranges::any_of(load.torque_over, is_over_angle);
}

bool locked_dofs_of(const std::string& joint_type, std::array<bool, 6>& locked) {
  const auto it = joint_types().find(joint_type);
  if (it == joint_types().end()) return false;
  locked = it->second;
  return true;
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for (const auto& [name, locked] : joint_types()) names.push_back(name);
  return names;
}

}  // namespace kurbel
