/// @file
/// Mechanisms in natural coordinates as the checks of derivatives take them.
#pragma once

#include "natural_coordinates/natural_system.hpp"
#include "tests/integration/dae_derivatives.hpp"

namespace kurbel::test {

inline MakeComplexModel complex_model(const SystemSpec& spec) {
  return [spec](const VectorX<Complex>& p) {
    auto system = std::make_shared<NaturalSystem<Complex>>(spec);
    system->set_parameters(p);
    return ComplexModel{system, system.get()};
  };
}

/// Off its constraints, which derivatives know nothing of, but near the start as it is given: beams far from it would be
/// strained without measure.
inline DaePoint<double> point_near_start(const NaturalSystem<double>& system, double distance) {
  DaePoint<double> at;
  at.x.resize(system.n_x()), at.v.resize(system.n_v());
  system.given_initial_state(at.x, at.v);
  Random random(1);
  at.x += distance * random.vector(system.n_x());
  at.v += 0.3 * random.vector(system.n_v());
  at.v_dot = random.vector(system.n_v());
  at.lambda = random.vector(system.n_c());
  at.t = 0.7;
  return at;
}

}  // namespace kurbel::test
