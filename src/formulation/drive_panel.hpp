/// @file
/// Forces and torques of drives over time, for every formulation that has driven joints.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "formulation/motion_model.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// A row for each driven rotation, "base.z", with the torque about its axis on the "to" body; or one for each driven
/// displacement, with the force along it.
struct DrivePanel {
  /// The moment, or the force, that a joint of that name exerts on its "to" body along the axes of its "to" marker.
  using Reaction = std::function<std::shared_ptr<const Observable<double>>(const std::string& joint)>;

  DrivePanel(const std::vector<JointSpec>& joints, bool torques, const Reaction& reaction, Eigen::Index n);
  /// Fills column k.
  void look(const DaeInstant<double>& at, Eigen::Index k);

  struct Row {
    std::string name;
    std::shared_ptr<const Observable<double>> reaction;
    Eigen::Index axis;
  };
  std::vector<Row> drives;
  HistoryPanel panel;
};

}  // namespace kurbel
