#include "natural_coordinates/system_spec.hpp"

#include <fmt/format.h>

#include "base/spelling.hpp"

namespace kurbel::absolute {

namespace {

using Named = std::vector<std::pair<std::string, std::vector<ParameterSlot*>>>;

Named all_slots(SystemSpec& spec) {
  static const std::array<const char*, BeamSpec::n_quantities> quantities = {
      "width", "height", "length", "youngs_modulus", "poisson_ratio", "density"};
  Named all;
  for (PointSpec& p : spec.points) all.push_back({"points." + p.name + ".mass", {&p.mass}});
  for (MassSpec& m : spec.masses) all.push_back({"masses." + m.name + ".mass", {&m.mass}});
  for (BeamJointSpec& j : spec.joints) all.push_back({"joints." + j.name + ".damping", {&j.damping}});
  for (PointSpringSpec& s : spec.springs) {
    all.push_back({"springs." + s.name + ".stiffness", {&s.stiffness}});
    all.push_back({"springs." + s.name + ".damping", {&s.damping}});
    all.push_back({"springs." + s.name + ".free_length", {&s.length}});
  }
  for (BeamSpec& b : spec.beams) {
    for (std::size_t q = 0; q < quantities.size(); ++q) {
      auto& [name, slots] =
          all.emplace_back(fmt::format("beams.{}.{}", b.name, quantities[q]), std::vector<ParameterSlot*>());
      for (ParameterSlot& slot : b.elements[q]) slots.push_back(&slot);
    }
  }
  return all;
}

}  // namespace

std::vector<ParameterSlot*> SystemSpec::slots(const std::string& quantity, const std::string& for_key) {
  std::vector<std::string> known;
  for (auto& [name, slots] : all_slots(*this)) {
    if (name == quantity) return slots;
    known.push_back(name);
  }
  throw SpecError(for_key, fmt::format("= \"{}\" is no quantity of this system{}", quantity,
                                       spelling_advice(quantity, known, "\"")));
}

}  // namespace kurbel::absolute
