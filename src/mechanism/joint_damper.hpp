/// @file
/// The torsion spring that stands for the damping of a joint.
#pragma once

#include <algorithm>
#include <string>

#include "mechanism/system_spec.hpp"

namespace kurbel {

/// No name that a user could give to another spring.
inline std::string damper_name(const JointSpec& joint) {
  return joint.name + ".damping";
}

inline bool is_joint_damper(const TorsionSpringSpec& spring) {
  return spring.name.ends_with(".damping");
}

/// The damper of a joint, or nothing.
inline const TorsionSpringSpec* find_damper(const JointSpec& joint, const SystemSpec& system) {
  const auto at = std::ranges::find(system.torsion_springs, damper_name(joint), &TorsionSpringSpec::name);
  return at == system.torsion_springs.end() ? nullptr : &*at;
}

}  // namespace kurbel
