/// @file
/// d psi / d rho against differences of the whole chain densities -> modes -> SID -> psi.
#include <gtest/gtest.h>

#include <cmath>

#include "invariant_objective.hpp"

namespace kurbel::fem::test {
namespace {

double objective_at(FlexibleBody& body, const VectorXd& rho) {
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

Gradient gradient_at(FlexibleBody& body, const VectorXd& rho) {
  Gradient g;
  const ReducedBody r = reduced(body, rho);
  const Status failure = body.pullback(rho, r, complex_step_bar(r.sid), g.rho_bar, &g.report);
  EXPECT_FALSE(failure.has_value()) << failure->message();
  return g;
}

void expect_exact_gradient(const FlexibleBodySpec& spec, const VectorXd& rho, int stride) {
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
  ASSERT_FALSE(body.pullback(rho, r, bar, rho_bar, &report).has_value());
  EXPECT_GT(report.invariance_defect, 1e-3);
}

TEST(Pullback, DoesNotDependOnWhatTheBodyReducedInBetween) {
  FlexibleBody body(crank(16, 5, 4, true));
  const VectorXd rho = random_densities(80, 0.2, 9), other = random_densities(80, 0.2, 10);
  const ReducedBody r = reduced(body, rho);
  const Sid bar = complex_step_bar(r.sid);
  VectorXd first, second;
  ASSERT_FALSE(body.pullback(rho, r, bar, first).has_value());
  reduced(body, other);
  ASSERT_FALSE(body.pullback(rho, r, bar, second).has_value());
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace kurbel::fem::test
