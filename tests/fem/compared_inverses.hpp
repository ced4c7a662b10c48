/// @file
/// Results of a body with one inverse of its stiffness or another, to be compared.
#pragma once

#include <gtest/gtest.h>

#include "invariant_objective.hpp"

namespace kurbel::fem::test {

/// Eigenvalues and a gradient by the densities.
struct Result {
  VectorXd lambda, gradient;
  double next_frequency_hz, invariance_defect;
};

inline Result result_of(FlexibleBody& body, const VectorXd& rho) {
  const ReducedBody r = reduced(body, rho);
  const Sid bar = complex_step_bar(r.sid, [](const SidOf<Complex>& sid) { return invariant_objective(sid); });
  BodyDesign gradient;
  PullbackReport report;
  EXPECT_FALSE(body.pullback(body.nominal(rho), r, bar, gradient, &report).failed());
  return {r.lambda, gradient.density, r.next_frequency_hz, report.invariance_defect};
}

inline Result result_of(const FlexibleBodySpec& spec, const MakeInverse& make, const VectorXd& rho) {
  FlexibleBody body(spec, make);
  return result_of(body, rho);
}

/// Solid and void in a lattice whose members are three elements wide.
inline VectorXd lattice(const MeshSpec& mesh) {
  const auto& [n_x, n_y, n_z] = mesh.divisions;
  VectorXd rho(static_cast<Eigen::Index>(n_x) * n_y * (mesh.dim == 3 ? n_z : 1));
  for (Eigen::Index e = 0; e < rho.size(); ++e) {
    const Eigen::Index i = e % n_x, j = e / n_x % n_y;
    rho[e] = i % 8 < 3 || j % 8 < 3 || j + 3 >= n_y ? 1.0 : 0.01;
  }
  return rho;
}

}  // namespace kurbel::fem::test
