/// @file
/// The analysis of a problem, and the coordinates in which the equations of motion are stated and solved.
#pragma once

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

constexpr bool has_joint_coordinates(Formulation formulation) {
  return formulation == Formulation::semi_recursive || formulation == Formulation::joint_hamiltonian;
}

constexpr bool has_momenta(Formulation formulation) {
  return formulation == Formulation::hamiltonian || formulation == Formulation::joint_hamiltonian;
}

constexpr bool is_natural(Formulation formulation) {
  return formulation == Formulation::natural_coordinates;
}

/// Words of input files: "floating-frame", "modes".
const char* word_of(Formulation formulation);
const char* word_of(Analysis analysis);

}  // namespace kurbel
