#include "mechanism/criterion_spec.hpp"

#include <algorithm>

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

bool is_aggregate(const CriterionTerm& term) {
  return term.time == TimeFunctional::p_norm || term.time == TimeFunctional::kreisselmeier_steinhauser ||
         term.quantity == Quantity::von_mises;
}

bool is_sum_of_norms(const std::vector<CriterionTerm>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const CriterionTerm& term) {
    return is_aggregate(term) && term.time != TimeFunctional::kreisselmeier_steinhauser && term.weight > 0.0;
  });
}

}  // namespace kurbel
