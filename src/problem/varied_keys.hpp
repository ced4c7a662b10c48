/// @file
/// The keys of an input whose numbers [variables] may name, by what they belong to, besides part_numbers().
#pragma once

#include <string>
#include <vector>

#include "problem/design_variable.hpp"

namespace kurbel::varied_keys {

using System = SystemQuantity::Kind;
using Element = ElementQuantity::Kind;

/// A key of the input that may be varied, and how many components it has if it is a vector. It varies in the range
/// that its row has.
template <class Kind>
struct VariedKey {
  const char* path;  ///< behind the name of the owner
  Kind kind;
  int n_components = 0;
};

inline const std::vector<VariedKey<System>> rigid_keys = {
    {"mass", System::mass}, {"centre_of_mass", System::centre_of_mass, 3}, {"inertia", System::inertia, 6}};
inline const std::vector<VariedKey<System>> initial_keys = {
    {"initial.position", System::initial_position, 3},
    {"initial.rotation", System::initial_rotation, 3},
    {"initial.velocity", System::initial_velocity, 3},
    {"initial.angular_velocity", System::initial_angular_velocity, 3}};
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
inline const std::vector<VariedKey<Element>> flexible_keys = {
    {"material.youngs_modulus", Element::youngs_modulus},
    {"material.density", Element::solid_density},
    {"mesh.thickness", Element::thickness},
    {"mesh.size", Element::mesh_size, 3}};

template <class Kind>
std::vector<std::string> paths_of(const std::vector<VariedKey<Kind>>& keys) {
  std::vector<std::string> paths;
  for (const VariedKey<Kind>& key : keys) paths.emplace_back(key.path);
  return paths;
}

}  // namespace kurbel::varied_keys
