/// @file
/// d psi / d design against differences of the whole chain design -> modes -> SID -> psi, for all that a body
/// may be varied in.
#include <gtest/gtest.h>

#include <cmath>

#include "placed_objective.hpp"
#include "quadratic_meshes.hpp"

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
  if (const Status failure = body.reduce(design, r); failure.failed())
    throw std::runtime_error(failure.message());
  return placed_objective(r.sid);
}

BodyDesign gradient_at(FlexibleBody& body, const BodyDesign& design) {
  ReducedBody r;
  if (const Status failure = body.reduce(design, r); failure.failed())
    throw std::runtime_error(failure.message());
  BodyDesign bar;
  PullbackReport report;
  const Status failure = body.pullback(design, r, placed_objective_bar(r.sid), bar, &report);
  EXPECT_FALSE(failure.failed()) << failure.message();
  EXPECT_LT(report.invariance_defect, 1e-11);
  return bar;
}

// Steps are relative to the variable; with these the truncation error is about 1e-8, as in pullback_test.cpp.
constexpr double step = 5e-3;

void expect_exact_array(FlexibleBody& body, const BodyDesign& design, const BodyDesign& bar,
                        VectorXd BodyDesign::*array, int stride) {
  const VectorXd relative = (bar.*array).cwiseProduct(design.*array);
  const double largest = relative.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index e = 0; e < relative.size(); e += stride) {
    const double expected = difference(
        [&](double h) {
          BodyDesign moved = design;
          (moved.*array)[e] *= 1.0 + h;
          return objective_at(body, moved);
        },
        step);
    EXPECT_NEAR(relative[e], expected, 1e-7 * largest) << "element " << e;
  }
}

/// At a size other than the specification's.
void expect_exact_size(FlexibleBody& body, BodyDesign design) {
  design.size = design.size.cwiseProduct(Vector3d(1.1, 0.9, 1.2));
  const BodyDesign bar = gradient_at(body, design);
  const int dim = body.mesh().dim();
  const Vector3d relative = bar.size.cwiseProduct(design.size);
  const double largest = relative.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (int d = 0; d < 3; ++d) {
    const double expected = d == 2 && dim == 2 ? 0.0
                                               : difference(
                                                     [&](double h) {
                                                       BodyDesign moved = design;
                                                       moved.size[d] *= 1.0 + h;
                                                       return objective_at(body, moved);
                                                     },
                                                     step);
    EXPECT_NEAR(relative[d], expected, 1e-7 * largest) << "direction " << d;
  }
}

void expect_exact_gradient(const FlexibleBodySpec& spec, int stride) {
  FlexibleBody body(with_forces_and_moments(spec));
  const BodyDesign design = scattered_design(body, 1), bar = gradient_at(body, design);
  expect_exact_array(body, design, bar, &BodyDesign::density, stride);
  expect_exact_array(body, design, bar, &BodyDesign::youngs_modulus, stride);
  expect_exact_array(body, design, bar, &BodyDesign::solid_density, stride);
  if (spec.mesh.dim == 2) expect_exact_array(body, design, bar, &BodyDesign::thickness, stride);
  expect_exact_size(body, design);
}

FlexibleBodySpec incompatible(FlexibleBodySpec spec) {
  spec.mesh.element = ElementType::incompatible;
  return spec;
}

TEST(DesignPullback, EqualsDifferencesOnCrankWithForcesAndMoment) {
  expect_exact_gradient(crank(12, 4, 4, false), 5);
}

TEST(DesignPullback, EqualsDifferencesOnSolidBarWithForcesAndMoments) {
  expect_exact_gradient(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 4, true), 5);
}

TEST(DesignPullback, EqualsDifferencesWithIncompatibleModes) {
  expect_exact_gradient(incompatible(crank(12, 4, 4, false)), 9);
  expect_exact_gradient(incompatible(bar({6, 2, 2}, {0.2, 0.05, 0.03}, 4, true)), 9);
}

TEST(DesignPullback, EqualsDifferencesOnMeshesOfAnyShape) {
  expect_exact_gradient(on_free_mesh(crank(8, 3, 3, false), Split::every_other), 9);
  expect_exact_gradient(on_free_mesh(incompatible(crank(8, 3, 3, false)), Split::none), 9);
  expect_exact_gradient(on_free_mesh(bar({4, 2, 2}, {0.2, 0.05, 0.03}, 3, true), Split::all), 25);
}

TEST(DesignPullback, EqualsDifferencesOnQuadraticElementsWithMarkersWeightedByArea) {
  FlexibleBodySpec plane_body = on_quadratic_mesh(crank(8, 3, 3, false), Split::every_other);
  plane_body.markers[0].weights = MarkerSpec::Weights::area;
  expect_exact_gradient(plane_body, 9);
  FlexibleBodySpec solid_body = on_quadratic_mesh(bar({3, 1, 1}, {0.2, 0.05, 0.03}, 3, true), Split::all);
  solid_body.markers[0].weights = MarkerSpec::Weights::area;
  expect_exact_gradient(solid_body, 7);
  expect_exact_gradient(on_quadratic_mesh(bar({3, 2, 1}, {0.2, 0.05, 0.03}, 3, true), Split::none), 3);
}

TEST(DesignPullback, EqualsDifferencesOnHexahedraWedgesPyramidsAndTetrahedra) {
  const Vector3d size(0.2, 0.05, 0.03);
  FlexibleBodySpec spec = bar({1, 1, 1}, size, 3, true);
  const Vector3d origin = spec.mesh.origin;
  spec.mesh = spec_of_given(mesh_of_all_linear_solids());
  spec.mesh.origin = origin, spec.mesh.size = size;  // stretched
  expect_exact_gradient(spec, 2);
}

TEST(DesignPullback, EqualsDifferencesWithNormalModesAlone) {
  for (const FlexibleBodySpec& spec : {crank(12, 4, 3, false), bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, false)}) {
    FlexibleBody body(spec);
    expect_exact_size(body, scattered_design(body, 3));
  }
}

TEST(DesignPullback, ByTheDensitiesAloneIsThatPartOfTheWhole) {
  FlexibleBody body(with_forces_and_moments(crank(12, 4, 4, false)));
  const VectorXd rho = random_densities(48, 0.3, 9);
  const ReducedBody r = reduced(body, rho);
  const Sid sid_bar = complex_step_bar(r.sid);
  VectorXd rho_bar;
  BodyDesign bar;
  ASSERT_FALSE(body.pullback(rho, r, sid_bar, rho_bar).failed());
  ASSERT_FALSE(body.pullback(body.nominal(rho), r, sid_bar, bar).failed());
  EXPECT_EQ(rho_bar, bar.density);
}

}  // namespace
}  // namespace kurbel::fem::test
