/// Which observables the analyses and formulations have.
#include "problem/criteria_reader.hpp"

namespace kurbel {

bool is_rate(Quantity quantity) {
  return quantity == Quantity::velocity || quantity == Quantity::acceleration ||
         quantity == Quantity::joint_rate || quantity == Quantity::attitude_rate;
}

namespace {

/// Whether an observable says something about a mechanism at rest, without stresses of meshes.
bool is_at_rest(const ObservableTraits& traits) {
  switch (traits.quantity) {
    case Quantity::frequency:
    case Quantity::damping_ratio:
    case Quantity::mass:
    case Quantity::centre_of_mass:
    case Quantity::position:
    case Quantity::relative_position:
    case Quantity::distance:
    case Quantity::displacement:
    case Quantity::rotation:
    case Quantity::joint_angle:
    case Quantity::spring_length:
    case Quantity::spring_force:
    case Quantity::reaction_force:
    case Quantity::reaction_moment:
    case Quantity::rod_force:
    case Quantity::drive_torque:
      return true;
    case Quantity::compliance:
    case Quantity::kinetic_energy:
    case Quantity::total_energy:
    case Quantity::velocity:
    case Quantity::acceleration:
    case Quantity::joint_rate:
    case Quantity::control_energy:
    case Quantity::von_mises:
    case Quantity::tyre_force:
    case Quantity::attitude:
    case Quantity::attitude_rate:
    case Quantity::stress:
    case Quantity::duration:
    case Quantity::buckling_load:
      break;
  }
  return false;
}

bool has_amplitude(const ObservableTraits& traits) {
  return is_at_rest(traits) || is_rate(traits.quantity) || traits.quantity == Quantity::attitude;
}

}  // namespace

ObservableReader floating_frame_observables() {
  return {"in a floating frame",
          [](const ObservableTraits& traits) { return !counts_modes(traits.quantity); },
          {}};
}

ObservableReader modes_observables(const Problem& problem) {
  if (!is_natural(problem.formulation))
    return {"in an analysis of modes", [](const ObservableTraits& traits) { return is_at_rest(traits); }, {}};
  return {"in an analysis of modes in natural coordinates",
          [](const ObservableTraits& traits) {
            return is_at_rest(traits) && traits.in_natural_coordinates != InNaturalCoordinates::none;
          },
          natural_observables(problem.system).axes};
}

ObservableReader response_observables(const Problem& problem) {
  if (!is_natural(problem.formulation))
    return {
        "in a frequency response", [](const ObservableTraits& traits) { return has_amplitude(traits); }, {}};
  return {"in a frequency response in natural coordinates",
          [](const ObservableTraits& traits) {
            return has_amplitude(traits) && traits.in_natural_coordinates != InNaturalCoordinates::none;
          },
          natural_observables(problem.system).axes};
}

ObservableReader static_observables() {
  return {"in a static analysis",
          [](const ObservableTraits& traits) {
            return traits.quantity == Quantity::compliance || traits.quantity == Quantity::displacement ||
                   traits.quantity == Quantity::rotation || traits.quantity == Quantity::mass ||
                   traits.quantity == Quantity::von_mises || traits.quantity == Quantity::buckling_load;
          },
          {}};
}

ObservableReader eigenfrequency_observables() {
  return {"in an analysis of eigenfrequencies",
          [](const ObservableTraits& traits) {
            return traits.quantity == Quantity::frequency || traits.quantity == Quantity::mass;
          },
          {}};
}

ObservableReader natural_observables(const SystemSpec& system) {
  const std::vector<int> all, plane = {0, 1};
  return {"in natural coordinates",
          [](const ObservableTraits& traits) {
            return traits.in_natural_coordinates != InNaturalCoordinates::none &&
                   !counts_modes(traits.quantity);
          },
          system.planar_beams.empty() ? all : plane};
}

}  // namespace kurbel
