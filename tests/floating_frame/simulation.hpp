/// @file
/// Mechanisms in motion with a criterion, for tests of gradients.
#pragma once

#include <gtest/gtest.h>

#include "floating_frame/criteria.hpp"
#include "test_models.hpp"
#include "time_integral.hpp"

namespace kurbel::test {

/// A mechanism, its integrator and the compliance of its bodies.
template <class S>
struct Simulation {
  Simulation(const SystemSpec& spec, const IntegratorOptions& options, const std::vector<std::string>& bodies)
      : system(spec), integrator(system, options), psi(integrator) {
    for (const std::string& body : bodies)
      psi.add(1.3, std::make_shared<ComplianceIntegrand<S>>(system, body));
  }
  /// psi; NaN after a failure.
  S value() {
    const Status status = simulate<S>(integrator, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    if (status.failed()) return std::numeric_limits<double>::quiet_NaN();
    return psi.value(trajectory);
  }
  MultibodySystem<S> system;
  GeneralizedAlpha<S> integrator;
  TimeIntegral<S> psi;
  Trajectory<S> trajectory;
};

inline IntegratorOptions span(double t1, double step, double rho_inf = 0.8) {
  IntegratorOptions options;
  options.t1 = t1;
  options.step = step;
  options.rho_inf = rho_inf;
  return options;
}

}  // namespace kurbel::test
