#include "problem/planar_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanism/joint_damper.hpp"
#include "problem/key_groups.hpp"
#include "problem/variable_path.hpp"

namespace kurbel {

namespace {

using Kind = SystemQuantity::Kind;

/// In the order of PlanarBeamSpec::Quantity.
const std::vector<std::string> planar_beam_keys = {"section.width",  "section.height", "length",
                                                   "youngs_modulus", "poisson_ratio",  "density"};

VariedQuantity quantity_of(const TomlTable& variable, std::size_t beam, const std::string& path) {
  const auto key = std::ranges::find(planar_beam_keys, path);
  if (key == planar_beam_keys.end()) refuse_quantity(variable, planar_beam_keys);
  const auto index = static_cast<int>(key - planar_beam_keys.begin());
  return {{Kind::planar_beam_number, beam, 0, index}, range_of(keys::beam().group(), path)};
}

}  // namespace

VariedQuantity quantity_of_planar_beam(const TomlTable& variable, std::size_t beam, const std::string& path,
                                       const SystemSpec& system) {
  const VariedQuantity found = quantity_of(variable, beam, path);
  const auto& values = system.planar_beams[beam].elements[static_cast<std::size_t>(found.quantity.component)];
  if (std::ranges::any_of(values, [&](double value) { return value != values.front(); }))
    variable.refuse("quantity", "differs from element to element; set each_element = true");
  return found;
}

std::vector<VariedQuantity> quantities_of_elements(const TomlTable& variable, std::size_t beam,
                                                   const std::string& path, const SystemSpec& system) {
  std::vector<VariedQuantity> all(system.planar_beams[beam].n_elements, quantity_of(variable, beam, path));
  for (std::size_t e = 0; e < all.size(); ++e) all[e].quantity.part = e + 1;
  return all;
}

VariedQuantity damping_of(const TomlTable& variable, const JointSpec& joint, const SystemSpec& system) {
  if (!is_hinge(joint)) variable.refuse("quantity", "belongs to a joint that does not turn about one axis");
  const TorsionSpringSpec* own = find_damper(joint, system);
  if (!own) {
    variable.refuse("quantity", "is not in the file; give joints.{}.damping, from which it varies",
                    joint.name);
  }
  return {SystemQuantity::of<&TorsionSpringSpec::damping>(
              static_cast<std::size_t>(own - system.torsion_springs.data())),
          range_of(keys::joint().group(), "damping")};
}

}  // namespace kurbel
