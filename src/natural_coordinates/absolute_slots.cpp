#include <algorithm>

#include "natural_coordinates/absolute_assembly.hpp"

namespace kurbel::absolute {

using Kind = SystemQuantity::Kind;

std::vector<VariedQuantity> each_alone(const std::vector<SystemQuantity>& quantities) {
  std::vector<VariedQuantity> all;
  for (const SystemQuantity& quantity : quantities) all.push_back({quantity, static_cast<int>(all.size())});
  return all;
}

VectorXd Slots::xi() const {
  VectorXd xi(varied_.empty() ? 0 : varied_.back().variable + 1);
  for (auto varied = varied_.rbegin(); varied != varied_.rend();
       ++varied)  // the first of those that are tied
    xi[varied->variable] = varied->sign * (value_of(varied->quantity, spec_) - varied->offset);
  return xi;
}

ParameterSlot Slots::slot_of(const SystemQuantity& quantity, double share) const {
  const auto at = std::ranges::find(varied_, quantity, &VariedQuantity::quantity);
  if (at == varied_.end()) return {};
  return {.variable = at->variable, .factor = at->sign * share, .offset = at->offset * share};
}

ParameterSlot Slots::operator()(Kind kind, std::size_t owner) const {
  const SystemQuantity quantity{kind, owner};
  ParameterSlot slot = slot_of(quantity);
  slot.constant = value_of(quantity, spec_);
  return slot;
}

ParameterSlot Slots::of_element(std::size_t beam, std::size_t element,
                                PlanarBeamSpec::Quantity quantity) const {
  const SystemQuantity all{Kind::planar_beam_number, beam, 0, quantity},
      own{Kind::planar_beam_number, beam, element + 1, quantity};
  ParameterSlot slot = slot_of(own);
  if (slot.variable < 0) {
    const bool is_shared_out = quantity == PlanarBeamSpec::length;
    slot = slot_of(all, is_shared_out ? 1.0 / static_cast<double>(spec_.planar_beams[beam].n_elements) : 1.0);
  }
  slot.constant = value_of(own, spec_);
  return slot;
}

}  // namespace kurbel::absolute
