/// Steps by sparse factors are those by dense ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation.hpp"

namespace kurbel {
namespace {

IntegratorOptions options(LinearSolver solver) {
  IntegratorOptions o = test::span(0.04, 0.002);
  o.linear_solver = solver;
  return o;
}

/// The last state of a mechanism, and its derivatives in both directions.
template <class S>
struct Derivatives {
  Derivatives(const SystemSpec& spec, LinearSolver solver, const MatrixX<S>& p_dot, S step = S(0))
      : system(spec), integrator(moved(p_dot, step), options(solver)) {
    const Status status = simulate<S>(integrator, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    const Eigen::Index n = integrator.n_steps();
    y = trajectory.y.col(n);
    y_dot.setZero(integrator.n_tangent(), p_dot.cols());
    integrator.push_forward_initial(trajectory.y.col(0), p_dot, y_dot);
    for (Eigen::Index k = 1; k <= n; ++k)
      integrator.push_forward_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), p_dot, y_dot);
    test::Random random(2);
    y_bar = random.matrix(integrator.n_tangent(), 2).template cast<S>();
    MatrixX<S> bar = y_bar;
    p_bar.setZero(integrator.n_parameters(), 2);
    for (Eigen::Index k = n; k > 0; --k)
      integrator.pullback_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), bar, p_bar);
    integrator.pullback_initial(trajectory.y.col(0), bar, p_bar);
  }
  const MultibodySystem<S>& moved(const MatrixX<S>& p_dot, S step) {
    system.set_parameters(system.parameters() + step * p_dot.rowwise().sum());
    return system;
  }

  MultibodySystem<S> system;
  GeneralizedAlpha<S> integrator;
  Trajectory<S> trajectory;
  VectorX<S> y;
  MatrixX<S> y_dot, y_bar, p_bar;
};

/// Directions that change every parameter in proportion.
MatrixXd directions(const SystemSpec& spec) {
  const VectorXd p = MultibodySystem<double>(spec).parameters();
  return p.asDiagonal() * test::Random(1).matrix(p.size(), 2) * 1e-2;
}

double difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / b.norm();
}

class SparseSteps : public ::testing::TestWithParam<SystemSpec (*)()> {};

// Rounding errors of constraints, 1e-16, come back as accelerations over h^2, and these in derivatives.
TEST_P(SparseSteps, AreThoseOfDenseFactors) {
  const SystemSpec spec = GetParam()();
  const MatrixXd p_dot = directions(spec);
  const Derivatives<double> dense(spec, LinearSolver::dense, p_dot),
      sparse(spec, LinearSolver::sparse, p_dot);
  const DaeStateLayout& l = dense.integrator.layout();
  EXPECT_NE(sparse.y, dense.y) << "the same factors";
  EXPECT_LT(difference(sparse.y.head(l.n_x), dense.y.head(l.n_x)), 1e-13);
  EXPECT_LT(difference(sparse.y.segment(l.n_x, l.n_v), dense.y.segment(l.n_x, l.n_v)), 1e-11);
  EXPECT_LT(difference(sparse.y, dense.y), 1e-9);
  EXPECT_LT(difference(sparse.y_dot, dense.y_dot), 2e-9);
  EXPECT_LT(difference(sparse.p_bar, dense.p_bar), 2e-9);
  const MatrixXd forwards = sparse.y_bar.transpose() * sparse.y_dot,
                 backwards = sparse.p_bar.transpose() * p_dot;
  EXPECT_LT(difference(forwards, backwards), 1e-8);
}

TEST_P(SparseSteps, DifferentiateAsTheComplexStepThroughThem) {
  const SystemSpec spec = GetParam()();
  constexpr double step = 1e-30;
  const MatrixXd p_dot = directions(spec);
  const Derivatives<double> real(spec, LinearSolver::sparse, p_dot);
  const Derivatives<Complex> complex(spec, LinearSolver::sparse, p_dot.cast<Complex>(), Complex(0.0, step));
  const DaeStateLayout& l = real.integrator.layout();
  const VectorXd y_dot = real.y_dot.rowwise().sum();
  EXPECT_LT(difference(complex.y.segment(l.n_x, 3 * l.n_v).imag() / step, y_dot.segment(l.n_v, 3 * l.n_v)),
            1e-8);
  EXPECT_LT(difference(complex.y.tail(l.n_c).imag() / step, y_dot.tail(l.n_c)), 1e-8);
}

SystemSpec braced_chain() {
  return test::braced_chain(7);
}
SystemSpec hanging_chain() {
  return test::rigid_chain(9);
}
INSTANTIATE_TEST_SUITE_P(, SparseSteps,
                         ::testing::Values(&test::moving_mechanism, &braced_chain, &hanging_chain));

TEST(SingularPosition, IsReportedBySparseFactorsAsByDenseOnes) {
  std::vector<std::string> messages;
  std::vector<double> times;
  for (const LinearSolver solver : {LinearSolver::dense, LinearSolver::sparse}) {
    IntegratorOptions o = options(solver);
    o.t1 = 1.0, o.step = 1e-3;
    MultibodySystem<double> system(test::overextended_linkage());
    GeneralizedAlpha<double> integrator(system, o);
    Trajectory<double> trajectory;
    const Status status = simulate<double>(integrator, trajectory);
    ASSERT_TRUE(status.failed());
    messages.push_back(status.message());
    times.push_back(status.failure().time);
  }
  EXPECT_EQ(times[0], times[1]);
  EXPECT_EQ(messages[0], messages[1]);
}

TEST(SaddlePointSolver, IsSparseForManyBodiesAndDenseForFewOrFlexibleOnes) {
  const auto is_sparse_for = [](const SystemSpec& spec) {
    return is_sparse(MultibodySystem<double>(spec).make_jacobians());
  };
  EXPECT_TRUE(is_sparse_for(test::rigid_chain(10)));
  EXPECT_FALSE(is_sparse_for(test::rigid_chain(4)));
  EXPECT_FALSE(is_sparse_for(test::moving_mechanism()));
}

}  // namespace
}  // namespace kurbel
