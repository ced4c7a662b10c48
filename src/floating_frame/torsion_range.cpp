#include "floating_frame/torsion_range.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mechanism/scalar_coordinate.hpp"
#include "mechanism/stop.hpp"

namespace kurbel {

namespace {

/// A torque in a hinge, or a load over its angle, that jumps at half a turn from an angle.
struct Turn {
  const MarkerRef &to, &from;
  const std::string& name;
  double around;     ///< rad
  const char* what;  ///< the part and the angle, for the message
  const char* advice;
};

/// A load over an angle jumps where its table has another value half a turn before its middle than behind it.
void add_turn_of(const MarkerLoadSpec& load, const TimeFunctionPtr& function,
                 const std::optional<HingeAngle>& over, std::vector<Turn>& turns) {
  if (!over) return;
  const double before = function->at(over->around - std::numbers::pi).value,
               behind = function->at(over->around + std::numbers::pi).value;
  constexpr double rounding = 1e-9;
  if (std::abs(behind - before) <= rounding * std::max(std::abs(before), std::abs(behind))) return;
  turns.push_back({over->to, over->from, load.name, over->around,
                   "the angle of the load {} passes half a turn from the middle of its table, where it jumps",
                   "let the table end with the value that it begins with, or keep the motion near it"});
}

std::vector<Turn> turns_of(const SystemSpec& spec) {
  std::vector<Turn> turns;
  for (const TorsionSpringSpec& spring : spec.torsion_springs) {
    if (spring.stiffness != 0.0)
      turns.push_back({spring.to, spring.from, spring.name, spring.free_angle,
                       "the torsion spring {} passes half a turn from its free angle, where its torque jumps",
                       "choose free_angle near the middle of the motion, or remove the spring"});
  }
  for (const StopSpec& stop : spec.stops) {
    if (!is_rotation(stop.dof) || (stop.stiffness == 0.0 && stop.damping == 0.0)) continue;
    const bool has_both = std::isfinite(stop.upper - stop.lower);
    turns.push_back(
        {stop.to, stop.from, stop.name, middle_of_limits(stop.lower, stop.upper),
         has_both ? "the stop {} passes half a turn from the middle of its limits, where its torque jumps"
                  : "the stop {} passes half a turn from its only limit, where its torque jumps",
         has_both ? "remove the stop, or keep the motion near its limits"
                  : "give the stop its other limit, too, or remove it"});
  }
  for (const MarkerLoadSpec& load : spec.loads) {
    for (std::size_t k = 0; k < 3; ++k) {
      add_turn_of(load, load.force[k], load.force_over[k], turns);
      add_turn_of(load, load.torque[k], load.torque_over[k], turns);
    }
  }
  return turns;
}

/// Angles of a hinge at all instants, in (-pi, pi] about that of the turn, rad.
std::vector<double> angles_of(const Turn& turn, const MultibodySystem<double>& system,
                              const DaeStateLayout& layout, const Trajectory<double>& of_bodies) {
  RelativeRows<double> pair(system.resolve(turn.to, turn.name), system.resolve(turn.from, turn.name));
  pair.add_direction_cosine(0, 0);
  pair.add_direction_cosine(1, 0);
  const auto ws = system.make_workspace();
  RelativeRows<double>::Workspace rows(pair.n_tangent());
  std::vector<double> angles;
  for (Eigen::Index k = 0; k < of_bodies.n_stored; ++k) {
    const DaeInstant<double> at = layout.instant<double>(of_bodies.t[k], of_bodies.y.col(k));
    RelativeRows<double>::Derivatives derivatives{};
    pair.derivatives(system.parameters().data(), system.ends_at(pair, at, *ws), rows, derivatives);
    angles.push_back(angle_coordinate<double>(derivatives.c[0], derivatives.c[1], turn.around).s);
  }
  return angles;
}

}  // namespace

bool has_torsion_range(const SystemSpec& spec) {
  return !turns_of(spec).empty();
}

Status end_at_half_turn(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                        const Trajectory<double>& of_bodies, Trajectory<double>& trajectory) {
  const std::vector<Turn> turns = turns_of(system.spec());
  const Turn* first = nullptr;
  Eigen::Index end = of_bodies.n_stored;
  for (const Turn& turn : turns) {
    const std::vector<double> angles = angles_of(turn, system, layout, of_bodies);
    for (Eigen::Index k = 1; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (std::abs(angles[at] - angles[at - 1]) <= std::numbers::pi) continue;
      first = &turn, end = k;
    }
  }
  if (!first) return {};
  trajectory.n_stored = end;
  return Failure{.what = fmt::format(fmt::runtime(first->what), first->name),
                 .where = {},
                 .advice = first->advice,
                 .time = of_bodies.t[end]};
}

}  // namespace kurbel
