/// @file
/// Derivatives of the coefficients as they are written, against differences of what is written.
#include "fem/sid_derivatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "invariant_objective.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

SidDerivatives derivatives_at(FlexibleBody& body, const VectorXd& rho) {
  SidDerivatives out;
  const Status failure = body.derivatives(rho, reduced(body, rho), out);
  if (failure.failed()) throw std::runtime_error(failure.message());
  return out;
}

/// Sixth-order central difference along a direction. With steps of 1e-3 of the densities truncation is far
/// below 1e-9 of a coefficient; rounding, some 1e-13 of it per reduction, is below 1e-9.
VectorXd difference(const std::function<VectorXd(double)>& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2.0 * h) - f(-2.0 * h)) + (f(3.0 * h) - f(-3.0 * h))) / (60.0 * h);
}

/// All coefficients along random directions and along single elements, within 1e-6 of the largest entry of
/// each coefficient's derivative.
/// @param vanishing  size of coefficients that are rounding error
void expect_exact_derivatives(const FlexibleBodySpec& spec, const VectorXd& rho, double vanishing = 0.0) {
  FlexibleBody body(spec);
  const SidDerivatives derivatives = derivatives_at(body, rho);
  std::vector<VectorXd> directions;
  for (unsigned seed = 0; seed < 2; ++seed)
    directions.push_back(rho.cwiseProduct(random_matrix(rho.size(), 1, 5 + seed).col(0)));
  for (const Index e : {Index{0}, rho.size() / 3, rho.size() - 1})
    directions.push_back(rho[e] * VectorXd::Unit(rho.size(), e));
  for (const VectorXd& direction : directions) {
    std::vector<Sid> moved;
    const double h = 4e-3;
    for (int step = -3; step <= 3; ++step) moved.push_back(reduced(body, rho + step * h * direction).sid);
    for (const SidCoefficient& c : derivatives.coefficients()) {
      const VectorXd expected = difference(
          [&](double s) {
            return coefficient_values(moved[static_cast<std::size_t>(std::lround(s / h) + 3)], c);
          },
          h);
      const VectorXd found = derivatives.derivative(c) * direction;
      const double size = std::max({expected.cwiseAbs().maxCoeff(), vanishing,
                                    1e-3 * coefficient_values(moved[3], c).cwiseAbs().maxCoeff()});
      EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 1e-6 * size) << c.group << "/" << c.array();
    }
  }
}

FlexibleBodySpec damped(FlexibleBodySpec spec) {
  spec.damping_alpha = 20.0;
  spec.damping_beta = 1e-5;
  return spec;
}

TEST(SidDerivatives, EqualDifferencesOfTheCrank) {
  expect_exact_derivatives(damped(crank(12, 4, 4, true)), random_densities(48, 0.2, 1));
}

TEST(SidDerivatives, EqualDifferencesWithLowDensities) {
  expect_exact_derivatives(damped(crank(8, 4, 3, true)), random_densities(32, 0.02, 2));
}

TEST(SidDerivatives, EqualDifferencesWithNormalModesAlone) {
  expect_exact_derivatives(crank(12, 4, 3, false), random_densities(48, 0.2, 3));
}

TEST(SidDerivatives, EqualDifferencesWithAttachmentModesAlone) {
  expect_exact_derivatives(crank(12, 4, 0, true), random_densities(48, 0.2, 4));
}

TEST(SidDerivatives, EqualDifferencesOfABarIn3D) {
  expect_exact_derivatives(damped(bar({6, 2, 2}, {0.2, 0.03, 0.02}, 3, true)), random_densities(24, 0.2, 5));
}

TEST(SidDerivatives, EqualDifferencesOfListedModesWithModalDamping) {
  FlexibleBodySpec spec = damped(crank(12, 4, 3, true));
  spec.mode_list = {1, 3, 4};
  spec.damping_modal = {0.01, 0.02, 0.03, 0.02, 0.1};
  expect_exact_derivatives(spec, random_densities(48, 0.2, 9));
}

