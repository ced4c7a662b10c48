/// @file
/// The invariant objective, and with it the undeformed places of the markers.
#pragma once

#include "invariant_objective.hpp"

namespace kurbel::fem::test {

inline Vector3d remote_point() {
  return {0.3, -0.2, 0.1};
}

/// invariant_objective + 5 sum_markers |R - c|^2
inline double placed_objective(const Sid& sid) {
  double psi = invariant_objective(SidOf<double>(sid));
  for (const SidNode& node : sid.frame) psi += 5.0 * (node.origin.M0 - remote_point()).squaredNorm();
  return psi;
}

inline Sid placed_objective_bar(const Sid& sid) {
  Sid bar = complex_step_bar(sid);
  for (std::size_t i = 0; i < sid.frame.size(); ++i) {
    bar.frame[i].origin.M0 = 10.0 * (sid.frame[i].origin.M0 - remote_point());
  }
  return bar;
}

/// d f / d h at 0 by central differences of fourth order.
template <class Function>
double difference(const Function& f, double h) {
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

/// Forces and moments that have a meaning in the dimension, of a body with one marker.
inline FlexibleBodySpec with_forces_and_moments(FlexibleBodySpec spec) {
  spec.attachments = {{spec.markers[0].name, {true, true, true}, {true, true, true}}};
  spec.damping_alpha = 20.0;
  spec.damping_beta = 1e-5;
  return spec;
}

}  // namespace kurbel::fem::test
