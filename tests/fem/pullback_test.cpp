/// @file
/// d psi / d rho against differences of the whole chain densities -> modes -> SID -> psi.
#include <gtest/gtest.h>

#include <cmath>

#include "exact_gradient.hpp"

namespace kurbel::fem::test {
namespace {

FlexibleBodySpec damped(FlexibleBodySpec spec) {
  spec.damping_alpha = 20.0;
  spec.damping_beta = 1e-5;
  return spec;
}

TEST(Pullback, EqualsDifferencesOnCrankOfRandomDensities) {
  const FlexibleBodySpec spec = damped(crank(16, 5, 4, true));
  expect_exact_gradient(spec, random_densities(80, 0.02, 1), 3);
}

TEST(Pullback, EqualsDifferencesOnCrankWithNormalModesAlone) {
  expect_exact_gradient(crank(16, 5, 3, false), random_densities(80, 0.2, 2), 5);
}

TEST(Pullback, EqualsDifferencesOnCrankWithAttachmentModesAlone) {
  expect_exact_gradient(crank(16, 5, 0, true), random_densities(80, 0.2, 3), 5);
}

TEST(Pullback, EqualsDifferencesOnBodyOfFewUnknowns) {
  expect_exact_gradient(crank(5, 3, 4, true), random_densities(15, 0.02, 4), 1);
}

TEST(Pullback, EqualsDifferencesOnSolidBarWithMoments) {
  const FlexibleBodySpec spec = damped(bar({8, 3, 2}, {0.2, 0.05, 0.03}, 4, true));
  expect_exact_gradient(spec, random_densities(48, 0.02, 5), 5);
}

TEST(Pullback, EqualsDifferencesWhereKeptModesComeInEqualPairs) {
  const FlexibleBodySpec spec = bar({8, 2, 2}, {0.2, 0.03, 0.03}, 5, true);
  FlexibleBody body(spec);
  const VectorXd rho = VectorXd::Constant(32, 0.6);
  const VectorXd f = reduced(body, rho).frequencies_hz;
  ASSERT_NEAR(f[0], f[1], 1e-9 * f[0]);
  ASSERT_NEAR(f[3], f[4], 1e-9 * f[3]);
  expect_exact_gradient(spec, rho, 3);
}

FlexibleBodySpec with_list(FlexibleBodySpec spec, const std::vector<int>& list) {
  spec.mode_list = list;
  spec.n_normal_modes = static_cast<int>(list.size());
  return spec;
}

TEST(Pullback, EqualsDifferencesWithAListOfModes) {
  expect_exact_gradient(with_list(damped(crank(16, 5, 0, true)), {1, 2, 4}), random_densities(80, 0.1, 11),
                        5);
  expect_exact_gradient(with_list(crank(16, 5, 0, false), {2, 5}), random_densities(80, 0.2, 12), 7);
  expect_exact_gradient(with_list(crank(5, 3, 0, true), {3}), random_densities(15, 0.1, 13), 2);
}

/// The pair 1, 2 and the pair 4, 5 are kept, torsion is left out.
TEST(Pullback, EqualsDifferencesWithAListOfModesInEqualPairs) {
  const FlexibleBodySpec spec = with_list(bar({8, 2, 2}, {0.2, 0.03, 0.03}, 0, true), {1, 2, 4, 5});
  expect_exact_gradient(spec, VectorXd::Constant(32, 0.6), 3);
}

FlexibleBodySpec with_ratios(FlexibleBodySpec spec, const std::vector<double>& ratios) {
  spec.damping_modal = ratios;
  return spec;
}

TEST(Pullback, EqualsDifferencesWithModalDamping) {
  const VectorXd rho = random_densities(80, 0.1, 14);
  expect_exact_gradient(with_ratios(damped(crank(16, 5, 3, true)), {0.2}), rho, 5);
  expect_exact_gradient(with_ratios(crank(16, 5, 3, true), {0.1, 0.2, 0.0, 0.3, 0.3}), rho, 5);
}

TEST(Pullback, EqualsDifferencesWithModalDampingOfEqualPairs) {
  const FlexibleBodySpec spec = with_ratios(bar({8, 2, 2}, {0.2, 0.03, 0.03}, 5, true), {0.2});
  expect_exact_gradient(spec, VectorXd::Constant(32, 0.6), 3);
}

TEST(Pullback, EqualsDifferencesInTheChordFrame) {
  expect_exact_gradient(damped(on_chord(crank(16, 5, 3, true), "pin")), random_densities(80, 0.1, 15), 5);
  FlexibleBodySpec spatial = on_chord(bar({8, 3, 2}, {0.2, 0.05, 0.03}, 3, true), "tip");
  spatial.attachments.push_back({"root", {}, {true, true, true}});
  expect_exact_gradient(spatial, random_densities(48, 0.1, 16), 5);
}

TEST(Pullback, EqualsDifferencesInBuckensFrame) {
  FlexibleBodySpec plane_body = free_body(damped(crank(16, 5, 3, true)));
  expect_exact_gradient(plane_body, random_densities(80, 0.1, 17), 5);
  plane_body.n_normal_modes = 0;
  expect_exact_gradient(plane_body, random_densities(80, 0.1, 18), 5);
  plane_body = with_list(free_body(crank(16, 5, 0, true)), {1, 3});
  expect_exact_gradient(plane_body, random_densities(80, 0.1, 19), 5);
  expect_exact_gradient(free_body(damped(bar({8, 3, 2}, {0.2, 0.05, 0.03}, 4, true))),
                        random_densities(48, 0.1, 20), 5);
}

TEST(Pullback, EqualsDifferencesInBuckensFrameWhereKeptModesComeInEqualPairs) {
  const FlexibleBodySpec spec = free_body(bar({8, 2, 2}, {0.2, 0.03, 0.03}, 5, true));
  FlexibleBody body(spec);
  const VectorXd rho = VectorXd::Constant(32, 0.6), f = reduced(body, rho).frequencies_hz;
  ASSERT_NEAR(f[0], f[1], 1e-9 * f[0]);
  expect_exact_gradient(spec, rho, 3);
}

FlexibleBodySpec craig_bampton(FlexibleBodySpec spec) {
  spec.basis = BasisType::craig_bampton;
  return spec;
}

TEST(Pullback, EqualsDifferencesInACraigBamptonBasis) {
  const VectorXd rho = random_densities(80, 0.1, 21);
  expect_exact_gradient(craig_bampton(damped(crank(16, 5, 3, true))), rho, 5);
  expect_exact_gradient(craig_bampton(with_list(crank(16, 5, 0, true), {1, 3})), rho, 7);
  expect_exact_gradient(craig_bampton(with_ratios(on_chord(crank(16, 5, 3, true), "pin"), {0.1})), rho, 7);
  expect_exact_gradient(craig_bampton(bar({8, 3, 2}, {0.2, 0.05, 0.03}, 3, true)),
                        random_densities(48, 0.1, 22), 5);
}

TEST(Pullback, EqualsDifferencesInACraigBamptonBasisWithEqualPairs) {
  const FlexibleBodySpec spec = craig_bampton(bar({8, 2, 2}, {0.2, 0.03, 0.03}, 2, true));
  FlexibleBody body(spec);
  const VectorXd rho = VectorXd::Constant(32, 0.6), f = reduced(body, rho).frequencies_hz;
  ASSERT_NEAR(f[0], f[1], 1e-9 * f[0]);
  expect_exact_gradient(spec, rho, 3);
}

TEST(Pullback, HasTaylorRemainderOfSecondOrder) {
  FlexibleBody body(crank(16, 5, 4, true));
  const VectorXd rho = random_densities(80, 0.2, 6);
  const VectorXd direction = rho.cwiseProduct(random_matrix(80, 1, 7).col(0));
  const double slope = gradient_at(body, rho).rho_bar.dot(direction), psi = objective_at(body, rho);
  double previous = 0.0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    const double remainder = std::abs(objective_at(body, rho + h * direction) - psi - h * slope);
    if (previous > 0.0) {
      EXPECT_NEAR(std::log2(previous / remainder), 2.0, 0.1);
    }
    previous = remainder;
  }
}

TEST(Pullback, ReportsAnObjectiveThatDependsOnTheCoordinates) {
  FlexibleBody body(crank(16, 5, 4, true));
  const VectorXd rho = random_densities(80, 0.2, 8);
  const ReducedBody r = reduced(body, rho);
  Sid bar = complex_step_bar(r.sid);
  bar.Ke.M0(0, 0) += 1.0;
  VectorXd rho_bar;
  PullbackReport report;
  ASSERT_FALSE(body.pullback(rho, r, bar, rho_bar, &report).failed());
  EXPECT_GT(report.invariance_defect, 1e-3);
}

TEST(Pullback, DoesNotDependOnWhatTheBodyReducedInBetween) {
  FlexibleBody body(crank(16, 5, 4, true));
  const VectorXd rho = random_densities(80, 0.2, 9), other = random_densities(80, 0.2, 10);
  const ReducedBody r = reduced(body, rho);
  const Sid bar = complex_step_bar(r.sid);
  VectorXd first, second;
  ASSERT_FALSE(body.pullback(rho, r, bar, first).failed());
  reduced(body, other);
  ASSERT_FALSE(body.pullback(rho, r, bar, second).failed());
  EXPECT_EQ(first, second);
}

/// Answers at markers and to inertia loads, excited as slowly as a part swings that hangs on a void.
template <class S>
S slow_objective(const SidOf<S>& sid) {
  constexpr double rate = 3.0;  // 1/s
  const Eigen::Index n_q = sid.Ke.M0.rows(), n_markers = static_cast<Eigen::Index>(sid.phi.size());
  MatrixX<S> F(n_q, 6 * n_markers + 6);
  for (Eigen::Index i = 0; i < n_markers; ++i) {
    const auto m = static_cast<std::size_t>(i);
    F.middleCols(6 * i, 6) << sid.phi[m].M0.transpose(), sid.psi[m].M0.transpose();
  }
  F.rightCols(6) << sid.Ct.M0, sid.Cr.M0;
  const MatrixX<S> D = sid.Ke.M0 + rate * rate * sid.Me.M0;
  const MatrixX<S> answers = F.transpose() * D.partialPivLu().solve(F);
  const MatrixXd weights = random_matrix(F.cols(), F.cols(), 21);
  return (weights.template cast<S>().cwiseProduct(answers)).sum();
}

/// Ones, but a cross-section of the lowest density that SIMP has by default: 1e-6 of the stiffness.
VectorXd cut_through(const FlexibleBodySpec& spec, int column) {
  const int n_x = spec.mesh.divisions[0];
  const Eigen::Index n =
      Eigen::Index{n_x} * spec.mesh.divisions[1] * (spec.mesh.dim == 3 ? spec.mesh.divisions[2] : 1);
  return VectorXd::NullaryExpr(
      n, [&](Eigen::Index e) { return e % n_x == column ? 0.01 : 0.7 + 0.002 * double(e); });
}

/// Only the solid elements are varied, as where the void is a region. What the differences can tell is
/// measured: psi scatters by the rounding errors of a soft body.
void expect_exact_gradient_beside_void(const FlexibleBodySpec& spec, int column) {
  FlexibleBody body(spec);
  const VectorXd rho = cut_through(spec, column);
  const VectorXd is_solid = (rho.array() > 0.1).cast<double>();
  const ReducedBody r = reduced(body, rho);
  VectorXd rho_bar;
  const Sid bar = complex_step_bar(r.sid, [](const SidOf<Complex>& sid) { return slow_objective(sid); });
  ASSERT_FALSE(body.pullback(rho, r, bar, rho_bar).failed());
  for (unsigned seed = 0; seed < 4; ++seed) {
    const VectorXd direction =
        rho.cwiseProduct(is_solid).cwiseProduct(random_matrix(rho.size(), 1, 90 + seed).col(0));
    const auto psi = [&](double h) {
      return slow_objective(SidOf<double>(reduced(body, rho + h * direction).sid));
    };
    constexpr double h = 1e-2;
    double noise = 0.0;
    for (int i = 1; i <= 6; ++i) noise = std::max(noise, std::abs(psi(i * 1e-14) - psi(0.0)));
    EXPECT_LT(noise, 1e-7 * std::abs(psi(0.0)));  // eps by the ratio of the highest eigenvalue to the lowest
    const double expected = difference(psi, h), typical = rho_bar.cwiseProduct(direction).norm();
    EXPECT_NEAR(rho_bar.dot(direction), expected, 1e-6 * typical + 3.0 * noise / h) << "direction " << seed;
    EXPECT_LT(3.0 * noise / h, 1e-2 * typical);  // the differences can tell
  }
}

TEST(Pullback, EqualsDifferencesWhereAVoidCutsThroughTheBody) {
  expect_exact_gradient_beside_void(crank(6, 2, 3, true), 2);
  expect_exact_gradient_beside_void(crank(6, 2, 0, true), 2);
  expect_exact_gradient_beside_void(bar({4, 1, 2}, {0.3, 0.02, 0.04}, 4, true), 1);
}

TEST(Pullback, EqualsDifferencesWhereAVoidCutsThroughABodyInTheChordFrame) {
  expect_exact_gradient_beside_void(on_chord(crank(6, 2, 4, true), "pin"), 2);
}

TEST(Pullback, EqualsDifferencesWhereAVoidCutsThroughABodyInBuckensFrame) {
  FlexibleBodySpec spec = crank(6, 2, 4, true);
  spec.frame.type = FrameSpec::Type::buckens;
  expect_exact_gradient_beside_void(spec, 2);
}

TEST(Pullback, EqualsDifferencesWhereAVoidCutsThroughABodyInCraigAndBamptonsBasis) {
  FlexibleBodySpec spec = crank(6, 2, 2, true);
  spec.basis = BasisType::craig_bampton;
  expect_exact_gradient_beside_void(spec, 2);
}

/// Its centre of mass does not move against Buckens' frame: the load on the modes is rounding, not a load.
TEST(Pullback, OfTheCentreOfMassInBuckensFrameIsZero) {
  FlexibleBodySpec spec = bar({3, 2, 2}, {0.316174, 0.0396432, 0.0271441}, 2, true);
  spec.frame.type = FrameSpec::Type::buckens;
  FlexibleBody body(spec);
  const VectorXd rho = VectorXd::Constant(12, 0.683534);
  const ReducedBody r = reduced(body, rho);
  Sid bar = complex_step_bar(r.sid, [](const SidOf<Complex>&) { return Complex(0.0); });
  const double q = 0.1;  // of the elastic coordinates
  for (MatrixXd& M1 : bar.mdCM.M1) M1(2, 0) = q;
  VectorXd rho_bar;
  const Status failure = body.pullback(rho, r, bar, rho_bar);
  ASSERT_FALSE(failure.failed()) << failure.message();
  // Of terms like q times the root of an element's mass.
  EXPECT_LT(rho_bar.cwiseAbs().maxCoeff(), 1e-12 * q * std::sqrt(r.sid.refmod.mass));
}

}  // namespace
}  // namespace kurbel::fem::test
