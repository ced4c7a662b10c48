/// @file
/// Parts by their names in a problem, and the errors about names that stand for nothing.
#pragma once

#include <algorithm>
#include <functional>

#include "problem/problem.hpp"

namespace kurbel {

/// The one of that name; nullptr if there is none.
template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto at = std::ranges::find(all, name, &Named::name);
  return at == all.end() ? nullptr : &*at;
}

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

/// The table of a variable, "variables.NAME"; of one number among several of a table, the name has its place behind it in
/// parentheses, or in brackets for an element.
std::string path_of(const DesignVariable& variable);

/// The key of a drive alone, or of one of several, under a joint.
std::string key_of_drive(const Problem& problem, const JointSpec& joint, std::size_t drive);

/// A function of time of a drive or a load, and its key.
struct KeyedFunction {
  TimeFunctionPtr function;
  std::string key;
  bool is_over_angle = false;  ///< of a hinge, in place of time
};
std::vector<KeyedFunction> functions_of_time(const Problem& problem);

/// Names of all that markers are on, the ground aside: bodies, points and beams.
std::vector<std::string> names_of_parts(const Problem& problem);

/// True if something holds for any term of [outputs], [objective], [stages.*] and [constraints.criteria].
bool any_term(const Problem& problem, const std::function<bool(const CriterionTerm& term)>& holds);

/// True if there are neither beams, which bend, nor points, which are free.
bool has_bodies_alone(const SystemSpec& system);

/// True if the body or point of that name does not deform.
bool is_rigid(const Problem& problem, const std::string& body);

/// Body, point or beam, and its marker, exist.
/// @throws InputError with file, line and key
void check_marker(const Problem& problem, const MarkerRef& ref, const std::string& key);

/// A marker exists and is a point of the material: the origin of a frame that clamps no node is none.
void check_material_marker(const Problem& problem, const MarkerRef& ref, const std::string& key);

}  // namespace kurbel
