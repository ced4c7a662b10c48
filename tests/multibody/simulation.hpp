/// @file
/// Mechanisms in motion with a criterion, for tests of gradients.
#pragma once

#include <gtest/gtest.h>

#include "multibody/criteria.hpp"
#include "test_models.hpp"

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
    EXPECT_FALSE(status) << (status ? status->message() : "");
    if (status) return std::numeric_limits<double>::quiet_NaN();
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

/// The kitchen sink near an assembled position, moving from the start.
inline SystemSpec moving_mechanism() {
  SystemSpec spec = kitchen_sink();
  InitialState &one = spec.bodies[0].initial, &two = spec.bodies[1].initial, &rod = spec.bodies[2].initial;
  one.position << -0.15, -0.05, -0.04, one.rotation << 0.62, 0.13, -0.58;
  one.angular_velocity << 0.2, -0.1, 0.5;
  one.q = Eigen::Vector3d(0.01, -0.02, 0.015);
  two.position << -0.25, 0.45, 0.41, two.rotation << 0.69, -0.04, -0.34;
  two.q_dot = Eigen::Vector2d(0.1, -0.2);
  rod.position << -0.40, 0.17, -0.08, rod.rotation << -0.43, 0.44, -0.68;
  rod.velocity << 0.1, 0.3, 0.2;
  return spec;
}

}  // namespace kurbel::test
