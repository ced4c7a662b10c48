/// Controls between their nodes: what each interpolation promises, and the energy of a signal.
#include "integration/controls.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/input_error.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

constexpr double t0 = 0.5, t1 = 2.9;
// Weights are of order one.
constexpr double rounding = 1e-13;

double value(const ControlGrid& grid, const VectorXd& nodes, double t, bool from_left = false) {
  return grid.weights({t, from_left}) * nodes;
}

VectorXd nodes_of(const ControlGrid& grid, const std::function<double(double)>& u) {
  return VectorXd::NullaryExpr(grid.n_nodes(), [&](Eigen::Index i) { return u(grid.node_time(i)); });
}

/// u, u_dot, u_ddot, u_dddot at the end `s` (0 or 1) of an interval between nodes, from the cubic through
/// four points inside.
Eigen::Vector4d derivatives(const ControlGrid& grid, const VectorXd& nodes, Eigen::Index interval, double s) {
  const double start = grid.node_time(interval), width = grid.node_time(interval + 1) - start;
  const Eigen::Vector4d at(0.2, 0.4, 0.6, 0.8);
  Eigen::Matrix4d powers;
  Eigen::Vector4d u;
  for (int i = 0; i < 4; ++i) {
    powers.row(i) << 1.0, at[i], at[i] * at[i], at[i] * at[i] * at[i];
    u[i] = value(grid, nodes, start + at[i] * width);
  }
  const Eigen::Vector4d a = powers.lu().solve(u);
  return {a[0] + s * (a[1] + s * (a[2] + s * a[3])), (a[1] + s * (2.0 * a[2] + 3.0 * s * a[3])) / width,
          (2.0 * a[2] + 6.0 * s * a[3]) / (width * width), 6.0 * a[3] / (width * width * width)};
}

class EveryInterpolation : public testing::TestWithParam<Interpolation> {};

INSTANTIATE_TEST_SUITE_P(Controls, EveryInterpolation,
                         testing::Values(Interpolation::natural, Interpolation::clamped,
                                         Interpolation::not_a_knot, Interpolation::linear,
                                         Interpolation::constant));

TEST_P(EveryInterpolation, PassesThroughItsNodes) {
  const ControlGrid grid(GetParam(), 7, t0, t1);
  EXPECT_EQ(grid.n_nodes(), 7);
  EXPECT_EQ(grid.node_time(0), t0);
  for (Eigen::Index i = 0; i < 7; ++i) {
    const Eigen::RowVectorXd unit = Eigen::RowVectorXd::Unit(7, i);
    EXPECT_LT((grid.weights({grid.node_time(i), false}) - unit).cwiseAbs().maxCoeff(), rounding)
        << "node " << i;
  }
}

TEST_P(EveryInterpolation, ReproducesAConstant) {
  const ControlGrid grid(GetParam(), 6, t0, t1);
  for (double t = t0; t < t1; t += 0.0713) EXPECT_NEAR(grid.weights(t).sum(), 1.0, rounding);
}

TEST_P(EveryInterpolation, KeepsItsEndsOutsideItsTime) {
  const ControlGrid grid(GetParam(), 5, t0, t1);
  EXPECT_EQ(grid.weights(t0 - 1.0), grid.weights(t0));
  EXPECT_EQ(grid.weights(t1 + 1.0), grid.weights(t1));
  EXPECT_EQ(grid.weights({t0, true}), grid.weights({t0, false}));
}

TEST_P(EveryInterpolation, EnergyMatrixEqualsAFineQuadrature) {
  const ControlGrid grid(GetParam(), 6, t0, t1);
  // Gauss-Legendre with two points on 300 parts, which the nodes of all interpolations bound.
  constexpr int parts = 300;
  const double h = (t1 - t0) / parts;
  MatrixXd A = MatrixXd::Zero(6, 6);
  for (int i = 0; i < parts; ++i) {
    for (const double side : {-1.0, 1.0}) {
      const Eigen::RowVectorXd C = grid.weights(t0 + h * (i + 0.5 + 0.5 * side / std::sqrt(3.0)));
      A += 0.5 * h * C.transpose() * C;
    }
  }
  // Its error is (1/60)^4 / 4320 of the fourth derivative over an interval between nodes, of order 100.
  EXPECT_LT((grid.energy_matrix() - A).cwiseAbs().maxCoeff(), 1e-8);
}

class Spline : public testing::TestWithParam<Interpolation> {};

INSTANTIATE_TEST_SUITE_P(Controls, Spline,
                         testing::Values(Interpolation::natural, Interpolation::clamped,
                                         Interpolation::not_a_knot));

