#include "floating_frame/tyre_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "floating_frame/joint_constraints.hpp"
#include "floating_frame/tyre_range.hpp"

namespace kurbel {

std::optional<TyreFault> tyre_fault_at_start(const SystemSpec& spec, double t0) {
  constexpr double lying = 0.99, deepest = 0.5;
  if (spec.tyres.empty()) return {};
  SystemSpec flat = spec;
  flat.tyres.clear();
  const JointConstraints joints(flat, t0);
  const VectorXd given = joints.given();
  const VectorXd x = joints.assemble(given, joints.all()).value_or(given);
  for (const TyreSpec& tyre : spec.tyres) {
    const MarkerPlace wheel = joints.system().resolve(tyre.wheel, tyre.name);
    const Pose<double> pose = joints.system().pose(x, static_cast<std::size_t>(wheel.body));
    const Matrix3d S = rotation_matrix<double>(pose.e);
    const Vector3d centre = wheel_centre(joints.system(), wheel, x);
    const Vector3d axis = S * wheel.A0.col(1);
    if (std::abs(axis.z()) > lying) {
      return TyreFault{
          tyre.name, fmt::format("has a wheel that lies on its side at the start: the y axis of {}.{}, about "
                                 "which it spins, is vertical",
                                 tyre.wheel.body, tyre.wheel.marker)};
    }
    const TimeRange road = spec.road.height ? spec.road.height->range() : TimeRange{};
    if (centre.x() < road.begin || centre.x() > road.end) {
      return TyreFault{
          tyre.name,
          fmt::format(
              "stands at x = {:.4g} m at the start, but the table of the road reaches from {:g} m to {:g} m. "
              "Extend road.x and road.z, or set road.beyond = \"hold\" or \"repeat\"",
              centre.x(), road.begin, road.end)};
    }
    const double ground = spec.road.height ? spec.road.height->at(centre.x()).value : 0.0;
    const double loaded_radius = (centre.z() - ground) / std::hypot(axis.x(), axis.y());
    if (loaded_radius < deepest * tyre.radius) {
      return TyreFault{
          tyre.name,
          fmt::format("has its wheel's centre at z = {:.4g} m at the start, where the road is at z = "
                      "{:.4g} m: a tyre of {:g} m radius would be under it",
                      centre.z(), ground, tyre.radius)};
    }
  }
  return {};
}

}  // namespace kurbel
