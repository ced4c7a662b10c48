#include "floating_frame/tyre_range.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kurbel {

Vector3d wheel_centre(const MultibodySystem<double>& system, const MarkerPlace& wheel,
                      const Eigen::Ref<const VectorXd>& x) {
  const Pose<double> pose = system.pose(x, static_cast<std::size_t>(wheel.body));
  if (wheel.is_origin) return pose.r;
  return pose.r + rotation_matrix<double>(pose.e) * view<3>(wheel.layout.R, system.parameters().data());
}

namespace {

TimeRange range_of_road(const SystemSpec& spec) {
  return spec.road.height ? spec.road.height->range() : TimeRange{};
}

}  // namespace

bool has_end_of_road(const SystemSpec& spec) {
  const TimeRange range = range_of_road(spec);
  return !spec.tyres.empty() && (std::isfinite(range.begin) || std::isfinite(range.end));
}

Status end_with_road(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                     const Trajectory<double>& of_bodies, Trajectory<double>& trajectory) {
  const SystemSpec& spec = system.spec();
  if (!has_end_of_road(spec)) return {};
  const TimeRange range = range_of_road(spec);
  std::vector<MarkerPlace> wheels;
  for (const TyreSpec& tyre : spec.tyres) wheels.push_back(system.resolve(tyre.wheel, tyre.name));
  for (Eigen::Index k = 0; k < of_bodies.n_stored; ++k) {
    for (std::size_t i = 0; i < wheels.size(); ++i) {
      const double x = wheel_centre(system, wheels[i], layout.x(of_bodies.y.col(k))).x();
      if (x >= range.begin && x <= range.end) continue;
      trajectory.n_stored = k;
      return Failure{.what = fmt::format(
                         "the tyre {} is at x = {:.6g} m, beyond the table of the road, which reaches from "
                         "{:g} m to {:g} m",
                         spec.tyres[i].name, x, range.begin, range.end),
                     .where = {},
                     .advice = "extend road.x and road.z, or set road.beyond = \"hold\" or \"repeat\"",
                     .time = of_bodies.t[k]};
    }
  }
  return {};
}

}  // namespace kurbel
