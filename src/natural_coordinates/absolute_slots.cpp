#include <algorithm>

#include "natural_coordinates/absolute_assembly.hpp"

namespace kurbel::absolute {

using Kind = SystemQuantity::Kind;

VectorXd Slots::xi() const {
  VectorXd xi(std::ssize(varied_));
  for (std::size_t i = 0; i < varied_.size(); ++i)
    xi[static_cast<Eigen::Index>(i)] = value_of(varied_[i], spec_);
  return xi;
}

int Slots::place_of(const SystemQuantity& quantity) const {
  const auto at = std::ranges::find(varied_, quantity);
  return at == varied_.end() ? -1 : static_cast<int>(at - varied_.begin());
}

ParameterSlot Slots::operator()(Kind kind, std::size_t owner) const {
  const SystemQuantity quantity{kind, owner};
  return {.constant = value_of(quantity, spec_), .variable = place_of(quantity)};
}

ParameterSlot Slots::of_element(std::size_t beam, std::size_t element,
                                PlanarBeamSpec::Quantity quantity) const {
  const SystemQuantity all{Kind::planar_beam_number, beam, 0, quantity},
      own{Kind::planar_beam_number, beam, element + 1, quantity};
  ParameterSlot slot{.constant = value_of(own, spec_), .variable = place_of(own)};
  if (slot.variable >= 0) return slot;
  slot.variable = place_of(all);
  if (slot.variable >= 0 && quantity == PlanarBeamSpec::length)
    slot.factor = 1.0 / static_cast<double>(spec_.planar_beams[beam].n_elements);
  return slot;
}

}  // namespace kurbel::absolute
