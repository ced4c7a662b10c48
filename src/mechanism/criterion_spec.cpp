#include "mechanism/criterion_spec.hpp"

namespace kurbel {

bool is_vector(Quantity quantity) {
  switch (quantity) {
    case Quantity::compliance:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
    case Quantity::drive_torque:
    case Quantity::mass:
    case Quantity::control_energy:
    case Quantity::von_mises:
      return false;
    default:
      return true;
  }
}

}  // namespace kurbel
