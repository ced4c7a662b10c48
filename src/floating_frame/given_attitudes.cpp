#include "floating_frame/given_attitudes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <optional>
#include <vector>

#include "integration/lie_group.hpp"

namespace kurbel {
namespace {

constexpr std::size_t ground = static_cast<std::size_t>(-1);

/// One side of a joint: the body, and the axes of the marker in its frame.
struct Side {
  std::size_t body = ground;
  Matrix3d axes = Matrix3d::Identity();
};

std::optional<Side> side_of(const SystemSpec& spec, const MarkerRef& marker) {
  Side side;
  if (marker.body != "ground") {
    const auto body = std::ranges::find(spec.bodies, marker.body, &BodySpec::name);
    if (body == spec.bodies.end()) return {};
    side.body = static_cast<std::size_t>(body - spec.bodies.begin());
  }
  if (marker.marker == "origin") return side;
  const auto& nodes = side.body == ground ? spec.ground : spec.bodies[side.body].sid.frame;
  const auto node = std::ranges::find(nodes, marker.marker, &SidNode::name);
  if (node == nodes.end()) return {};
  side.axes = node->AP.M0;
  return side;
}

}  // namespace

void turn_by_fixed_joints(SystemSpec& spec) {
  std::vector<bool> is_known;
  for (const BodySpec& body : spec.bodies)
    is_known.push_back(body.initial.given.rotation || body.initial.parameters.rotation);
  const auto knows = [&](const Side& side) { return side.body == ground || is_known[side.body]; };
  const auto attitude = [&](const Side& side) -> Matrix3d {
    if (side.body == ground) return side.axes;
    return rotation_matrix<double>(exp_quaternion<double>(spec.bodies[side.body].initial.rotation)) *
           side.axes;
  };
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const JointSpec& joint : spec.joints) {
      if (std::ranges::count(joint.locked, false) > 0) continue;
      const auto from = side_of(spec, joint.from), to = side_of(spec, joint.to);
      if (!from || !to || knows(*from) == knows(*to)) continue;
      const Side& known = knows(*from) ? *from : *to;
      const Side& turned = knows(*from) ? *to : *from;
      const Eigen::AngleAxisd turn(Matrix3d(attitude(known) * turned.axes.transpose()));
      spec.bodies[turned.body].initial.rotation = turn.angle() * turn.axis();
      is_known[turned.body] = goes_on = true;
    }
  }
}

}  // namespace kurbel
