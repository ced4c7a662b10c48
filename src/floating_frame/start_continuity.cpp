#include "floating_frame/start_continuity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "floating_frame/joint_constraints.hpp"
#include "integration/initial_conditions.hpp"

namespace kurbel {

namespace {

/// True if velocities of some bodies are given and those of others are not. Otherwise the constraints alone decide, and a
/// position where they lose rank is refused.
bool are_partly_given(const MultibodySystem<double>& system) {
  bool has_given = false, has_free = false;
  for (Eigen::Index i = 0; i < system.n_v(); ++i) {
    if (system.is_rigid_coordinate(i)) (system.is_velocity_given(i) ? has_given : has_free) = true;
  }
  return has_given && has_free;
}

}  // namespace

std::optional<std::string> jump_of_velocities(const MultibodySystem<double>& system,
                                              const DaeInstant<double>& start) {
  constexpr double clearly = 0.05;
  constexpr Eigen::Index most_coordinates = 500;  // full matrices, whose work grows with the third power
  if (system.n_c() == 0 || system.n_v() > most_coordinates || start.v.isZero(0.0) ||
      !are_partly_given(system))
    return {};
  const JointConstraints joints(system.spec(), start.t);
  const auto near = joints.next_to(start.x);
  if (!near) return {};
  const auto there = InitialConditions<double>(system).velocities_at(start.t, *near);
  if (!there) return {};
  double fastest = 0.0, largest = 0.0;  // m/s, of turns at the mechanism's length
  std::size_t body = 0;
  for (std::size_t i = 0; i < system.n_bodies(); ++i) {
    const auto speed = [&](const VectorXd& v) {
      const Eigen::Index o = system.v_offset(i);
      return std::max(v.segment<3>(o).norm(), joints.length() * v.segment<3>(o + 3).norm());
    };
    fastest = std::max({fastest, speed(start.v), speed(*there)});
    const double change = speed(*there - start.v);
    if (change > largest) largest = change, body = i;
  }
  if (!(largest > clearly * fastest)) return {};
  return fmt::format(
      "the mechanism starts at or next to a singular position. The velocity of body {} changes by {:.0f} % "
      "of the largest one if the start moves by {:.2g} m or {:.2g} rad. Give velocity and angular_velocity "
      "of all bodies, or start elsewhere",
      system.spec().bodies[body].name, 100.0 * largest / fastest,
      JointConstraints::distance_next_to * joints.length(), JointConstraints::distance_next_to);
}

}  // namespace kurbel
