/// Craig and Bampton's basis: what it holds, what it answers, and what it shares with normal modes.
#include "fem/interface_modes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "fem/spec_check.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using ::testing::HasSubstr;

FlexibleBodySpec craig_bampton(FlexibleBodySpec spec) {
  spec.basis = BasisType::craig_bampton;
  return spec;
}

const CraigBamptonBasis& basis_of(const ReducedBody& r) {
  return dynamic_cast<const CraigBamptonBasis&>(*r.basis);
}

MatrixXd marker_rows(const ReducedBody& r, std::size_t marker) {
  MatrixXd P(6, r.sid.n_q());
  P << r.sid.frame[marker].phi.M0, r.sid.frame[marker].psi.M0;
  return P;
}

TEST(CraigBampton, IsOrthonormalAndStiffnessDiagonal) {
  FlexibleBody body(craig_bampton(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true)));
  const ReducedBody r = reduced(body, random_densities(36, 0.2, 1));
  ASSERT_EQ(r.sid.n_q(), 9);
  EXPECT_LT((r.sid.Me.M0 - MatrixXd::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-10);
  const CraigBamptonModes& modes = basis_of(r).modes();
  const MatrixXd Ke = modes.U.transpose() * modes.K_U;
  EXPECT_LT((Ke - r.sid.Ke.M0).cwiseAbs().maxCoeff(), 1e-10 * r.lambda.maxCoeff());
  const BasisCombination& combination = basis_of(r).combination();
  EXPECT_LT((combination.inverse * combination.Y - MatrixXd::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-9);
}

/// The flexibility at the marker, as attachment modes have it.
TEST(CraigBampton, MakesTheStaticAnswerAtTheInterfaceExact) {
  const FlexibleBodySpec spec = bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
  const VectorXd rho = random_densities(36, 0.2, 2);
  FlexibleBody body(craig_bampton(spec)), other(spec);
  std::vector<MatrixXd> flexibility;
  for (FlexibleBody* b : {&body, &other}) {
    const ReducedBody r = reduced(*b, rho);
    const MatrixXd P = marker_rows(r, 0);
    flexibility.push_back(P * r.lambda.cwiseInverse().asDiagonal() * P.transpose());
  }
  EXPECT_LT((flexibility[0] - flexibility[1]).norm(), 1e-10 * flexibility[1].norm());
}

TEST(CraigBampton, HoldsTheInterfacesInItsNormalModes) {
  FlexibleBodySpec spec = crank(12, 4, 3, true);
  FlexibleBody body(craig_bampton(spec));
  const ReducedBody r = reduced(body, random_densities(48, 0.2, 3));
  const MatrixXd of_fixed = marker_rows(r, 0) * basis_of(r).combination().inverse.leftCols(3);
  EXPECT_LT(of_fixed.topRows(2).cwiseAbs().maxCoeff(), 1e-10 * marker_rows(r, 0).cwiseAbs().maxCoeff());
}

/// nu = 0, and one element over the height, so that the mean of the nodes is that of the cross-section: of a
/// rod held at both ends, (E / rho) 6 / h^2 (1 - cos kh) / (2 + cos kh), k = pi / L.
TEST(CraigBampton, HasTheAxialModeOfARodHeldAtBothEnds) {
  FlexibleBodySpec spec = craig_bampton(crank(9, 1, 8, true));
  spec.material.poisson_ratio = 0.0;
  FlexibleBody body(spec);
  const VectorXd lambda = reduced(body, VectorXd::Ones(9)).basis->normal().lambda;
  const double h = 0.2 / 9, c = std::cos(std::numbers::pi / 9);
  const double expected = 2.1e11 / 7850.0 * 6.0 / (h * h) * (1.0 - c) / (2.0 + c);
  EXPECT_LT((lambda.array() - expected).abs().minCoeff(), 1e-10 * expected);
}

/// By Rayleigh and Ritz the frequencies lie above those of the mesh; with a few modes not far above.
TEST(CraigBampton, ApproachesTheLowestFrequenciesFromAbove) {
  FlexibleBody reference(crank(24, 6, 4, false)), body(craig_bampton(crank(24, 6, 6, true)));
  const VectorXd exact = reduced(reference, VectorXd::Ones(144)).basis->normal().lambda;
  const VectorXd lambda = reduced(body, VectorXd::Ones(144)).lambda;
  for (int i = 0; i < 4; ++i) {
    EXPECT_GT(lambda[i], exact[i] * (1.0 - 1e-10));
    EXPECT_LT(lambda[i], exact[i] * 1.01);
  }
}

TEST(CraigBampton, IsRefusedWithoutInterfacesAndInFreeFlight) {
  EXPECT_THAT(find_problem(craig_bampton(crank(6, 2, 3, false))).value().message,
              HasSubstr("needs interfaces"));
  EXPECT_THAT(find_problem(craig_bampton(free_body(crank(6, 2, 3, true)))).value().message,
              HasSubstr("Buckens"));
}

TEST(CraigBampton, FailsWhenInterfacesDependOnEachOther) {
  FlexibleBodySpec spec = craig_bampton(crank(12, 4, 2, false));
  spec.markers.push_back(marker("twin", plane(0, 0.2)));
  spec.attachments = {forces("pin"), forces("twin")};
  FlexibleBody body(spec);
  ReducedBody out;
  const Status failure = body.reduce(VectorXd::Ones(48), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), HasSubstr("depends linearly on the others"));
}

}  // namespace
}  // namespace kurbel::fem::test
