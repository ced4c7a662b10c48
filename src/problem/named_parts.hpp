/// @file
/// Parts by their names in a problem, and the errors about names that stand for nothing.
#pragma once

#include "problem/problem.hpp"

namespace kurbel {

/// Names of all that is in some lists.
template <class... Lists>
std::vector<std::string> names_of(const Lists&... lists) {
  std::vector<std::string> names;
  const auto add = [&](const auto& list) {
    for (const auto& one : list) names.push_back(one.name);
  };
  (add(lists), ...);
  return names;
}

std::vector<std::string> body_names(const Problem& problem);

/// Names of all that markers are on, the ground aside: bodies, points and beams.
std::vector<std::string> names_of_parts(const Problem& problem);

/// nullptr if no slender beam has the name.
const BeamSpec* find_beam(const Problem& problem, const std::string& name);

/// nullptr if no planar beam has the name.
const PlanarBeamSpec* find_planar_beam(const SystemSpec& system, const std::string& name);

/// True if the body or point of that name does not deform.
bool is_rigid(const Problem& problem, const std::string& body);

/// Body, point or beam, and its marker, exist.
/// @throws InputError with file, line and key
void check_marker(const Problem& problem, const MarkerRef& ref, const std::string& key);

/// A marker exists and is a point of the material: the origin of a frame that clamps no node is none.
void check_material_marker(const Problem& problem, const MarkerRef& ref, const std::string& key);

}  // namespace kurbel
