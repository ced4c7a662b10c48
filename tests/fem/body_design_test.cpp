/// @file
/// Designs of a body by material and thickness of every element, and by the size of the mesh.
#include "fem/body_design.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/errors.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

/// Every entry its own, in the neighbourhood of the specification's.
BodyDesign scattered_design(const FlexibleBodySpec& spec, Eigen::Index n_elements) {
  BodyDesign design = nominal_design(spec, random_densities(n_elements, 0.02, 1));
  design.youngs_modulus = spec.material.youngs_modulus * random_densities(n_elements, 0.5, 2);
  design.solid_density = spec.material.density * random_densities(n_elements, 0.5, 3);
  if (spec.mesh.dim == 2) design.thickness = spec.mesh.thickness * random_densities(n_elements, 0.5, 4);
  return design;
}

void expect_equal_models(const ReducedBody& a, const ReducedBody& b) {
  // Rounding of the eigensolver, and of the products that make up the coefficients.
  EXPECT_LT((a.lambda - b.lambda).norm(), 1e-9 * b.lambda.norm());
  EXPECT_LT((a.G - b.G).norm(), 1e-9 * b.G.norm());
}

TEST(BodyDesign, OfAnotherMaterialIsTheBodyOfThatMaterial) {
  FlexibleBodySpec other = crank(12, 4, 3, true);
  other.material.youngs_modulus *= 0.3;
  other.material.density *= 2.0;
  FlexibleBody body(crank(12, 4, 3, true)), expected(other);
  const VectorXd rho = random_densities(48, 0.05, 1);
  BodyDesign design = body.nominal(rho);
  design.youngs_modulus *= 0.3;
  design.solid_density *= 2.0;
  ReducedBody r;
  ASSERT_FALSE(body.reduce(design, r).failed());
  expect_equal_models(r, reduced(expected, rho));
  EXPECT_NEAR(body.mass(design), expected.mass(rho), 1e-15);
}

TEST(BodyDesign, OfAnotherThicknessIsTheBodyOfThatThickness) {
  FlexibleBodySpec other = crank(12, 4, 3, true);
  other.mesh.thickness *= 1.7;
  FlexibleBody body(crank(12, 4, 3, true)), expected(other);
  const VectorXd rho = random_densities(48, 0.05, 1);
  BodyDesign design = body.nominal(rho);
  design.thickness *= 1.7;
  ReducedBody r;
  ASSERT_FALSE(body.reduce(design, r).failed());
  expect_equal_models(r, reduced(expected, rho));
  EXPECT_NEAR(body.mass(design), expected.mass(rho), 1e-15);
}

TEST(BodyDesign, FrequenciesGoWithTheRootOfE0OverRho0WhateverTheThickness) {
  FlexibleBody body(crank(12, 4, 3, false));
  const VectorXd solid = VectorXd::Ones(48), nominal = reduced(body, solid).frequencies_hz;
  BodyDesign design = body.nominal(solid);
  design.youngs_modulus *= 3.0;
  design.solid_density *= 0.7;
  design.thickness *= 4.0;
  ReducedBody r;
  ASSERT_FALSE(body.reduce(design, r).failed());
  // Rounding of the eigenvalues, which the factor of K carries into them.
  EXPECT_LT((r.frequencies_hz - std::sqrt(3.0 / 0.7) * nominal).norm(), 1e-10 * nominal.norm());
}

TEST(BodyDesign, OfOneChangedEntryIsFactoredAnew) {
  FlexibleBody body(crank(12, 4, 2, false));
  const BodyDesign nominal = body.nominal(VectorXd::Ones(48));
  ReducedBody first, r;
  ASSERT_FALSE(body.reduce(nominal, first).failed());
  for (VectorXd BodyDesign::*array : {&BodyDesign::density, &BodyDesign::youngs_modulus,
                                      &BodyDesign::solid_density, &BodyDesign::thickness}) {
    BodyDesign moved = nominal;
    (moved.*array)[0] *= 0.5;
    ASSERT_FALSE(body.reduce(moved, r).failed());
    EXPECT_GT((r.lambda - first.lambda).norm(), 1e-4 * first.lambda.norm());
    ASSERT_FALSE(body.reduce(nominal, r).failed());
    EXPECT_EQ(r.lambda, first.lambda);
  }
}

