#include "floating_frame/tyre_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "floating_frame/joint_constraints.hpp"

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
    Vector3d centre = pose.r;
    if (!wheel.is_origin) centre += S * view<3>(wheel.layout.R, joints.system().parameters().data());
    const Vector3d axis = S * wheel.A0.col(1);
    if (std::abs(axis.z()) > lying) {
      return TyreFault{
          tyre.name, fmt::format("has a wheel that lies on its side at the start: the y axis of {}.{}, about "
                                 "which it spins, is vertical",
                                 tyre.wheel.body, tyre.wheel.marker)};
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
