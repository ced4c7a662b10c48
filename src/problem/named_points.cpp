#include "problem/named_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "integration/lie_group.hpp"

namespace kurbel {

namespace {

using Use = PointUse::Kind;
using Kind = SystemQuantity::Kind;

bool moves(const PointUse& use, const MarkerRef& marker, const SystemSpec& system) {
  const auto is_on_beam = [&] { return system.beams[use.owner].name == marker.body; };
  switch (use.kind) {
    case Use::marker:
      return system.bodies[use.owner].name == marker.body &&
             system.bodies[use.owner].sid.frame[use.part].name == marker.marker;
    case Use::ground_marker:
      return marker.body == "ground" && system.ground[use.owner].name == marker.marker;
    case Use::beam_start:
      return is_on_beam() && marker.marker != "end";
    case Use::beam_end:
      return is_on_beam() && marker.marker != "start";
    case Use::beam_through:
      break;
  }
  return is_on_beam() && marker.marker != "start" && marker.marker != "end";
}

/// The number of the axis of the body along which a marker moves with the point: x_k = sign (P_c - r0_c).
TiedQuantity number_of_marker(const TomlTable& variable, const PointUse& use, int component,
                              const SystemSpec& system) {
  constexpr double rounding = 1e-12;
  const BodySpec& body = system.bodies[use.owner];
  const Matrix3d R = rotation_matrix(exp_quaternion<double>(body.initial.rotation));
  int axis = 0;
  const double share = R.row(component).cwiseAbs().maxCoeff(&axis);
  if (std::abs(share - 1.0) > rounding) {
    variable.refuse("quantity",
                    "moves a marker of {}, which is turned at the start so that {} is along none of "
                    "its axes; give its initial.rotation by quarter turns, with its inertia and "
                    "markers turned instead",
                    body.name, "xyz"[component]);
  }
  const double sign = R(component, axis) > 0.0 ? 1.0 : -1.0;
  return {{Kind::marker, use.owner, use.part, axis}, sign, -sign * body.initial.position[component]};
}

TiedQuantity number_of(const TomlTable& variable, const PointUse& use, int component,
                       const SystemSpec& system) {
  switch (use.kind) {
    case Use::marker:
      return number_of_marker(variable, use, component, system);
    case Use::ground_marker:
      return {{Kind::ground_marker, use.owner, 0, component}};
    case Use::beam_start:
      return {SystemQuantity::of<&BeamSpec::start>(use.owner, component)};
    case Use::beam_end:
      return {SystemQuantity::of<&BeamSpec::end>(use.owner, component)};
    case Use::beam_through:
      break;
  }
  return {SystemQuantity::of<&BeamSpec::through>(use.owner, component)};
}

}  // namespace

const NamedPoint* point_of(const PointUse& use, const SystemSpec& system) {
  for (const NamedPoint& point : system.points) {
    if (std::ranges::find(point.uses, use) != point.uses.end()) return &point;
  }
  return nullptr;
}

bool moves_with_point(const MarkerRef& marker, const SystemSpec& system) {
  return std::ranges::any_of(system.points, [&](const NamedPoint& point) {
    return std::ranges::any_of(point.uses, [&](const PointUse& use) { return moves(use, marker, system); });
  });
}

std::vector<TiedQuantity> numbers_at(const TomlTable& variable, const NamedPoint& point, int component,
                                     const SystemSpec& system) {
  if (point.uses.empty()) {
    variable.refuse("quantity", "moves nothing: no marker and no beam names the point \"{}\"", point.name);
  }
  std::vector<TiedQuantity> numbers;
  for (const PointUse& use : point.uses) numbers.push_back(number_of(variable, use, component, system));
  return numbers;
}

}  // namespace kurbel
