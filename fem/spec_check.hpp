/// @file
/// Faults of a body every value of whose specification is admissible by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// The key below the body's table, e.g. "markers.pin", and what is wrong with it.
struct SpecProblem {
  std::string key;
  std::string message;
};

/// The first fault that only the mesh can tell: no node clamped, or all; markers that do not make a chord; a marker without
/// nodes; a region without elements; regions of different kinds with common elements; an attachment to an unknown, clamped or
/// pointlike marker; no mode at all or more than unknowns; a list of damping ratios of another length than the elastic
/// coordinates.
/// @throws InputError as the constructor of Mesh, when called without one
std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec);
std::optional<SpecProblem> find_problem(const FlexibleBodySpec& spec, const Mesh& mesh);

}  // namespace kurbel::fem
