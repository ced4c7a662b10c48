/// @file
/// The analysis of a problem, and the coordinates in which the equations of motion are stated and solved.
#pragma once

#include <array>
#include <stdexcept>

#include "integration/integrator_options.hpp"

namespace kurbel {

/// The end of the chain: a motion of the mechanism, or its vibration about a state of rest; or a question about its
/// flexible bodies alone, without time.
enum class Analysis {
  motion,
  modes,               ///< of the mechanism: (s^2 M + s D + K) x + G^T nu = 0, G x = 0
  frequency_response,  ///< the same with harmonic loads and drives at s = 2 pi i f
  statics,             ///< K u = f under loads at rest
  eigenfrequency       ///< K phi = lambda M phi
};

/// True for an analysis of small motions of the mechanism about a state of rest.
constexpr bool is_about_rest(Analysis analysis) {
  return analysis == Analysis::modes || analysis == Analysis::frequency_response;
}

/// True for an analysis of the mechanism, with its joints and rigid bodies.
constexpr bool is_of_mechanism(Analysis analysis) {
  return analysis == Analysis::motion || is_about_rest(analysis);
}

/// floating_frame and hamiltonian: of bodies; semi_recursive and joint_hamiltonian: of joints. The Hamiltonian ones
/// have momenta in place of velocities, and explicit steps. natural_coordinates: vectors of the inertial frame, of
/// rigid bodies, masses in points, and beams.
enum class Formulation {
  floating_frame,
  hamiltonian,
  semi_recursive,
  joint_hamiltonian,
  natural_coordinates
};

/// A formulation and its abilities: a row of the table from which readers and checks follow.
struct FormulationTraits {
  enum class Beams { none, spatial, all };
  Formulation formulation;
  const char* word;  ///< of input files, "floating-frame"
  bool has_joint_coordinates, has_momenta, is_natural;
  bool takes_flexible_bodies;
  Beams beams;
  IntegratorMethod usual_method;
};
inline constexpr std::array formulation_table = [] {
  using F = Formulation;
  using Beams = FormulationTraits::Beams;
  using Method = IntegratorMethod;
  // clang-format off
  return std::array<FormulationTraits, 5>{{
      //                                                    joints momenta natural flexible beams
      {F::floating_frame,      "floating-frame",      false, false,  false,  true,    Beams::spatial, Method::generalized_alpha},
      {F::semi_recursive,      "semi-recursive",      true,  false,  false,  false,   Beams::none,    Method::generalized_alpha},
      {F::joint_hamiltonian,   "joint-hamiltonian",   true,  true,   false,  false,   Beams::none,    Method::runge_kutta_4},
      {F::hamiltonian,         "hamiltonian",         false, true,   false,  false,   Beams::none,    Method::runge_kutta_4},
      {F::natural_coordinates, "natural-coordinates", false, false,  true,   false,   Beams::all,     Method::variational_midpoint},
  }};
  // clang-format on
}();

constexpr const FormulationTraits& traits_of(Formulation formulation) {
  for (const FormulationTraits& traits : formulation_table) {
    if (traits.formulation == formulation) return traits;
  }
  throw std::logic_error("a formulation has no row in formulation_table");
}
constexpr bool has_joint_coordinates(Formulation formulation) {
  return traits_of(formulation).has_joint_coordinates;
}
constexpr bool has_momenta(Formulation formulation) {
  return traits_of(formulation).has_momenta;
}
constexpr bool is_natural(Formulation formulation) {
  return traits_of(formulation).is_natural;
}

/// Words of input files: "floating-frame", "modes".
constexpr const char* word_of(Formulation formulation) {
  return traits_of(formulation).word;
}
const char* word_of(Analysis analysis);

}  // namespace kurbel
