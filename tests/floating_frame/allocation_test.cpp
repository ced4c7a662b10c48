/// Nothing is allocated inside a time step, forwards or backwards.
#include "simulation.hpp"
#include "tests/allocation_counter.hpp"

namespace kurbel {
namespace {

TEST_F(Allocations, AreCounted) {
  const long before = allocations;
  const VectorXd v = VectorXd::Zero(100);
  EXPECT_GT(allocations, before);
  EXPECT_EQ(v.size(), 100);
}

TEST_F(Allocations, DoNotHappenInStepsOfAMechanismWithEveryKindOfForce) {
  test::Simulation<double> run(test::with_every_parameter(test::moving_mechanism()), test::span(0.1, 0.01),
                               {});
  ASSERT_FALSE(simulate<double>(run.integrator, run.trajectory).failed());
  auto& y = run.trajectory.y;
  const long before = allocations;
  for (Eigen::Index k = 1; k <= 10; ++k)
    ASSERT_FALSE(run.integrator.step(k, y.col(k - 1), y.col(k)).failed());
  EXPECT_EQ(allocations - before, 0);
}

TEST_F(Allocations, DoNotHappenInStepsOfALargeMechanism) {
  test::Simulation<double> run(test::with_every_parameter(test::braced_chain(12)), test::span(0.02, 0.002),
                               {});
  ASSERT_TRUE(is_sparse(run.system.make_jacobians()));
  ASSERT_FALSE(simulate<double>(run.integrator, run.trajectory).failed());
  auto& y = run.trajectory.y;
  MatrixXd y_bar = MatrixXd::Ones(run.integrator.n_tangent(), 2),
           p_bar = MatrixXd::Zero(run.integrator.n_parameters(), 2);
  run.integrator.pullback_step(10, y.col(9), y.col(10), y_bar, p_bar);
  const long before = allocations;
  for (Eigen::Index k = 9; k >= 1; --k) run.integrator.pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  for (Eigen::Index k = 1; k <= 10; ++k)
    ASSERT_FALSE(run.integrator.step(k, y.col(k - 1), y.col(k)).failed());
  EXPECT_EQ(allocations - before, 0);
}

TEST_F(Allocations, DoNotHappenInStepsOfTheDiscreteAdjoint) {
  test::Simulation<double> run(test::with_every_parameter(test::moving_mechanism()), test::span(0.1, 0.01),
                               {});
  ASSERT_FALSE(simulate<double>(run.integrator, run.trajectory).failed());
  auto& y = run.trajectory.y;
  MatrixXd y_bar = MatrixXd::Ones(run.integrator.n_tangent(), 2),
           p_bar = MatrixXd::Zero(run.integrator.n_parameters(), 2);
  run.integrator.pullback_step(10, y.col(9), y.col(10), y_bar, p_bar);
  const long before = allocations;
  for (Eigen::Index k = 9; k >= 1; --k) run.integrator.pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace kurbel