TEST(BodyDesign, OfAnotherSizeIsTheBodyOfThatSize) {
  for (const int dim : {2, 3}) {
    const FlexibleBodySpec spec =
        dim == 2 ? crank(12, 4, 3, true) : bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
    FlexibleBodySpec other = spec;
    other.mesh.size = {0.25, 0.9 * spec.mesh.size[1], 1.2 * spec.mesh.size[2]};
    other.markers[0].nodes = plane(0, 0.25);
    FlexibleBody body(spec), expected(other);
    const VectorXd rho = random_densities(body.n_elements(), 0.05, 1);
    BodyDesign design = body.nominal(rho);
    design.size = other.mesh.size;
    ReducedBody r;
    ASSERT_FALSE(body.reduce(design, r).failed());
    const ReducedBody of_spec = reduced(expected, rho);
    expect_equal_models(r, of_spec);
    EXPECT_LT((r.markers[0].R - of_spec.markers[0].R).norm(), 1e-15);
    EXPECT_LT((r.markers[0].Psi - of_spec.markers[0].Psi).norm(), 1e-9 * of_spec.markers[0].Psi.norm());
    EXPECT_LT((body.positions(design.size) - expected.mesh().positions()).norm(), 1e-15);
    EXPECT_NEAR(body.mass(design), expected.mass(rho), 1e-14 * expected.mass(rho));
    const VectorXd again = reduced(body, rho).lambda;
    FlexibleBody fresh(spec);
    EXPECT_EQ(again, reduced(fresh, rho).lambda) << "the size is back to nominal";
  }
}

TEST(BodyDesign, FrequenciesGoWithTheInverseOfAllLengths) {
  for (const FlexibleBodySpec& spec : {crank(12, 4, 3, false), bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, false)}) {
    FlexibleBody body(spec);
    const VectorXd rho = random_densities(body.n_elements(), 0.05, 1);
    const VectorXd nominal = reduced(body, rho).frequencies_hz;
    BodyDesign design = body.nominal(rho);
    design.size *= 1.7;  // the thickness of a plane body has no influence
    ReducedBody r;
    ASSERT_FALSE(body.reduce(design, r).failed());
    EXPECT_LT((1.7 * r.frequencies_hz - nominal).norm(), 1e-10 * nominal.norm());
  }
}

/// Derivatives of f by every entry, of second order; relative steps h, so the error is (h p)^2 with p at most
/// 6, the exponent of SIMP's mass.
template <class Function>
void expect_derivatives(BodyDesign design, const BodyDesign& bar, int dim, const Function& f) {
  const double h = 1e-5;
  double largest = 0.0;
  const auto compare = [&](double& entry, double entry_bar, const char* name) {
    const double value = entry;
    entry = value * (1.0 + h);
    const double above = f(design);
    entry = value * (1.0 - h);
    const double difference = (above - f(design)) / (2.0 * h);
    entry = value;
    EXPECT_NEAR(entry_bar * value, difference, 1e-8 * std::abs(difference) + 1e-10 * std::abs(above)) << name;
    largest = std::max(largest, std::abs(difference));
  };
  for (Eigen::Index e = 0; e < design.density.size(); ++e) {
    compare(design.density[e], bar.density[e], "density");
    compare(design.youngs_modulus[e], bar.youngs_modulus[e], "E0");
    compare(design.solid_density[e], bar.solid_density[e], "rho0");
    if (dim == 2) compare(design.thickness[e], bar.thickness[e], "thickness");
  }
  for (int d = 0; d < dim; ++d) compare(design.size[d], bar.size[d], "size");
  EXPECT_GT(largest, 0.0);
}

