#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/spelling.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "problem/checks.hpp"
#include "problem/varied_numbers.hpp"

namespace kurbel {

namespace {

using Kind = SystemQuantity::Kind;

/// @throws InputError with this key unless the marker is the ground, a point, or an end of a beam
void check_place(const Problem& problem, const MarkerRef& marker, const std::string& key) {
  std::set<std::string> places;
  for (const PointMassSpec& point : problem.system.point_masses) places.insert(point.name);
  for (const PlanarBeamSpec& beam : problem.system.planar_beams)
    places.insert({beam.name + ".start", beam.name + ".end"});
  const std::string name = text_of(marker);
  if (name == "ground" || places.contains(name)) return;
  std::vector<std::string> known = {"ground"};
  known.insert(known.end(), places.begin(), places.end());
  throw problem.error(key, fmt::format("= \"{}\" is no place{}", name, spelling_advice(name, known, "\"")));
}

void check_places(const Problem& problem) {
  const SystemSpec& spec = problem.system;
  for (const JointSpec& joint : spec.joints) {
    check_place(problem, joint.from, "joints." + joint.name + ".from");
    check_place(problem, joint.to, "joints." + joint.name + ".to");
  }
  for (const AttachedMassSpec& mass : spec.attached_masses)
    check_place(problem, mass.marker, "masses." + mass.name + ".at");
  for (const SpringSpec& spring : spec.springs) {
    check_place(problem, spring.to, "springs." + spring.name + ".to");
    check_place(problem, spring.from, "springs." + spring.name + ".from");
  }
  for (const MarkerLoadSpec& load : spec.loads) {
    const std::string key = "controls." + load.name + ".at";
    if (text_of(load.marker) == "ground")
      throw problem.error(key, "= \"ground\" does not move; a force acts at a point or at a beam's end");
    check_place(problem, load.marker, key);
  }
}

/// Torques act in hinges, one in each at most.
void check_motors(const Problem& problem) {
  std::set<std::string> driven;
  for (const MotorSpec& motor : problem.system.motors) {
    const std::string key = "controls." + motor.name + ".joint";
    const auto joint = std::ranges::find_if(problem.system.joints, [&](const JointSpec& one) {
      return one.from == motor.from && one.to == motor.to;
    });
    if (joint == problem.system.joints.end()) throw problem.error(key, "is no joint");
    if (!is_hinge(*joint))
      throw problem.error(key,
                          fmt::format("= \"{}\" is fixed; a torque acts in a revolute joint", joint->name));
    if (!driven.insert(joint->name).second)
      throw problem.error(key, fmt::format("= \"{}\" is driven by another control already", joint->name));
  }
}

/// Joints remain closed in every design.
void check_gaps(const Problem& problem, const NaturalSystem<double>& system) {
  constexpr double rounding = 1e-9;  // of a length by a length
  const VariedNumbers varied(problem);
  for (const PlacedGap& gap : system.gaps()) {
    for (const std::vector<TiedQuantity>& tied : varied.quantities()) {
      Vector3d moved = Vector3d::Zero();
      for (const auto& [quantity, sign, offset] : tied) {
        for (const auto& [place, value] : parameter_derivatives(quantity, problem.system, system.layout())) {
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

bool mass_varies(const Problem& problem) {
  constexpr int without_mass[] = {PlanarBeamSpec::youngs_modulus, PlanarBeamSpec::poisson_ratio};
  const auto is_of_mass = [&](const TiedQuantity& tied) {
    const SystemQuantity& quantity = tied.quantity;
    return quantity.kind == Kind::point_mass || quantity.kind == Kind::attached_mass ||
           (quantity.kind == Kind::planar_beam_number &&
            std::ranges::find(without_mass, quantity.component) == std::end(without_mass));
  };
  return std::ranges::any_of(VariedNumbers(problem).quantities(),
                             [&](const auto& tied) { return std::ranges::any_of(tied, is_of_mass); });
}

template <class Item>
const Item& find(const Problem& problem, const std::vector<Item>& items, const std::string& name,
                 const std::string& key, const char* kind) {
  std::vector<std::string> known;
  for (const Item& item : items) {
    if (item.name == name) return item;
    known.push_back(item.name);
  }
  throw problem.error(key,
                      fmt::format("= \"{}\" is no {}{}", name, kind, spelling_advice(name, known, "\"")));
}

void check_beam(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  const auto& beam = find(problem, problem.system.planar_beams, term.beam, path + ".beam", "beam");
  if (term.element < beam.n_elements) return;
  throw problem.error(path + ".element", fmt::format("= {} is no element of {}, which has 0 to {}",
                                                     term.element, term.beam, beam.n_elements - 1));
}

void check_distance(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  check_place(problem, term.marker, path + ".marker");
  check_place(problem, term.from, path + ".from");
  if (term.marker == term.from)
    throw problem.error(
        path + ".marker",
        fmt::format("= \"{}\" is the place from which the distance is measured", text_of(term.marker)));
}

void check_term(const Problem& problem, const CriterionTerm& term, const std::string& path) {
  if (term.quantity == Quantity::control_energy) return check_criterion_control(problem, term, path);
  if (term.quantity == Quantity::distance) return check_distance(problem, term, path);
  if (term.quantity == Quantity::stress) return check_beam(problem, term, path);
  if (term.quantity == Quantity::position || term.quantity == Quantity::velocity)
    return check_place(problem, term.marker, path + ".marker");
  if (term.quantity == Quantity::spring_force)
    find(problem, problem.system.springs, term.spring, path + ".spring", "spring");
  if (term.quantity == Quantity::mass && !mass_varies(problem))
    throw problem.error(path + ".type",
                        "= \"mass\" needs a quantity in [variables.NAME] that changes the mass");
}

}  // namespace

void check_absolute_coordinates(const Problem& problem) {
  check_places(problem);
  check_motors(problem);
  if (!problem.system.planar_beams.empty() && problem.system.gravity[2] != 0.0)
    throw problem.error("gravity", "leaves the plane z = 0 in which beams move");
  try {
    check_gaps(problem, NaturalSystem<double>(problem.system));
  } catch (const SpecError& error) {
    throw problem.error(error.key, error.message);
  }
  for_each_term(problem,
                [&](const CriterionTerm& term, const std::string& path) { check_term(problem, term, path); });
}

}  // namespace kurbel
