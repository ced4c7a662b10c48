#include <fmt/format.h>

#include <algorithm>

#include "mechanism/joint_damper.hpp"
#include "natural_coordinates/planar_places.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"
#include "problem/varied_numbers.hpp"

namespace kurbel {

namespace {

/// Joints at planar beams share the coordinates of a place, or hold them: they have no constraints.
void check_joint_of_planar_beam(const Problem& problem, const JointSpec& joint) {
  const SystemSpec& spec = problem.system;
  const std::string key = "joints." + joint.name;
  const auto& lock = joint.locked;
  if (joint.length || !(lock[0] && lock[1] && lock[2] && lock[3] && lock[4]))
    throw problem.error(key, "is at a planar beam, whose joints are revolute or fixed");
  if (!joint.drives.empty())
    throw problem.error(key + ".drive",
                        "does not go with a planar beam; move it by a torque in [controls.*]");
  for (const auto& [name, end] : {std::pair{".from", &joint.from}, std::pair{".to", &joint.to}}) {
    if (text_of(*end) == "ground" || find_named(spec.planar_beams, end->body) ||
        find_named(spec.point_masses, end->body))
      continue;
    throw problem.error(key + name,
                        "= \"{}\" cannot be joined to a planar beam; points, other planar beams "
                        "and \"ground\" can",
                        text_of(*end));
  }
}

void check_joints(const Problem& problem) {
  for (const JointSpec& joint : problem.system.joints) {
    if (is_of_planar_beam(problem.system, joint)) check_joint_of_planar_beam(problem, joint);
  }
}

/// Sections of planar beams have a damping between them; axes, about which springs turn, they have none.
void check_forces(const Problem& problem) {
  const SystemSpec& spec = problem.system;
  const auto has_no_axes = [&](const MarkerRef& ref) {
    return find_named(spec.planar_beams, ref.body) || find_named(spec.point_masses, ref.body);
  };
  for (const TorsionSpringSpec& spring : spec.torsion_springs) {
    if (is_joint_damper(spring) || !(has_no_axes(spring.from) || has_no_axes(spring.to))) continue;
    throw problem.error("torsion_springs." + spring.name,
                        "does not go with a planar beam, whose joints have damping alone");
  }
  for (const MarkerLoadSpec& load : spec.loads) {
    if (!has_no_axes(load.marker)) continue;
    const std::string key = fmt::format("{}.{}", load.controls.empty() ? "loads" : "controls", load.name);
    const bool turns =
        std::ranges::any_of(load.torque, [](const TimeFunctionPtr& one) { return one != nullptr; }) ||
        std::ranges::any_of(load.controls, [](const ControlledLoad& one) { return !one.torque.isZero(0.0); });
    if (turns) throw problem.error(key, "is a torque on {}, which takes forces", text_of(load.marker));
    if (load.frame == MarkerLoadSpec::Frame::body)
      throw problem.error(key + ".frame", "= \"body\" does not go with {}, which has no axes",
                          text_of(load.marker));
  }
}

/// Joints remain closed in every design.
void check_gaps(const Problem& problem) {
  constexpr double rounding = 1e-9;  // of a length by a length
  const SystemSpec& spec = problem.system;
  const ParameterLayout layout(spec);
  CarriedFrames frames(spec, layout);
  const PlanarPlaces places = place_planar_parts(spec, layout, layout.values(spec), frames);
  const VariedNumbers varied(problem);
  for (const PlacedGap& gap : places.gaps) {
    for (const std::vector<TiedQuantity>& tied : varied.quantities()) {
      Vector3d moved = Vector3d::Zero();
      for (const auto& [quantity, sign, offset] : tied) {
        for (const auto& [place, value] : parameter_derivatives(quantity, spec, layout)) {
          for (const VectorForm::Reach& reach : gap.gap.reaches) {
            if (reach.parameter == place) moved += sign * value * reach.direction;
          }
        }
      }
      if (moved.norm() <= rounding) continue;
      throw problem.error(
          "joints." + gap.joint,
          gap.is_to_ground
              ? "holds a place that moves when the length of a beam is designed"
              : "joins places that part when the length of a beam is designed; leave out the start of "
                "the beam behind the joint, or keep the length");
    }
  }
}

void check_options(const Problem& problem) {
  const SystemSpec& spec = problem.system;
  if (spec.initial_equilibrium != InitialEquilibrium::none)
    throw problem.error("initial.state",
                        "does not go with points and planar beams, which start as they are given");
  const bool shares = std::ranges::any_of(spec.joints, &JointSpec::shares_coordinates);
  if (spec.planar || shares)
    throw problem.error(spec.planar ? "coordinates.planar" : "coordinates.shared",
                        "= true does not go with points and planar beams, which choose their coordinates");
  if (!spec.planar_beams.empty() && spec.gravity[2] != 0.0)
    throw problem.error("gravity", "leaves the plane z = 0 in which planar beams move");
}

/// Euler's and Runge and Kutta's steps are for equations without constraints.
void check_method(const Problem& problem) {
  if (!traits_of(problem.integrator.method).is_of_first_order || has_no_constraints(problem.system)) return;
  throw problem.error(
      "integrator.method",
      "is for mechanisms without constraints: points and planar beams with revolute and fixed joints. Take "
      "\"variational-midpoint\", \"generalized-alpha\" or \"trapezoidal\"");
}

}  // namespace

bool has_no_constraints(const SystemSpec& spec) {
  return spec.bodies.empty() && spec.beams.empty() &&
         std::ranges::all_of(spec.joints,
                             [&](const JointSpec& joint) { return is_of_planar_beam(spec, joint); });
}

void check_planar_parts(const Problem& problem) {
  check_method(problem);
  if (problem.system.planar_beams.empty() && problem.system.point_masses.empty()) return;
  check_options(problem);
  check_joints(problem);
  check_forces(problem);
  try {
    check_gaps(problem);
  } catch (const SpecError& error) {
    throw problem.error(error.key, error.message);
  }
}

}  // namespace kurbel
