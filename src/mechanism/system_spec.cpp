#include "mechanism/system_spec.hpp"

#include <algorithm>

namespace kurbel {

const std::vector<JointType>& joint_types() {
  constexpr bool x = true, o = false;  // locked, free
  static const std::vector<JointType> types = {
      {"revolute", {x, x, x, x, x, o}, "all but rz"},
      {"prismatic", {x, x, o, x, x, x}, "all but tz"},
      {"cylindrical", {x, x, o, x, x, o}, "all but tz and rz"},
      {"universal", {x, x, x, o, o, x}, "translations and rz"},
      {"spherical", {x, x, x, o, o, o}, "translations"},
      {"planar", {o, o, x, x, x, o}, "tz, rx and ry"},
      {"in-line", {x, x, o, o, o, o}, "tx and ty"},
      {"in-plane", {o, o, x, o, o, o}, "tz"},
      {"fixed", {x, x, x, x, x, x}, "all"},
  };
  return types;
}

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
  const auto type = std::ranges::find(joint_types(), joint_type, &JointType::name);
  if (type == joint_types().end()) return false;
  locked = type->locked;
  return true;
}

std::vector<std::string> joint_type_names() {
  std::vector<std::string> names;
  for (const JointType& type : joint_types()) names.push_back(type.name);
  std::ranges::sort(names);
  return names;
}

/// To first order B = E + theta~.
std::vector<AxisProduct> rotation_row(const std::array<bool, 3>& locked, int k) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  switch (locked[0] + locked[1] + locked[2]) {
    case 3:
      return {{j, i, 0.5}, {i, j, -0.5}};
    case 2: {
      const int free = !locked[static_cast<std::size_t>(i)] ? i : j, other = free == i ? j : i;
      return {{other, free, other == j ? 1.0 : -1.0}};
    }
    default:
      return {{i, j, -1.0}};
  }
}

}  // namespace kurbel
