#include "problem/quantities_of_places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanism/joint_damper.hpp"
#include "problem/key_groups.hpp"
#include "problem/variable_path.hpp"

namespace kurbel {

namespace {

using Kind = SystemQuantity::Kind;

/// In the order of PlanarBeamSpec::Quantity.
const std::vector<std::string> planar_beam_keys = {
    "width", "height", "length", "material.youngs_modulus", "material.poisson_ratio", "material.density"};

/// Of all elements; those of the material may be named without it.
VariedQuantity quantity_of_beam(const TomlTable& variable, std::size_t beam, const std::string& path) {
  const auto key = std::ranges::find_if(
      planar_beam_keys, [&](const std::string& one) { return one == path || one == "material." + path; });
  if (key == planar_beam_keys.end()) refuse_quantity(variable, planar_beam_keys);
  const auto place = static_cast<int>(key - planar_beam_keys.begin());
  return {{Kind::planar_beam_number, beam, 0, place},
          range_of(keys::beam(), *key, Formulation::absolute_coordinates)};
}

VariedQuantity mass(const TomlTable& variable, Kind kind, std::size_t owner, const std::string& path,
                    const KeyGroup& group) {
  if (path != "mass") refuse_quantity(variable, {"mass"});
  return {{kind, owner}, range_of(group, path, Formulation::absolute_coordinates)};
}

}  // namespace

VariedQuantity quantity_of_places(const TomlTable& variable, std::string path, const SystemSpec& system) {
  const std::string section = take_word(path);
  if (section == "points") {
    const std::size_t point = find_named(variable, take_word(path), system.point_masses);
    return mass(variable, Kind::point_mass, point, path, keys::point());
  }
  if (section == "masses") {
    const std::size_t at = find_named(variable, take_word(path), system.attached_masses);
    return mass(variable, Kind::attached_mass, at, path, keys::point_mass());
  }
  if (section == "joints") {
    const std::size_t joint = find_named(variable, take_word(path), system.joints);
    if (path != "damping") refuse_quantity(variable, {"damping"});
    return damping_of(variable, system.joints[joint], system);
  }
  if (section != "beams")
    refuse_quantity(variable, {"points.NAME.mass", "masses.NAME.mass", "beams.NAME...", "springs.NAME...",
                               "joints.NAME.damping"});
  const std::size_t beam = find_named(variable, take_word(path), system.planar_beams);
  const VariedQuantity found = quantity_of_beam(variable, beam, path);
  const auto& values = system.planar_beams[beam].elements[static_cast<std::size_t>(found.quantity.component)];
  if (std::ranges::any_of(values, [&](double value) { return value != values.front(); }))
    variable.refuse("quantity", "differs from element to element; set each_element = true");
  return found;
}

std::vector<VariedQuantity> quantities_of_elements(const TomlTable& variable, std::string path,
                                                   const SystemSpec& system) {
  if (take_word(path) != "beams") variable.refuse("each_element", "is for numbers of [beams.*]");
  const std::size_t beam = find_named(variable, take_word(path), system.planar_beams);
  std::vector<VariedQuantity> all(system.planar_beams[beam].n_elements,
                                  quantity_of_beam(variable, beam, path));
  for (std::size_t e = 0; e < all.size(); ++e) all[e].quantity.part = e + 1;
  return all;
}

VariedQuantity damping_of(const TomlTable& variable, const JointSpec& joint, const SystemSpec& system) {
  if (!is_hinge(joint)) variable.refuse("quantity", "belongs to a joint that does not turn about one axis");
  const TorsionSpringSpec* own = find_damper(joint, system);
  if (!own) {
    variable.refuse(
        "quantity",
        fmt::format("is not in the file; give joints.{}.damping, from which it varies", joint.name));
  }
  return {{Kind::torsion_damping, static_cast<std::size_t>(own - system.torsion_springs.data())},
          range_of(keys::joint(), "damping", Formulation::floating_frame)};
}

}  // namespace kurbel
