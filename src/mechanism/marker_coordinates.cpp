#include "mechanism/marker_coordinates.hpp"

#include <algorithm>

namespace kurbel {

std::vector<std::string> coordinates_of_markers(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const bool is_axis = name.ends_with(".x") || name.ends_with(".y") || name.ends_with(".z");
    if (is_axis && std::ranges::count(name, '.') == 2) found.push_back(name);
  }
  return found;
}

SystemSpec with_marker_coordinates(SystemSpec spec, const std::vector<std::string>& coordinates) {
  for (JointSpec& joint : spec.joints) joint.redundant.fill(true);
  for (const std::string& name : coordinates) {
    const std::size_t first = name.find('.'), last = name.rfind('.');
    // Joints measure along the axes of "to": the place of the ground as the marker sees it, the negative.
    JointSpec joint;
    joint.name = name;
    joint.from = {name.substr(0, first), name.substr(first + 1, last - first - 1)};
    joint.to = {"ground"};
    joint.locked[static_cast<std::size_t>(name.back() - 'x')] = true;
    spec.joints.push_back(std::move(joint));
  }
  return spec;
}

}  // namespace kurbel
