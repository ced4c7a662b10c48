/// Nothing is allocated inside a variational step, forwards or backwards.
#include "node_mechanisms.hpp"
#include "tests/allocation_counter.hpp"

namespace kurbel {
namespace {

void expect_none(const test::NodeSpec& spec, LinearSolver form) {
  IntegratorOptions options = test::variational(0.1, 0.01);
  options.linear_solver = form;
  test::NodeMotion<double> motion(spec, options);
  ASSERT_FALSE(motion.status.failed()) << motion.status.message();
  auto& steps = *motion.steps;
  auto& y = motion.trajectory.y;
  MatrixXd y_bar = MatrixXd::Ones(steps.n_tangent(), 2), p_bar = MatrixXd::Zero(steps.n_parameters(), 2);
  steps.pullback_step(10, y.col(9), y.col(10), y_bar, p_bar);
  const long before = allocations;
  for (Eigen::Index k = 9; k >= 1; --k) steps.pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  for (Eigen::Index k = 1; k <= 10; ++k) ASSERT_FALSE(steps.step(k, y.col(k - 1), y.col(k)).failed());
  EXPECT_EQ(allocations - before, 0);
}

TEST_F(Allocations, DoNotHappenInVariationalSteps) {
  expect_none(test::chain(6), LinearSolver::dense);
  expect_none(test::heavy_body(), LinearSolver::dense);
  expect_none(test::chain(30), LinearSolver::sparse);
}

}  // namespace
}  // namespace kurbel
