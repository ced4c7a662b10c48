/// Laws of forces between markers: every derivative by complex step, and the potential's.
#include "mechanism/pair_law.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mechanism/bushing.hpp"
#include "mechanism/stop.hpp"

namespace kurbel {
namespace {

constexpr double step = 1e-30;

VectorXd numbers(Eigen::Index n, double seed) {
  return VectorXd::NullaryExpr(n, [&](Eigen::Index i) { return std::sin(seed + 2.3 * double(i)); });
}

/// Compares the columns of a derivative with complex steps of the argument that `changed` is.
template <class Matrix, class Value>
void expect_derivative(const Matrix& derivative, const VectorXd& argument, const Value& value,
                       const char* what) {
  for (Eigen::Index k = 0; k < argument.size(); ++k) {
    VectorX<Complex> changed = argument.cast<Complex>();
    changed[k] += Complex(0.0, step);
    const VectorX<Complex> W = value(changed);
    for (Eigen::Index i = 0; i < W.size(); ++i)
      EXPECT_NEAR(derivative(i, k), W[i].imag() / step, 1e-12 * (1.0 + std::abs(derivative(i, k))))
          << what << " " << i << " " << k;
  }
}

void expect_consistent(const PairLaw<double>& law, const PairLaw<Complex>& judge, const VectorXd& c,
                       const VectorXd& c_dot, const VectorXd& xi) {
  const PairForces<double> on = law.forces(c, c_dot, xi);
  const VectorX<Complex> C = c.cast<Complex>(), C_dot = c_dot.cast<Complex>(), Xi = xi.cast<Complex>();
  const auto W = [](const PairForces<Complex>& forces) { return VectorX<Complex>(forces.W); };
  expect_derivative(
      on.W_c, c, [&](const auto& z) { return W(judge.forces(z, C_dot, Xi)); }, "c");
  expect_derivative(
      on.W_cdot, c_dot, [&](const auto& z) { return W(judge.forces(C, z, Xi)); }, "c_dot");
  expect_derivative(
      on.W_xi, xi, [&](const auto& z) { return W(judge.forces(C, C_dot, z)); }, "xi");
  const VectorXd rest = VectorXd::Zero(c.size());
  VectorXd xi_bar = VectorXd::Zero(xi.size());
  law.add_energy_partials(c, xi, 1.0, xi_bar);
  const auto energy = [](const Complex& V) { return VectorX<Complex>::Constant(1, V); };
  expect_derivative(
      law.forces(c, rest, xi).W.transpose(), c, [&](const auto& z) { return energy(judge.energy(z, Xi)); },
      "V by c");
  expect_derivative(
      xi_bar.transpose(), xi, [&](const auto& z) { return energy(judge.energy(C, z)); }, "V by xi");
}

TEST(BushingLaw, EveryDerivativeIsThatOfAComplexStep) {
  expect_consistent(BushingLaw<double>(), BushingLaw<Complex>(), numbers(6, 0.3), numbers(6, 1.7),
                    numbers(42, 0.9));
}

TEST(BushingLaw, HasASymmetricStiffnessInTheOrderOfItsWords) {
  VectorXd xi = VectorXd::Zero(42);
  const auto entry = std::ranges::find(bushing_entries, std::string("ty-rz")) - bushing_entries.begin();
  xi[entry] = 5.0;
  const PairForces<double> on = BushingLaw<double>().forces(numbers(6, 0.3), numbers(6, 1.7), xi);
  EXPECT_EQ(on.W_c(1, 5), 5.0);
  EXPECT_EQ(on.W_c(5, 1), 5.0);
  EXPECT_EQ(on.W_c.norm(), std::sqrt(50.0));
}

StopSpec stop_of(RelativeDof dof) {
  StopSpec stop{"stop", {}, {}, dof};
  stop.smoothing = 0.2;
  return stop;
}

// Between the limits, in the smoothing and beyond it; an angle from its cosine and sine, which need not be of length 1.
TEST(StopLaw, EveryDerivativeIsThatOfAComplexStep) {
  const VectorXd rate = VectorXd::Constant(1, -0.7), rates = (VectorXd(2) << 0.4, -0.8).finished();
  for (const double s : {-1.5, -0.6, -0.2, 0.45, 0.9}) {
    SCOPED_TRACE(s);
    const VectorXd xi = (VectorXd(4) << 30.0, 2.0, -0.5, 0.4).finished();
    const StopSpec slide = stop_of(RelativeDof::tx), turn = stop_of(RelativeDof::rz);
    expect_consistent(StopLaw<double>(slide), StopLaw<Complex>(slide), VectorXd::Constant(1, s), rate, xi);
    const VectorXd c = 1.1 * (VectorXd(2) << std::cos(s), std::sin(s)).finished();
    expect_consistent(StopLaw<double>(turn), StopLaw<Complex>(turn), c, rates, xi);
  }
}

TEST(StopLaw, IsNothingBetweenTheLimitsAndLinearBeyondTheSmoothing) {
  const StopLaw<double> law(stop_of(RelativeDof::tz));
  const VectorXd xi = (VectorXd(4) << 30.0, 2.0, -0.5, 0.4).finished(), rest = VectorXd::Zero(1);
  const auto force = [&](double s) { return law.forces(VectorXd::Constant(1, s), rest, xi).W[0]; };
  EXPECT_EQ(force(0.4), 0.0);
  EXPECT_EQ(force(-0.5), 0.0);
  EXPECT_NEAR(force(1.4), 30.0 * (1.0 - 0.1), 1e-12);
  EXPECT_NEAR(force(-1.5), -30.0 * (1.0 - 0.1), 1e-12);
  EXPECT_NEAR(force(0.5), 30.0 * 0.2 * 0.125 * 0.75, 1e-12);  // h = w r^3 (1 - r / 2) at r = 1/2
}

TEST(StopLaw, HasNoForceFromALimitThatIsInfinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const StopLaw<double> law(stop_of(RelativeDof::rz));
  const VectorXd xi = (VectorXd(4) << 30.0, 2.0, -infinity, infinity).finished();
  const VectorXd c = (VectorXd(2) << std::cos(2.0), std::sin(2.0)).finished();
  const PairForces<double> on = law.forces(c, c, xi);
  EXPECT_TRUE(on.W.isZero(0.0));
  EXPECT_TRUE(on.W_c.isZero(0.0));
  EXPECT_TRUE(on.W_xi.isZero(0.0));
  EXPECT_EQ(law.energy(c, xi), 0.0);
}

}  // namespace
}  // namespace kurbel
