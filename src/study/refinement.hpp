/// @file
/// The same problem on finer discretizations, as overrides of its input.
#pragma once

#include <string>
#include <vector>

#include "evaluation/design.hpp"
#include "evaluation/flexible_bodies.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// A finer discretization, or the reason why there is none.
struct Refinement {
  std::vector<std::string> overrides{};  ///< "key.path=value"; empty: nothing becomes finer
  std::vector<std::string> coarse{};     ///< what stays as it is, and why
};

/// Meshes of boxes get more divisions, those of geometries smaller elements (`mesh.size`), beams more elements. Meshes
/// from files that hold elements stay.
/// @param factor  by which an edge of an element becomes shorter, at least 1
Refinement finer_meshes(const Problem& problem, double factor);

/// More normal modes of every flexible body; a list of modes stays.
Refinement more_modes(const Problem& problem, double factor);

/// Shorter steps; criteria at every n-th step keep their instants.
/// @param factor  a whole number
Refinement shorter_steps(const Problem& problem, int factor);

/// Values of elements on another mesh of the same body: each element has those of the element with the nearest centre.
VectorXd values_on_mesh(const fem::Mesh& from, const VectorXd& values, const fem::Mesh& to);

/// The same for densities of all bodies; empty fields remain empty.
BodyFields fields_on_meshes(const FlexibleBodies& from, const BodyFields& fields, const FlexibleBodies& to);

}  // namespace kurbel