class BodyDesignDerivatives : public testing::TestWithParam<int> {
 protected:
  const int dim = GetParam();
  const FlexibleBodySpec spec =
      dim == 2 ? crank(3, 2, 1, false) : bar({3, 2, 1}, {0.2, 0.05, 0.03}, 1, false);
  const BodyDesign design = scattered_design(spec, 6);
  BodyDesign bar_;
};

TEST_P(BodyDesignDerivatives, OfTheMassEqualDifferences) {
  differentiate_mass(spec, design, bar_);
  expect_derivatives(design, bar_, dim, [&](const BodyDesign& x) { return design_mass(spec, x); });
}

TEST_P(BodyDesignDerivatives, OfTheVolumesEqualDifferences) {
  const VectorXd weights = random_matrix(6, 1, 5);
  pull_back_element_volumes(spec, design, weights, bar_);
  expect_derivatives(design, bar_, dim,
                     [&](const BodyDesign& x) { return weights.dot(element_volumes(spec, x)); });
}

TEST_P(BodyDesignDerivatives, OfTheElementFactorsEqualDifferences) {
  const VectorXd k = 1e-11 * random_matrix(6, 1, 6), m = 1e-4 * random_matrix(6, 1, 7);
  pull_back_element_factors(spec, design, {k, m}, bar_);
  expect_derivatives(design, bar_, dim, [&](const BodyDesign& x) {
    const ElementFactors factors = element_factors(spec, x);
    return k.dot(factors.stiffness) + m.dot(factors.mass);
  });
}

INSTANTIATE_TEST_SUITE_P(InTheDimension, BodyDesignDerivatives, testing::Values(2, 3));

TEST(BodyDesign, MassIsTheSumOverTheElements) {
  const FlexibleBodySpec spec = crank(2, 1, 1, false);
  BodyDesign design = nominal_design(spec, VectorXd::Ones(2));
  design.size = {0.3, 0.1, 0.0};
  design.solid_density << 1000.0, 2000.0;
  design.thickness << 0.01, 0.03;
  design.density << 1.0, 0.5;
  EXPECT_NEAR(design_mass(spec, design), 0.15 * 0.1 * (0.01 * 1000.0 + 0.03 * 2000.0 * 0.5), 1e-15);
  EXPECT_NEAR(element_volumes(spec, design)[1], 0.15 * 0.1 * 0.03, 1e-18);
}

TEST(BodyDesign, ThatIsNoneIsRefusedByName) {
  FlexibleBody body(crank(12, 4, 2, false));
  const BodyDesign nominal = body.nominal(VectorXd::Ones(48));
  const auto expect_refused = [&](const BodyDesign& design, const std::string& message) {
    ReducedBody out;
    try {
      ADD_FAILURE() << "accepted (" << body.reduce(design, out).message() << "); expected: " << message;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "body crank: " + message);
    }
  };
  const std::vector<std::tuple<VectorXd BodyDesign::*, std::string, std::string>> arrays = {
      {&BodyDesign::density, "densities", "a density"},
      {&BodyDesign::youngs_modulus, "values of E0", "a value of E0"},
      {&BodyDesign::solid_density, "values of rho0", "a value of rho0"},
      {&BodyDesign::thickness, "thicknesses", "a thickness"}};
  for (const auto& [array, many, one] : arrays) {
    BodyDesign design = nominal;
    (design.*array).conservativeResize(47);
    expect_refused(design, "47 " + many + " for 48 elements");
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      design = nominal;
      (design.*array)[7] = bad;
      expect_refused(design, one + " is not a positive number");
    }
  }
  BodyDesign design = nominal;
  design.size[1] = -0.1;
  expect_refused(design, "the edge length -0.1 of the mesh is not a positive number");
}

}  // namespace
}  // namespace kurbel::fem::test