TEST(SidDerivatives, EqualDifferencesInChordAndBuckensFrame) {
  constexpr double vanishing = 1e-4;  // what the frame holds, and Ct and Cr, beside sizes of 1
  expect_exact_derivatives(on_chord(crank(12, 4, 2, true), "pin"), random_densities(48, 0.2, 10), vanishing);
  expect_exact_derivatives(free_body(crank(12, 4, 3, true)), random_densities(48, 0.2, 11), vanishing);
}

// The rows of Ct and Cr load rigid-body motions alone: nothing is left to iterate on but rounding errors.
TEST(SidDerivatives, OfWhatTheFrameTakesOutSpendNoIterations) {
  FlexibleBody body(free_body(crank(12, 4, 3, true)));
  const VectorXd rho = random_densities(48, 0.2, 11);
  SidDerivatives derivatives;
  PullbackReport report;
  ASSERT_FALSE(body.derivatives(rho, reduced(body, rho), derivatives, &report).failed());
  EXPECT_LT(report.cg_iterations, 80);  // 148 if rounding errors were iterated on, or no end
}

TEST(SidDerivatives, EveryEntryOfADenseCoefficientIsCompared) {
  FlexibleBody body(damped(bar({4, 2, 2}, {0.2, 0.03, 0.02}, 2, true)));
  const SidDerivatives derivatives = derivatives_at(body, random_densities(16, 0.3, 6));
  for (const SidCoefficient& c : derivatives.coefficients()) {
    const bool constant = c.name() == "origin.M0" || c.name() == "AP.M0" || c.name() == "ksigma.M0";
    EXPECT_EQ(derivatives.n_dependent(c) == 0, constant) << c.name();
  }
}

TEST(SidDerivatives, ContractedWithAnInvariantObjectiveEqualTheirPullback) {
  FlexibleBody body(damped(crank(12, 4, 4, true)));
  const VectorXd rho = random_densities(48, 0.1, 7);
  const ReducedBody r = reduced(body, rho);
  const Sid sid_bar = complex_step_bar(r.sid);
  VectorXd rho_bar;
  ASSERT_FALSE(body.pullback(rho, r, sid_bar, rho_bar).failed());
  const VectorXd contracted = derivatives_at(body, rho).contract(sid_bar);
  // Both solve to 1e-12; the contraction cancels terms of size 1 / (relative gap of the modes).
  EXPECT_LT((contracted - rho_bar).cwiseAbs().maxCoeff(), 1e-9 * rho_bar.cwiseAbs().maxCoeff());
}

TEST(SidDerivatives, ByNamedVariablesAreSumsOverTheirElements) {
  FlexibleBody body(crank(8, 4, 2, true));
  const SidDerivatives all = derivatives_at(body, random_densities(32, 0.2, 8));
  const SidDerivatives some = all.by({{"left", {0, 1, 2}}, {"right", {31}}});
  ASSERT_EQ(some.n_variables(), 2);
  for (const SidCoefficient& c : all.coefficients()) {
    const RowMatrix whole = all.derivative(c), part = some.derivative(c);
    EXPECT_LE((part.col(0) - whole.leftCols(3).rowwise().sum()).cwiseAbs().maxCoeff(),
              1e-12 * (1.0 + whole.cwiseAbs().maxCoeff()));  // dMe cancels terms of size 1
    EXPECT_EQ(part.col(1), whole.col(31));
  }
}

TEST(SidDerivatives, AreRefusedWhereKeptEigenvaluesCoincide) {
  FlexibleBody body(bar({6, 2, 2}, {0.2, 0.02, 0.02}, 2, false));
  const VectorXd rho = VectorXd::Constant(24, 0.7);
  SidDerivatives out;
  const Status failure = body.derivatives(rho, reduced(body, rho), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("normal modes 1 and 2 coincide"));
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("pull-back"));
}

TEST(SidDerivatives, AreRefusedInACraigBamptonBasis) {
  FlexibleBodySpec spec = crank(8, 4, 2, true);
  spec.basis = BasisType::craig_bampton;
  FlexibleBody body(spec);
  const VectorXd rho = VectorXd::Constant(32, 0.7);
  SidDerivatives out;
  const Status failure = body.derivatives(rho, reduced(body, rho), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_THAT(failure.message(), ::testing::HasSubstr("Craig-Bampton"));
}

}  // namespace
}  // namespace kurbel::fem::test
