#include "floating_frame/torsion_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mechanism/scalar_coordinate.hpp"

namespace kurbel {

namespace {

/// Angles of a spring at all instants, in (-pi, pi] about its free angle, rad.
std::vector<double> angles_of(const TorsionSpringSpec& spring, const MultibodySystem<double>& system,
                              const DaeStateLayout& layout, const Trajectory<double>& of_bodies) {
  RelativeRows<double> pair(system.resolve(spring.to, spring.name), system.resolve(spring.from, spring.name));
  pair.add_direction_cosine(0, 0);
  pair.add_direction_cosine(1, 0);
  const auto ws = system.make_workspace();
  RelativeRows<double>::Workspace rows(pair.n_tangent());
  std::vector<double> angles;
  for (Eigen::Index k = 0; k < of_bodies.n_stored; ++k) {
    const DaeInstant<double> at = layout.instant<double>(of_bodies.t[k], of_bodies.y.col(k));
    RelativeRows<double>::Derivatives derivatives{};
    pair.derivatives(system.parameters().data(), system.ends_at(pair, at, *ws), rows, derivatives);
    angles.push_back(angle_coordinate<double>(derivatives.c[0], derivatives.c[1], spring.free_angle).s);
  }
  return angles;
}

bool may_jump(const TorsionSpringSpec& spring) {
  return spring.stiffness != 0.0;
}

}  // namespace

bool has_torsion_range(const SystemSpec& spec) {
  return std::ranges::any_of(spec.torsion_springs, may_jump);
}

Status end_at_half_turn(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                        const Trajectory<double>& of_bodies, Trajectory<double>& trajectory) {
  const TorsionSpringSpec* first = nullptr;
  Eigen::Index end = of_bodies.n_stored;
  for (const TorsionSpringSpec& spring : system.spec().torsion_springs) {
    if (!may_jump(spring)) continue;
    const std::vector<double> angles = angles_of(spring, system, layout, of_bodies);
    for (Eigen::Index k = 1; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (std::abs(angles[at] - angles[at - 1]) <= std::numbers::pi) continue;
      first = &spring, end = k;
    }
  }
  if (!first) return {};
  trajectory.n_stored = end;
  return Failure{.what = fmt::format(
                     "the torsion spring {} passes half a turn from its free angle, where its torque jumps",
                     first->name),
                 .where = {},
                 .advice = "choose free_angle near the middle of the motion, or remove the spring",
                 .time = of_bodies.t[end]};
}

}  // namespace kurbel
