/// @file
/// d psi / d design against differences of the whole chain design -> modes -> SID -> psi, for all that a body
/// may be varied in.
#include <gtest/gtest.h>

#include <cmath>

#include "invariant_objective.hpp"

namespace kurbel::fem::test {
namespace {

BodyDesign scattered_design(const FlexibleBody& body, unsigned seed) {
  const Eigen::Index n = body.n_elements();
  BodyDesign design = body.nominal(random_densities(n, 0.3, seed));
  design.youngs_modulus.array() *= random_densities(n, 0.5, seed + 1).array();
  design.solid_density.array() *= random_densities(n, 0.5, seed + 2).array();
  if (design.thickness.size() > 0) design.thickness.array() *= random_densities(n, 0.5, seed + 3).array();
  return design;
}

double objective_at(FlexibleBody& body, const BodyDesign& design) {
  ReducedBody r;
  if (const Status failure = body.reduce(design, r)) throw std::runtime_error(failure->message());
  return invariant_objective(SidOf<double>(r.sid));
}

BodyDesign gradient_at(FlexibleBody& body, const BodyDesign& design) {
  ReducedBody r;
  if (const Status failure = body.reduce(design, r)) throw std::runtime_error(failure->message());
  BodyDesign bar;
  PullbackReport report;
  const Status failure = body.pullback(design, r, complex_step_bar(r.sid), bar, &report);
  EXPECT_FALSE(failure.has_value()) << failure->message();
  EXPECT_LT(report.invariance_defect, 1e-11);
  return bar;
}

/// d f / d h at 0 by central differences of fourth order; the steps are relative to the variable. With 5e-3
/// the truncation error is about 1e-8, as in pullback_test.cpp.
template <class Function>
double difference(const Function& f) {
  const double h = 5e-3;
  return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
}

void expect_exact_array(FlexibleBody& body, const BodyDesign& design, const BodyDesign& bar,
                        VectorXd BodyDesign::*array, int stride) {
  const VectorXd relative = (bar.*array).cwiseProduct(design.*array);
  const double largest = relative.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index e = 0; e < relative.size(); e += stride) {
    const double expected = difference([&](double h) {
      BodyDesign moved = design;
      (moved.*array)[e] *= 1.0 + h;
      return objective_at(body, moved);
    });
    EXPECT_NEAR(relative[e], expected, 1e-7 * largest) << "element " << e;
  }
}

void expect_exact_gradient(FlexibleBodySpec spec, int stride) {
  spec.damping_alpha = 20.0;
  spec.damping_beta = 1e-5;
  FlexibleBody body(spec);
  const BodyDesign design = scattered_design(body, 1), bar = gradient_at(body, design);
  expect_exact_array(body, design, bar, &BodyDesign::density, stride);
  expect_exact_array(body, design, bar, &BodyDesign::youngs_modulus, stride);
  expect_exact_array(body, design, bar, &BodyDesign::solid_density, stride);
  if (spec.mesh.dim == 2) expect_exact_array(body, design, bar, &BodyDesign::thickness, stride);
}

FlexibleBodySpec crank_with_moment() {
  FlexibleBodySpec spec = crank(12, 4, 4, false);
  spec.attachments = {{"pin", {true, true, false}, {false, false, true}}};
  return spec;
}

TEST(DesignPullback, EqualsDifferencesOnCrankWithForcesAndMoment) {
  expect_exact_gradient(crank_with_moment(), 5);
}

TEST(DesignPullback, EqualsDifferencesOnSolidBarWithForcesAndMoments) {
  expect_exact_gradient(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 4, true), 5);
}

TEST(DesignPullback, ByTheDensitiesAloneIsThatPartOfTheWhole) {
  FlexibleBody body(crank_with_moment());
  const VectorXd rho = random_densities(48, 0.3, 9);
  const ReducedBody r = reduced(body, rho);
  const Sid sid_bar = complex_step_bar(r.sid);
  VectorXd rho_bar;
  BodyDesign bar;
  ASSERT_FALSE(body.pullback(rho, r, sid_bar, rho_bar).has_value());
  ASSERT_FALSE(body.pullback(body.nominal(rho), r, sid_bar, bar).has_value());
  EXPECT_EQ(rho_bar, bar.density);
}

}  // namespace
}  // namespace kurbel::fem::test