TEST_P(Spline, IsTwiceContinuouslyDifferentiable) {
  const ControlGrid grid(GetParam(), 8, t0, t1);
  const VectorXd nodes = test::random_vector(8, 1.0, 1);
  double largest_jump = 0.0;
  for (Eigen::Index i = 1; i < 7; ++i) {
    const Eigen::Vector4d jump = derivatives(grid, nodes, i, 0.0) - derivatives(grid, nodes, i - 1, 1.0);
    EXPECT_LT(jump.head<3>().cwiseAbs().maxCoeff(), 1e-10) << "node " << i;  // of derivatives of order 100
    largest_jump = std::max(largest_jump, std::abs(jump[3]));
  }
  EXPECT_GT(largest_jump, 1.0);  // it is no single cubic
}

TEST(NaturalSpline, EndsWithoutCurvature) {
  const ControlGrid grid(Interpolation::natural, 6, t0, t1);
  const VectorXd nodes = test::random_vector(6, 1.0, 2);
  const Eigen::Vector4d first = derivatives(grid, nodes, 0, 0.0), last = derivatives(grid, nodes, 4, 1.0);
  EXPECT_NEAR(first[2], 0.0, 1e-10);  // of curvatures of order 10
  EXPECT_NEAR(last[2], 0.0, 1e-10);
  EXPECT_GT(std::abs(first[1]), 0.1);
}

TEST(ClampedSpline, EndsWithoutSlope) {
  const ControlGrid grid(Interpolation::clamped, 6, t0, t1);
  const VectorXd nodes = test::random_vector(6, 1.0, 3);
  const Eigen::Vector4d first = derivatives(grid, nodes, 0, 0.0), last = derivatives(grid, nodes, 4, 1.0);
  EXPECT_NEAR(first[1], 0.0, 1e-11);  // of slopes of order 1
  EXPECT_NEAR(last[1], 0.0, 1e-11);
  EXPECT_GT(std::abs(first[2]), 0.1);
}

TEST(ClampedSpline, OfTwoNodesIsACubicStep) {
  const ControlGrid grid(Interpolation::clamped, 2, 0.0, 1.0);
  for (const double s : {0.2, 0.5, 0.9}) EXPECT_NEAR(grid.weights(s)[1], s * s * (3.0 - 2.0 * s), rounding);
}

TEST(NotAKnotSpline, ReproducesEveryCubic) {
  for (const int n : {4, 5, 9}) {
    const ControlGrid grid(Interpolation::not_a_knot, n, t0, t1);
    const auto cubic = [](double t) { return 0.3 + t * (-1.0 + t * (0.7 - 0.4 * t)); };
    const VectorXd nodes = nodes_of(grid, cubic);
    for (double t = t0; t < t1; t += 0.0713) EXPECT_NEAR(value(grid, nodes, t), cubic(t), 1e-12);
  }
}

TEST(LinearControl, DependsOnTheTwoNodesAround) {
  const ControlGrid grid(Interpolation::linear, 5, 0.0, 4.0);
  const Eigen::RowVectorXd expected = (Eigen::RowVectorXd(5) << 0.0, 0.75, 0.25, 0.0, 0.0).finished();
  EXPECT_LT((grid.weights(1.25) - expected).cwiseAbs().maxCoeff(), rounding);
}

TEST(LinearControl, EnergyMatrixIsThatOfHatFunctions) {
  const ControlGrid grid(Interpolation::linear, 4, t0, t1);
  const double h = (t1 - t0) / 3.0;
  Eigen::Matrix4d expected;
  expected << 2, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 2;
  EXPECT_LT((grid.energy_matrix() - h / 6.0 * expected).cwiseAbs().maxCoeff(), rounding);
}

TEST(ConstantControl, HasOneNodePerInterval) {
  const ControlGrid grid(Interpolation::constant, 4, 0.0, 2.0);
  EXPECT_EQ(grid.n_nodes(), 4);
  EXPECT_DOUBLE_EQ(grid.node_time(3), 1.5);
  EXPECT_EQ(grid.weights(1.7), Eigen::RowVectorXd::Unit(4, 3));
  EXPECT_EQ(grid.weights(2.0), Eigen::RowVectorXd::Unit(4, 3));
  EXPECT_LT((grid.energy_matrix() - 0.5 * MatrixXd::Identity(4, 4)).cwiseAbs().maxCoeff(), rounding);
}

