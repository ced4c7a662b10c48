/// The ways to a gradient against each other and against complex step through the whole mechanics.
#include <gtest/gtest.h>

#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

using test::moving_mechanism;
using test::Simulation;
using test::span;

/// Largest difference relative to the largest entry.
double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

TEST(DirectDifferentiation, EqualsTheDiscreteAdjointAndComplexStep) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(moving_mechanism(), options, {"one", "two"});
  ASSERT_GT(run.value(), 0.0);
  TimeIntegral<double> other(run.integrator);
  other.add(2.0, std::make_shared<ComplianceIntegrand<double>>(run.system, "two"));
  const std::vector<const Objective<double>*> objectives = {&run.psi, &other};
  const MatrixXd direct = direct_differentiation<double>(run.integrator, run.trajectory, objectives);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, objectives);
  for (Eigen::Index j = 0; j < 2; ++j) {
    // The same linear equations, solved forwards and backwards: rounding in some hundred of them.
    EXPECT_LT(relative_difference(direct.col(j), adjoint.col(j)), 1e-12);
  }

  Simulation<Complex> judge(moving_mechanism(), options, {"one", "two"});
  const double step = 1e-40;
  const VectorXd direction = test::Random(29).vector(direct.rows());
  judge.system.set_parameters(judge.system.parameters() + Complex(0.0, step) * direction);
  const double expected = judge.value().imag() / step;
  // Both Newton iterations stop at 1e-8 of a quadratically converging correction.
  EXPECT_NEAR(direct.col(0).dot(direction), expected, 1e-10 * direct.col(0).norm() * direction.norm());
}

}  // namespace
}  // namespace kurbel
