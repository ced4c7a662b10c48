#include "formulation/drive_panel.hpp"

namespace kurbel {

namespace {

std::vector<DrivePanel::Row> driven_axes(const std::vector<JointSpec>& joints, bool torques,
                                         const DrivePanel::Reaction& reaction) {
  const auto first = static_cast<Eigen::Index>(torques ? RelativeDof::rx : RelativeDof::tx);
  std::vector<DrivePanel::Row> rows;
  for (const JointSpec& joint : joints) {
    for (const DriveSpec& drive : joint.drives) {
      const Eigen::Index axis = static_cast<Eigen::Index>(drive.dof) - first;
      if (axis < 0 || axis > 2) continue;
      rows.push_back({joint.name + "." + axis_name(static_cast<int>(axis)), reaction(joint.name), axis});
    }
  }
  return rows;
}

std::vector<std::string> names_of(const std::vector<DrivePanel::Row>& rows) {
  std::vector<std::string> names;
  for (const DrivePanel::Row& row : rows) names.push_back(row.name);
  return names;
}

}  // namespace

DrivePanel::DrivePanel(const std::vector<JointSpec>& joints, bool torques, const Reaction& reaction,
                       Eigen::Index n)
    : drives(driven_axes(joints, torques, reaction)),
      panel(torques ? "drive_torque" : "drive_force", torques ? "N m" : "N", names_of(drives), n) {}

void DrivePanel::look(const DaeInstant<double>& at, Eigen::Index k) {
  for (std::size_t i = 0; i < drives.size(); ++i)
    panel.values(static_cast<Eigen::Index>(i), k) = drives[i].reaction->value(at)[drives[i].axis];
}

}  // namespace kurbel
