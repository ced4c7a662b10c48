/// @file
/// d psi / d density of the stiffening coefficients against differences of the reduction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "invariant_objective.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

/// The second-order coefficients on the answers q = Ke^-1 P^T a to loads of the markers: q^T Ct.M1 q, q^T
/// Cr.M1 q, q^T Oe.M1 q, each of size one at the design where `scales` was taken, with weights.
class StiffeningObjective {
 public:
  template <class S>
  static VectorX<S> terms(const SidOf<S>& sid) {
    const Eigen::Index n_q = sid.Ke.M0.rows();
    MatrixX<S> P(6 * sid.phi.size(), n_q);
    for (std::size_t i = 0; i < sid.phi.size(); ++i) P.middleRows(6 * i, 6) << sid.phi[i].M0, sid.psi[i].M0;
    const VectorX<S> load = P.transpose() * random_matrix(P.rows(), 1, 21).template cast<S>();
    const VectorX<S> q = sid.Ke.M0.partialPivLu().solve(load);
    VectorX<S> out = VectorX<S>::Zero(15);
    for (Eigen::Index l = 0; l < n_q; ++l) {
      out.template head<3>() += q[l] * (sid.Ct.M1[l].transpose() * q);
      out.template segment<3>(3) += q[l] * (sid.Cr.M1[l].transpose() * q);
      out.template segment<6>(6) += q[l] * (sid.Oe.M1[l].transpose() * q);
      for (const TaylorOf<S>& phi : sid.phi) out.template tail<3>() += q[l] * (phi.M1[l] * q);
    }
    return out;
  }

  explicit StiffeningObjective(const Sid& sid) : weights_(random_matrix(15, 1, 22)) {
    const VectorXd sizes = terms(SidOf<double>(sid));
    for (Eigen::Index i = 0; i < 15; ++i) weights_[i] *= sizes[i] == 0.0 ? 0.0 : 1.0 / std::abs(sizes[i]);
  }
  template <class S>
  S value(const SidOf<S>& sid) const {
    return (weights_.cast<S>().transpose() * terms(sid)).value();
  }

 private:
  VectorXd weights_;
};

void expect_exact_gradient(FlexibleBodySpec spec, const VectorXd& rho, Eigen::Index stride) {
  spec.geometric_stiffening = true;
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, rho);
  const StiffeningObjective objective(r.sid);
  const Sid bar = complex_step_bar(r.sid, [&](const SidOf<Complex>& sid) { return objective.value(sid); });
  VectorXd rho_bar;
  PullbackReport report;
  ASSERT_FALSE(body.pullback(rho, r, bar, rho_bar, &report).failed());
  EXPECT_LT(report.invariance_defect, 1e-10);
  const double largest = rho_bar.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.0);
  for (Eigen::Index e = 0; e < rho.size(); e += stride) {
    const auto at = [&](double h) {
      VectorXd moved = rho;
      moved[e] += h * rho[e];
      return objective.value(SidOf<double>(reduced(body, moved).sid));
    };
    constexpr double h = 5e-3;  // fourth-order differences: truncation below 1e-8, rounding below 1e-9
    const double expected = (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h * rho[e]);
    EXPECT_NEAR(rho_bar[e], expected, 1e-6 * std::abs(expected) + 1e-7 * largest) << "element " << e;
  }
}

TEST(GeometricStiffeningPullback, EqualsDifferencesOnCrank) {
  expect_exact_gradient(crank(12, 4, 3, true), random_densities(48, 0.15, 31), 3);
}

TEST(GeometricStiffeningPullback, EqualsDifferencesOnMeshesOfAnyShape) {
  const FlexibleBodySpec plane = on_free_mesh(crank(8, 3, 2, true), Split::every_other);
  expect_exact_gradient(plane, random_densities(36, 0.15, 33), 5);
  const FlexibleBodySpec solid = on_free_mesh(bar({3, 2, 1}, {0.2, 0.05, 0.03}, 2, true), Split::all);
  expect_exact_gradient(solid, random_densities(36, 0.15, 34), 7);
}

TEST(GeometricStiffeningPullback, EqualsDifferencesOnQuadraticElements) {
  const FlexibleBodySpec plane = on_quadratic_mesh(crank(6, 2, 2, true), Split::every_other);
  expect_exact_gradient(plane, random_densities(18, 0.15, 35), 5);
  const FlexibleBodySpec solid = on_quadratic_mesh(bar({2, 1, 1}, {0.2, 0.05, 0.03}, 2, true), Split::all);
  expect_exact_gradient(solid, random_densities(12, 0.15, 36), 5);
}

TEST(GeometricStiffeningPullback, EqualsDifferencesOnCrankOfIncompatibleElements) {
  FlexibleBodySpec spec = crank(10, 3, 2, true);
  spec.mesh.element = ElementType::incompatible;
  expect_exact_gradient(spec, random_densities(30, 0.15, 32), 3);
}

TEST(GeometricStiffeningPullback, EqualsDifferencesOnSolidBarWithMoments) {
  expect_exact_gradient(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true), random_densities(36, 0.15, 33), 5);
}

TEST(GeometricStiffeningPullback, IsTheOnlyWayToItsDerivatives) {
  FlexibleBodySpec spec = crank(12, 4, 3, true);
  spec.geometric_stiffening = true;
  FlexibleBody body(spec);
  const VectorXd rho = random_densities(48, 0.15, 31);
  SidDerivatives derivatives;
  const Status failure = body.derivatives(rho, reduced(body, rho), derivatives);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), testing::HasSubstr("of geometric stiffening"));
}

}  // namespace
}  // namespace kurbel::fem::test
