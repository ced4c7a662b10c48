/// @file
/// A control as an input file states it, in any formulation.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "integration/controls.hpp"
#include "integration/integrator_options.hpp"

namespace kurbel {

class TomlTable;

/// A control in time: its nodes, their bounds and their values to begin with; N or N m.
struct ControlCurve {
  std::string name;
  Interpolation interpolation = Interpolation::natural;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  std::vector<double> start;  ///< one per node
  bool is_torque = false;     ///< N m instead of N

  const char* unit() const { return is_torque ? "N m" : "N"; }

  /// Its nodes over the time of the integration.
  ControlGrid grid(const IntegratorOptions& integrator) const {
    return {interpolation, static_cast<int>(start.size()), integrator.t0, integrator.t1};
  }
  /// "elbow(0.1 s)", one per node; or where the end varies "elbow(0.125 t1)".
  std::vector<std::string> node_names(const IntegratorOptions& integrator, bool end_varies = false) const;
};

/// `nodes`, `interpolation`, `lower`, `upper` and `start` of a table of [controls].
/// @param directory  of the file
ControlCurve read_curve(const TomlTable& table, const IntegratorOptions& integrator,
                        const std::filesystem::path& directory);

/// @throws InputError if the bounds cross
void check_bounds(const TomlTable& table, double lower, double upper);

}  // namespace kurbel