TEST(ConstantControl, HasAValueOnEitherSideOfAJump) {
  const ControlGrid grid(Interpolation::constant, 10, 0.0, 1.0);
  for (int i = 1; i < 10; ++i) {
    // A sum of steps differs from a multiple of the width by rounding.
    double t = 0.0;
    for (int k = 0; k < i; ++k) t += 0.1;
    EXPECT_EQ(grid.weights({t, false}), Eigen::RowVectorXd::Unit(10, i)) << "node " << i;
    EXPECT_EQ(grid.weights({t, true}), Eigen::RowVectorXd::Unit(10, i - 1)) << "node " << i;
  }
}

TEST(ConstantControl, JumpsAtItsNodesButTheFirst) {
  const std::vector<double> jumps = ControlGrid(Interpolation::constant, 4, 1.0, 3.0).jumps();
  EXPECT_EQ(jumps, (std::vector<double>{1.5, 2.0, 2.5}));
  EXPECT_TRUE(ControlGrid(Interpolation::linear, 4, 1.0, 3.0).jumps().empty());
}

TEST(ConstantControl, MayHaveOneNode) {
  const ControlGrid grid(Interpolation::constant, 1, 0.0, 1.0);
  EXPECT_EQ(grid.weights(0.3), Eigen::RowVectorXd::Ones(1));
}

/// Error of the interpolant of u with n intervals, largest at points between the nodes.
double interpolation_error(Interpolation interpolation, int n, const std::function<double(double)>& u) {
  const ControlGrid grid(interpolation, interpolation == Interpolation::constant ? n : n + 1, 0.0, 1.0);
  const VectorXd nodes = nodes_of(grid, u);
  double error = 0.0;
  for (int i = 0; i < 10 * n; ++i) {
    const double t = (i + 0.5) / (10.0 * n);
    error = std::max(error, std::abs(value(grid, nodes, t) - u(t)));
  }
  return error;
}

TEST(Controls, ConvergeWithTheirOrder) {
  struct Case {
    Interpolation interpolation;
    double order;
    std::function<double(double)> u;  ///< with the ends that the spline has
  };
  const auto sine = [](double t) { return std::sin(2.0 * M_PI * t); };
  const auto cosine = [](double t) { return std::cos(2.0 * M_PI * t); };
  const auto wave = [](double t) { return std::sin(5.0 * t + 0.3); };
  for (const Case& c : {Case{Interpolation::natural, 4.0, sine}, Case{Interpolation::clamped, 4.0, cosine},
                        Case{Interpolation::not_a_knot, 4.0, wave}, Case{Interpolation::linear, 2.0, wave},
                        Case{Interpolation::constant, 1.0, wave}}) {
    const double coarse = interpolation_error(c.interpolation, 80, c.u);
    const double fine = interpolation_error(c.interpolation, 160, c.u);
    EXPECT_NEAR(std::log2(coarse / fine), c.order, 0.1)
        << "interpolation " << static_cast<int>(c.interpolation);
  }
}

TEST(Controls, RefuseTooFewNodes) {
  expect_input_error([] { ControlGrid(Interpolation::natural, 1, 0.0, 1.0); }, {"1 nodes", "at least 2"});
  expect_input_error([] { ControlGrid(Interpolation::clamped, 1, 0.0, 1.0); }, {"1 nodes", "at least 2"});
  expect_input_error([] { ControlGrid(Interpolation::linear, 1, 0.0, 1.0); }, {"1 nodes", "at least 2"});
  expect_input_error([] { ControlGrid(Interpolation::not_a_knot, 3, 0.0, 1.0); }, {"3 nodes", "at least 4"});
  expect_input_error([] { ControlGrid(Interpolation::constant, 0, 0.0, 1.0); }, {"0 nodes", "at least 1"});
}

TEST(Controls, RefuseNoTime) {
  expect_input_error([] { ControlGrid(Interpolation::linear, 3, 1.0, 1.0); }, {"from 1 s to 1 s"});
  expect_input_error([] { ControlGrid(Interpolation::linear, 3, 2.0, 1.0); }, {"from 2 s to 1 s"});
}

TEST(Controls, StandOneAfterTheOther) {
  Controls controls;
  EXPECT_EQ(controls.add(ControlGrid(Interpolation::natural, 3, 0.0, 1.0)), 0);
  EXPECT_EQ(controls.add(ControlGrid(Interpolation::constant, 5, 0.0, 1.0)), 1);
  EXPECT_EQ(controls.size(), 2);
  EXPECT_EQ(controls.n_nodes(), 8);
  EXPECT_EQ(controls.offset(0), 0);
  EXPECT_EQ(controls.offset(1), 3);
}

}  // namespace
}  // namespace kurbel
