#include "fem/design_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fem/density_filter.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

Mesh mesh_of(int dim) {
  return Mesh(dim == 2 ? crank(12, 5, 1, false).mesh : bar({5, 4, 3}, {0.2, 0.1, 0.09}, 1, false).mesh);
}

constexpr double radius = 0.05;  // several elements in every direction of both meshes

class FilterOn : public testing::TestWithParam<int> {
 protected:
  const Mesh mesh = mesh_of(GetParam());
  const Eigen::Index n = mesh.n_elements();
  const VectorXd x = random_densities(n, 0.01, 1), y = random_matrix(n, 1, 2);
};

TEST_P(FilterOn, KeepsAUniformDensity) {
  const VectorXd ones = VectorXd::Ones(n);
  EXPECT_LT((DensityFilter(mesh, radius).value(ones) - ones).cwiseAbs().maxCoeff(), 1e-15);
}

TEST_P(FilterOn, EqualsTheSumOverAllPairs) {
  VectorXd expected(n);
  for (Eigen::Index e = 0; e < n; ++e) {
    double sum = 0.0, weights = 0.0;
    for (Eigen::Index f = 0; f < n; ++f) {
      const double w = std::max(0.0, radius - (mesh.centres().col(e) - mesh.centres().col(f)).norm());
      sum += w * x[f];
      weights += w;
    }
    expected[e] = sum / weights;
  }
  EXPECT_LT((DensityFilter(mesh, radius).value(x) - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST_P(FilterOn, PullbackIsTheTranspose) {
  const DensityFilter filter(mesh, radius);
  EXPECT_NEAR(filter.value(x).dot(y), x.dot(filter.pullback(x, y)), 1e-13);
}

TEST_P(FilterOn, IsTheIdentityBelowTheElementSize) {
  for (const double small : {0.0, 1e-12, 0.9 * mesh.element_size().head(GetParam()).minCoeff()}) {
    EXPECT_EQ(DensityFilter(mesh, small).value(x), x) << small;
  }
}

INSTANTIATE_TEST_SUITE_P(Dimension, FilterOn, testing::Values(2, 3));

TEST(DensityFilter, RefusesANegativeRadius) {
  EXPECT_THROW(DensityFilter(mesh_of(2), -0.1), InputError);
  EXPECT_THROW(DensityFilter(mesh_of(2), std::nan("")), InputError);
}

TEST(SensitivityFilter, KeepsAUniformGradientOfAUniformDesign) {
  const Mesh mesh = mesh_of(2);
  const VectorXd x = VectorXd::Constant(60, 0.4), g = VectorXd::Constant(60, -2.0);
  EXPECT_LT((SensitivityFilter(mesh, radius).smooth(x, g) - g).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(SensitivityFilter, WeighsNeighboursByTheirDensity) {
  const Mesh mesh = mesh_of(2);
  VectorXd x = VectorXd::Constant(60, 0.5), g = VectorXd::Zero(60);
  g[30] = 1.0;
  const MatrixXd H = filter_matrix(mesh, radius);
  x[30] = 1.0;
  EXPECT_NEAR(SensitivityFilter(mesh, radius).smooth(x, g)[31], H(31, 30) * 1.0 / 0.5, 1e-15);
}

TEST(HeavisideProjection, KeepsTheEndsAndIsMonotone) {
  for (const double beta : {0.0, 1.0, 8.0, 64.0}) {
    const HeavisideProjection projection(beta, 0.4, 0.01);
    const VectorXd out = projection.value(VectorXd::LinSpaced(50, 0.01, 1.0));
    EXPECT_NEAR(out[0], 0.01, 1e-14);
    EXPECT_NEAR(out[49], 1.0, 1e-14);
    EXPECT_GE((out.tail(49) - out.head(49)).minCoeff(), 0.0);
  }
}

TEST(HeavisideProjection, ApproachesAStepAtEta) {
  const HeavisideProjection projection(200.0, 0.4, 0.0);
  EXPECT_LT(projection.value(VectorXd::Constant(1, 0.35))[0], 1e-6);
  EXPECT_GT(projection.value(VectorXd::Constant(1, 0.45))[0], 1.0 - 1e-6);
}

TEST(HeavisideProjection, RefusesOptionsOutOfRange) {
  EXPECT_THROW(HeavisideProjection(-1.0, 0.5, 0.01), InputError);
  EXPECT_THROW(HeavisideProjection(1.0, 1.0, 0.01), InputError);
  EXPECT_THROW(HeavisideProjection(1.0, 0.5, 1.0), InputError);
}

std::vector<Region> regions() {
  Box left, middle, right;
  left.upper[0] = 0.03;
  middle.lower[0] = 0.08, middle.upper[0] = 0.12;
  right.lower[0] = 0.17;
  return {{"hub", Region::Kind::voided, left},
          {"window", Region::Kind::frozen, middle},
          {"pin", Region::Kind::solid, right}};
}

class Design : public testing::Test {
 protected:
  const Mesh mesh = mesh_of(2);
  const VectorXd start = random_densities(60, 0.2, 3);

  DensityDesign design(FilterSpec::Kind kind, double beta) const {
    return DensityDesign(mesh, regions(), 0.01, {kind, radius}, beta, 0.5, start);
  }
};

TEST_F(Design, ShowsTheOptimizerActiveElementsOnly) {
  const DensityDesign d = design(FilterSpec::Kind::density, 4.0);
  EXPECT_EQ(d.n_active(), 60 - 5 * 6);
  EXPECT_EQ(d.active_part(d.full_design(d.active_part(start))), d.active_part(start));
}

TEST_F(Design, FixesPassiveDensitiesAfterFilterAndProjection) {
  const DensityDesign d = design(FilterSpec::Kind::density, 4.0);
  const VectorXd rho = d.value(d.active_part(start));
  for (Eigen::Index e = 0; e < 60; ++e) {
    const double x = mesh.centres()(0, e);
    if (x < 0.03) {
      EXPECT_EQ(rho[e], 0.01);
    } else if (x > 0.17) {
      EXPECT_EQ(rho[e], 1.0);
    } else {
      EXPECT_EQ(rho[e] == start[e], x > 0.08 && x < 0.12);
    }
  }
}

TEST_F(Design, PullbackHasTaylorRemainderOfSecondOrder) {
  for (const double beta : {0.0, 4.0}) {
    DensityDesign d = design(FilterSpec::Kind::density, 1.0);
    d.set_beta(beta);
    const VectorXd x = d.active_part(start), direction = random_matrix(x.size(), 1, 4),
                   weights = random_matrix(60, 1, 5);
    const auto f = [&](const VectorXd& at) { return weights.dot(d.value(at).array().cube().matrix()); };
    const VectorXd rho = d.value(x);
    const double slope = d.pullback(x, 3.0 * weights.cwiseProduct(rho.cwiseAbs2())).dot(direction);
    const double coarse = f(x + 1e-3 * direction) - f(x) - 1e-3 * slope;
    const double fine = f(x + 5e-4 * direction) - f(x) - 5e-4 * slope;
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.05) << "beta " << beta;
  }
}

TEST_F(Design, GivesNoGradientFromPassiveElements) {
  const DensityDesign d = design(FilterSpec::Kind::density, 4.0);
  VectorXd bar = VectorXd::Ones(60);
  bar(d.elements().active()).setZero();
  EXPECT_EQ(d.pullback(d.active_part(start), bar).norm(), 0.0);
}

TEST_F(Design, SensitivityFilterChangesTheSearchGradientOnly) {
  const DensityDesign d = design(FilterSpec::Kind::sensitivity, 0.0);
  const VectorXd x = d.active_part(start), bar = random_matrix(60, 1, 6);
  EXPECT_EQ(d.value(x), d.full_design(x));
  EXPECT_EQ(d.pullback(x, bar), d.active_part(bar));
  VectorXd of_active = bar;
  for (Eigen::Index e = 0; e < 60; ++e) {
    const double c = mesh.centres()(0, e);
    if (c < 0.03 || c > 0.17 || (c > 0.08 && c < 0.12)) of_active[e] = 0.0;
  }
  const VectorXd expected = SensitivityFilter(mesh, radius).smooth(d.full_design(x), of_active);
  EXPECT_EQ(d.search_gradient(x, bar), d.active_part(expected));
}

TEST_F(Design, RefusesToDesignNothing) {
  const std::vector<Region> all = {{"all", Region::Kind::solid, {}}};
  EXPECT_THROW(DensityDesign(mesh, all, 0.01, {FilterSpec::Kind::none, 0.0}, 0.0, 0.5, start), InputError);
  EXPECT_THROW(DensityDesign(mesh, {}, 0.01, {FilterSpec::Kind::none, 0.0}, 0.0, 0.5, start.head(59)),
               InputError);
}

}  // namespace
}  // namespace kurbel::fem::test
