/// Systems in absolute coordinates by the integrators of mechanisms, beside the one-step methods.
#include "natural_coordinates/absolute_dae.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "integration/dae_steps.hpp"
#include "natural_coordinates/absolute_steps.hpp"
#include "test_systems.hpp"

namespace kurbel {
namespace {

IntegratorOptions options_of(IntegratorMethod method, double t1, int n) {
  IntegratorOptions options;
  options.method = method, options.t1 = t1, options.step = t1 / n, options.newton_tolerance = 1e-13;
  return options;
}

/// (q, v) at the end of a motion.
VectorXd end_of(StepResidual<double>& steps, Eigen::Index n_x) {
  Trajectory<double> trajectory;
  const Status status = simulate(steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  return trajectory.y.col(steps.n_steps()).head(n_x);
}

VectorXd end_of(const test::System& system, const IntegratorOptions& options) {
  const auto assembly = system.assembled();
  AbsoluteSteps<double> steps(*assembly.system, options);
  return end_of(steps.residual(), assembly.system->n_x());
}

class OfSystems : public testing::TestWithParam<bool> {
 protected:
  test::System described() const { return GetParam() ? test::arm() : test::spring_pendulum(); }
  double t1() const { return GetParam() ? 0.05 : 1.0; }
  /// That resolve what vibrates.
  int n_steps() const { return GetParam() ? 800 : 200; }
};

INSTANTIATE_TEST_SUITE_P(, OfSystems, testing::Bool(),
                         [](const auto& param) { return param.param ? "Arm" : "SpringPendulum"; });

TEST_P(OfSystems, IndependentCoordinatesMoveByTheSameTrapezoidalRule) {
  const IntegratorOptions options = options_of(IntegratorMethod::trapezoidal, t1(), 40);
  const test::System system = described();
  const auto assembly = system.assembled();
  AbsoluteDae<double> of_second_order(*assembly.system);
  const auto steps = make_dae_steps<double>(of_second_order, options);
  const VectorXd expected = end_of(described(), options);
  EXPECT_LT((end_of(*steps, expected.size()) - expected).norm(), 1e-10 * expected.norm());
}

TEST_P(OfSystems, StepsOfSecondOrderConvergeToTheMotionOfRungeKutta) {
  const VectorXd expected = end_of(described(), options_of(IntegratorMethod::runge_kutta_4, t1(), 4000));
  for (const auto method : {IntegratorMethod::generalized_alpha, IntegratorMethod::variational_midpoint}) {
    const double coarse = (end_of(described(), options_of(method, t1(), n_steps())) - expected).norm();
    const double fine = (end_of(described(), options_of(method, t1(), 2 * n_steps())) - expected).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << static_cast<int>(method);
    EXPECT_LT(fine, 1e-4 * expected.norm()) << static_cast<int>(method);
  }
}

// A force that jumps at 0.5 s where a step ends: what the step felt counts there, and at the start what follows.
TEST(JumpsOfControls, AreSeenFromTheLeftWhereAStepEnds) {
  SystemSpec spec;
  spec.point_masses = {{"mass", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, false, false}, 2.0}};
  test::add_force(spec, "push", "mass", {1.0, 0.0, 0.0});
  spec.controls[0].grid = ControlGrid(Interpolation::constant, 2, 0.0, 1.0);
  const auto assembly = absolute::assemble<double>(spec);
  AbsoluteSteps<double> steps(*assembly.system, options_of(IntegratorMethod::generalized_alpha, 1.0, 4));
  steps.set_parameters(Eigen::Vector2d(6.0, -4.0));
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate(steps.residual(), trajectory).failed());
  const auto acceleration = [&](Eigen::Index k) { return steps.layout().w(trajectory.y.col(k))[0]; };
  for (const Eigen::Index k : {0, 1, 2}) EXPECT_NEAR(acceleration(k), 3.0, 1e-14) << k;
  for (const Eigen::Index k : {3, 4}) EXPECT_NEAR(acceleration(k), -2.0, 1e-14) << k;
}

TEST_P(OfSystems, ParametersThatAreSetChangeTheMass) {
  const test::System given = described();
  const IntegratorOptions options = options_of(IntegratorMethod::generalized_alpha, t1(), 40);
  VectorXd xi = given.xi();
  for (Eigen::Index i = 0; i < xi.size(); ++i) xi[i] *= 1.0 + 0.01 * static_cast<double>(i);
  if (!GetParam()) xi[0] += 0.1;  // a length moves the start that is given
  test::System changed = given;
  test::set_numbers(xi, changed);
  const auto assembly = given.assembled();
  AbsoluteSteps<double> steps(*assembly.system, options);
  end_of(steps.residual(), assembly.system->n_x());
  VectorXd p = assembly.system->parameters();
  p.head(xi.size()) = xi;
  steps.set_parameters(p);
  const VectorXd expected = end_of(changed, options);
  EXPECT_LT((end_of(steps.residual(), expected.size()) - expected).norm(), 1e-12 * expected.norm());
}

}  // namespace
}  // namespace kurbel
