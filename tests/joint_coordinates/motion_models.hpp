/// @file
/// Mechanisms in frames and options of their motions.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/integrator_options.hpp"

namespace kurbel::test {

/// Options of motions that are compared in many digits.
inline IntegratorOptions options(IntegratorMethod method, double t1, double step) {
  IntegratorOptions o;
  o.method = method, o.t1 = t1, o.step = step, o.rho_inf = 0.8, o.newton_tolerance = 1e-11;
  return o;
}

/// A mechanism in frames, with parameters p if there are some.
template <class S>
MultibodySystem<S> system_with(const SystemSpec& spec, const VectorX<S>* p) {
  MultibodySystem<S> system(spec);
  if (p) system.set_parameters(*p);
  return system;
}

}  // namespace kurbel::test
