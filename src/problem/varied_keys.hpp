/// @file
/// The keys of an input whose numbers [variables] may name, by what they belong to, besides part_numbers().
#pragma once

#include <string>
#include <vector>

#include "problem/design_variable.hpp"
#include "problem/variable_path.hpp"

namespace kurbel::varied_keys {

using System = SystemQuantity::Kind;

/// A key of the input that may be varied, and the words of its components if it has several. It varies in the range that
/// its row has.
template <class Kind>
struct VariedKey {
  const char* path;  ///< behind the name of the owner
  Kind kind;
  Components components{};
};

inline const std::vector<VariedKey<System>> rigid_keys = {
    {"mass", System::mass},
    {"centre_of_mass", System::centre_of_mass, axis_words},
    {"inertia", System::inertia, inertia_components}};
inline const std::vector<VariedKey<System>> initial_keys = {
    {"initial.position", System::initial_position, axis_words},
    {"initial.rotation", System::initial_rotation, axis_words},
    {"initial.velocity", System::initial_velocity, axis_words},
    {"initial.angular_velocity", System::initial_angular_velocity, axis_words}};
/// Dimensions of a section, in the order of BeamSpec::dimensions.
inline std::vector<std::string> dimensions_of(BeamSpec::Shape shape) {
  switch (shape) {
    case BeamSpec::Shape::square:
      return {"section.side"};
    case BeamSpec::Shape::rectangle:
      return {"section.width", "section.height"};
    case BeamSpec::Shape::circle:
      return {"section.diameter"};
    case BeamSpec::Shape::tube:
      break;
  }
  return {"section.outer_diameter", "section.inner_diameter"};
}
inline const std::vector<VariedKey<ElementQuantity::Kind>> flexible_keys = {
    {"material.youngs_modulus", ElementQuantity::Kind::youngs_modulus},
    {"material.density", ElementQuantity::Kind::solid_density},
    {"mesh.thickness", ElementQuantity::Kind::thickness},
    {"mesh.size", ElementQuantity::Kind::mesh_size, axis_words},
    {"mesh.surface", ElementQuantity::Kind::mesh_surface}};

/// The key at a path.
/// @param others  what else may be varied there, for the message
/// @throws InputError with the key `quantity` of the table if there is no such key
template <class Kind>
const VariedKey<Kind>& find_key(const TomlTable& variable, const std::vector<VariedKey<Kind>>& keys,
                                const std::string& path, const std::vector<std::string>& others = {}) {
  std::vector<std::string> allowed;
  for (const VariedKey<Kind>& key : keys) {
    if (key.path == path) return key;
    allowed.emplace_back(key.path);
  }
  allowed.insert(allowed.end(), others.begin(), others.end());
  refuse_quantity(variable, allowed);
}

}  // namespace kurbel::varied_keys
