/// @file
/// The keys of an input whose numbers [variables] may name, by what they belong to.
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
inline const std::vector<VariedKey<System>> point_keys = {{"mass", System::point_mass}};
inline const std::vector<VariedKey<System>> mass_keys = {{"mass", System::attached_mass}};
inline const std::vector<VariedKey<System>> spring_keys = {{"stiffness", System::spring_stiffness},
                                                           {"damping", System::spring_damping},
                                                           {"free_length", System::free_length}};
inline const std::vector<VariedKey<System>> torsion_spring_keys = {{"stiffness", System::torsion_stiffness},
                                                                   {"damping", System::torsion_damping},
                                                                   {"free_angle", System::free_angle}};
inline const std::vector<VariedKey<System>> tyre_keys = {
    {"radius", System::tyre_radius},          {"stiffness", System::tyre_stiffness},
    {"damping", System::tyre_damping},        {"friction", System::tyre_friction},
    {"stiffness_factor", System::tyre_slope}, {"shape_factor", System::tyre_shape}};
inline const std::vector<VariedKey<System>> initial_keys = {
    {"initial.position", System::initial_position, 3},
    {"initial.rotation", System::initial_rotation, 3},
    {"initial.velocity", System::initial_velocity, 3},
    {"initial.angular_velocity", System::initial_angular_velocity, 3}};
inline const std::vector<VariedKey<System>> beam_keys = {{"start", System::beam_start, 3},
                                                         {"end", System::beam_end, 3},
                                                         {"through", System::beam_through, 3},
                                                         {"youngs_modulus", System::beam_youngs_modulus},
                                                         {"poisson_ratio", System::beam_poisson_ratio},
                                                         {"density", System::beam_density},
                                                         {"damping", System::beam_damping}};
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
inline const std::vector<VariedKey<System>> rod_keys = {{"length", System::rod_length}};
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
