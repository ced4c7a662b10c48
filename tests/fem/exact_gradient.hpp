/// @file
/// The gradient by the densities against differences of the whole chain densities -> modes -> SID -> psi.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "invariant_objective.hpp"

namespace kurbel::fem::test {

inline double objective_at(FlexibleBody& body, const VectorXd& rho) {
  return invariant_objective(SidOf<double>(reduced(body, rho).sid));
}

/// Fourth-order central difference of f at 0. With steps of 5e-3 times the variable the truncation error is
/// below 1e-8 and rounding, 1e-13 of psi per evaluation, below 1e-8 of the largest entry of the gradient.
template <class Function>
double difference(const Function& f, double h) {
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

struct Gradient {
  VectorXd rho_bar;
  PullbackReport report;
};

inline Gradient gradient_at(FlexibleBody& body, const VectorXd& rho) {
  Gradient g;
  const ReducedBody r = reduced(body, rho);
  const Status failure = body.pullback(rho, r, complex_step_bar(r.sid), g.rho_bar, &g.report);
  EXPECT_FALSE(failure.failed()) << failure.message();
  return g;
}

inline void expect_exact_gradient(const FlexibleBodySpec& spec, const VectorXd& rho, int stride) {
  FlexibleBody body(spec);
  const Gradient g = gradient_at(body, rho);
  EXPECT_LT(g.report.invariance_defect, 1e-11);
  const double largest = g.rho_bar.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index e = 0; e < rho.size(); e += stride) {
    const auto along_element = [&](double h) {
      VectorXd moved = rho;
      moved[e] += h;
      return objective_at(body, moved);
    };
    const double expected = difference(along_element, 5e-3 * rho[e]);
    EXPECT_NEAR(g.rho_bar[e], expected, 1e-6 * std::abs(expected) + 1e-7 * largest)
        << "element " << e << ", density " << rho[e];
  }
  for (unsigned seed = 0; seed < 3; ++seed) {
    const VectorXd direction = rho.cwiseProduct(random_matrix(rho.size(), 1, 77 + seed).col(0));
    const auto along_direction = [&](double h) { return objective_at(body, rho + h * direction); };
    const double expected = difference(along_direction, 2e-3);
    EXPECT_NEAR(g.rho_bar.dot(direction), expected, 1e-7 * g.rho_bar.cwiseProduct(direction).norm());
  }
}

}  // namespace kurbel::fem::test
