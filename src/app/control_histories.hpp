/// @file
/// Controls over time, of any formulation: control.csv and control.png.
#pragma once

#include <string>
#include <vector>

#include "integration/controls.hpp"
#include "output/run_directory.hpp"

namespace kurbel {

/// A control with the values of its nodes, N or N m, and their bounds, which may be infinite.
struct ControlHistory {
  std::string name;
  bool is_torque;
  ControlGrid grid;
  VectorXd nodes;
  double lower, upper;
};

/// control.csv at the instants t, and with `picture` control.png: forces and torques, their nodes and bounds.
void write_control_histories(const RunDirectory& folder, const std::vector<ControlHistory>& controls,
                             const VectorXd& t, bool picture);

}  // namespace kurbel
