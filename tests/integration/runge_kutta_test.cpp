/// One-step methods on x_dot = f(t, x, p): their formulas, their order, their failures.
#include "integration/runge_kutta.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "every_method.hpp"
#include "integration/first_order_form.hpp"
#include "tests/input_error.hpp"
#include "tests/natural_coordinates/test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

/// The states at all steps, of a system with controls.
MatrixXd motion(SystemSpec spec, const Controls& controls, const VectorXd& u_bar,
                const IntegratorOptions& options) {
  test::set_grids(controls, spec);
  for (std::size_t i = 0; i < spec.controls.size(); ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    spec.controls[i].nodes = u_bar.segment(controls.offset(c), controls.grid(c).n_nodes());
  }
  const NaturalSystem<double> system(spec);
  const FirstOrderForm<double> form(system);
  RungeKutta<double> integrator(form, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(integrator, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  return trajectory.y;
}

INSTANTIATE_TEST_SUITE_P(RungeKutta, EveryMethod, testing::ValuesIn(methods),
                         [](const auto& param) { return name_of(param.param); });

// --- The linear oscillator m x_ddot = u - d x_dot - c x of [P2, eq. 45]

constexpr double c = 1.0, d = 0.5;  // with m = 1

SystemSpec oscillator() {
  SystemSpec spec;
  spec.point_masses = {{"mass", {0.4, 0.0, 0.0}, {-0.3, 0.0, 0.0}, {true, false, false}, 1.0}};
  spec.springs = {test::spring("spring", SpringLaw::linear, "ground", "mass", c, d)};
  test::add_force(spec, "u", "mass", {1.0, 0.0, 0.0});
  return spec;
}

Matrix2d oscillator_matrix() {
  return (Matrix2d() << 0.0, 1.0, -c, -d).finished();
}

/// x_{k+1} = G x_k for a constant force, about the position of rest.      [P2, eqs 22, 25]
Matrix2d amplification(IntegratorMethod method, double h) {
  const Matrix2d I = Matrix2d::Identity(), hA = h * oscillator_matrix();
  switch (method) {
    case IntegratorMethod::explicit_euler:
      return I + hA;
    case IntegratorMethod::implicit_euler:
      return (I - hA).inverse();
    case IntegratorMethod::trapezoidal:
      return (I - 0.5 * hA).inverse() * (I + 0.5 * hA);
    default:
      return I + hA * (I + hA / 2.0 * (I + hA / 3.0 * (I + hA / 4.0)));
  }
}

TEST_P(EveryMethod, FollowsItsRecursionOnTheLinearOscillator) {
  const double u = 1.7, h = 0.1;
  const int n = 60;
  Controls controls;
  controls.add(ControlGrid(Interpolation::constant, 1, 0.0, n * h));
  const MatrixXd y =
      motion(oscillator(), controls, VectorXd::Constant(1, u), options_of(GetParam(), n * h, n));
  const Matrix2d G = amplification(GetParam(), h);
  const Vector2d rest(u / c, 0.0);
  Vector2d x(0.4, -0.3);
  for (int k = 1; k <= n; ++k) {
    x = rest + G * (x - rest);
    EXPECT_LT((y.col(k) - x).cwiseAbs().maxCoeff(), 1e-12) << "step " << k;  // rounding of 60 steps
  }
}

TEST(ExplicitEuler, TakesTheControlAtTheBeginningOfAStep) {
  Controls controls;
  controls.add(ControlGrid(Interpolation::linear, 2, 0.0, 0.4));
  const double h = 0.2;
  const MatrixXd y = motion(oscillator(), controls, Vector2d(1.0, 3.0),
                            options_of(IntegratorMethod::explicit_euler, 2 * h, 2));
  Vector2d x(0.4, -0.3);
  for (int k = 0; k < 2; ++k) {
    x += h * (oscillator_matrix() * x + Vector2d(0.0, 1.0 + k));
    EXPECT_LT((y.col(k + 1) - x).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(ImplicitEuler, TakesTheControlAtTheEndOfAStep) {
  Controls controls;
  controls.add(ControlGrid(Interpolation::linear, 2, 0.0, 0.4));
  const double h = 0.2;
  const MatrixXd y = motion(oscillator(), controls, Vector2d(1.0, 3.0),
                            options_of(IntegratorMethod::implicit_euler, 2 * h, 2));
  const Matrix2d shifted = Matrix2d::Identity() - h * oscillator_matrix();
  Vector2d x(0.4, -0.3);
  for (int k = 0; k < 2; ++k) {
    x = shifted.inverse() * (x + h * Vector2d(0.0, 2.0 + k));
    EXPECT_LT((y.col(k + 1) - x).cwiseAbs().maxCoeff(), 1e-14);
  }
}

// --- Order

/// log2 of the ratio of errors in the final state with 200 and 400 steps.
double measured_order(IntegratorMethod method, const Controls& controls, const VectorXd& u_bar, double t1) {
  const auto end = [&](IntegratorMethod by, int n) -> VectorXd {
    return motion(test::spring_pendulum().spec, controls, u_bar, options_of(by, t1, n)).rightCols(1);
  };
  const VectorXd exact = end(IntegratorMethod::runge_kutta_4, 6400);
  return std::log2((end(method, 200) - exact).norm() / (end(method, 400) - exact).norm());
}

double order_of(IntegratorMethod method) {
  return method == IntegratorMethod::runge_kutta_4 ? 4.0
         : method == IntegratorMethod::trapezoidal ? 2.0
                                                   : 1.0;
}

TEST_P(EveryMethod, HasItsOrderWithASmoothControl) {
  const double t1 = 0.8;
  Controls controls;
  for (int i = 0; i < 3; ++i) controls.add(ControlGrid(Interpolation::not_a_knot, 4, 0.0, t1));
  const VectorXd u_bar = test::random_vector(12, 8.0, 1);
  // 0.1: terms of the next order.
  EXPECT_NEAR(measured_order(GetParam(), controls, u_bar, t1), order_of(GetParam()), 0.1);
}

TEST_P(EveryMethod, KeepsItsOrderWithJumpsBetweenSteps) {
  const double t1 = 0.8;
  Controls controls;
  for (int i = 0; i < 3; ++i) controls.add(ControlGrid(Interpolation::constant, 5, 0.0, t1));
  const VectorXd u_bar = test::random_vector(15, 8.0, 2);
  EXPECT_NEAR(measured_order(GetParam(), controls, u_bar, t1), order_of(GetParam()), 0.1);
}

// --- What can go wrong

TEST(RungeKutta, RefusesGeneralizedAlpha) {
  expect_input_error([] { ButcherTableau::of(IntegratorMethod::generalized_alpha); },
                     {"generalized-alpha", "second-order"});
}

Status status_of(const SystemSpec& spec, const IntegratorOptions& options) {
  const NaturalSystem<double> system(spec);
  const FirstOrderForm<double> form(system);
  RungeKutta<double> integrator(form, options);
  Trajectory<double> trajectory;
  Status status = simulate<double>(integrator, trajectory);
  EXPECT_EQ(trajectory.n_stored < trajectory.y.cols(), status.failed());
  return status;
}

TEST(RungeKutta, SaysWhenTheMotionDiverges) {
  SystemSpec spec = test::without_controls({oscillator(), {}, {}}).spec;
  spec.springs[0].law = SpringLaw::green_lagrange;
  spec.springs[0].free_length = 0.01;
  spec.springs[0].stiffness = 1e6;
  const Status status = status_of(spec, options_of(IntegratorMethod::explicit_euler, 10.0, 100));
  ASSERT_TRUE(status.failed());
  EXPECT_EQ(status.failure().what, "the motion has diverged");
  EXPECT_GT(status.failure().time, 0.0);
}

TEST(RungeKutta, SaysWhenAStepHasNoUniqueSolution) {
  SystemSpec spec = test::without_controls({oscillator(), {}, {}}).spec;
  spec.springs[0].stiffness = -1.0;
  spec.springs[0].damping = 0.0;  // I - h f_x is singular for h = 1
  const Status status = status_of(spec, options_of(IntegratorMethod::implicit_euler, 3.0, 3));
  ASSERT_TRUE(status.failed());
  EXPECT_EQ(status.failure().what, "the step has no unique solution");
  EXPECT_EQ(status.failure().time, 1.0);
}

TEST(RungeKutta, SaysWhenNewtonsIterationDoesNotConverge) {
  const SystemSpec spec = test::without_controls(test::arm()).spec;
  IntegratorOptions options = options_of(IntegratorMethod::trapezoidal, 0.5, 50);
  EXPECT_FALSE(status_of(spec, options).failed());
  options.max_newton_iterations = 1;
  const Status status = status_of(spec, options);
  ASSERT_TRUE(status.failed());
  EXPECT_EQ(status.failure().what, "Newton's iteration does not converge");
  EXPECT_EQ(status.failure().time, 0.01);
}

/// Conditions of order 4 at theta, of all trees with up to four nodes; the rate at the end is one more stage.
TEST(RungeKutta, InterpolatesDormandAndPrinceToOrderFour) {
  const ButcherTableau t = ButcherTableau::of(IntegratorMethod::dormand_prince);
  const Eigen::Index n = t.n_stages();
  MatrixXd A = MatrixXd::Zero(n + 1, n + 1);
  A.topLeftCorner(n, n) = t.A;
  A.bottomLeftCorner(1, n) = t.b.transpose();
  const VectorXd c = A.rowwise().sum(), c2 = c.cwiseAbs2(), c3 = c2.cwiseProduct(c), Ac = A * c;
  for (const double theta : {0.1, 0.5, 0.8, 1.0}) {
    const VectorXd b = t.weights_at(theta);
    const double theta2 = theta * theta, theta3 = theta2 * theta, theta4 = theta3 * theta;
    EXPECT_NEAR(b.sum(), theta, 1e-14);
    EXPECT_NEAR(b.dot(c), theta2 / 2.0, 1e-14);
    EXPECT_NEAR(b.dot(c2), theta3 / 3.0, 1e-14);
    EXPECT_NEAR(b.dot(Ac), theta3 / 6.0, 1e-14);
    EXPECT_NEAR(b.dot(c3), theta4 / 4.0, 1e-14);
    EXPECT_NEAR(b.dot(c.cwiseProduct(Ac)), theta4 / 8.0, 1e-14);
    EXPECT_NEAR(b.dot(A * c2), theta4 / 12.0, 1e-14);
    EXPECT_NEAR(b.dot(A * Ac), theta4 / 24.0, 1e-14);
  }
  EXPECT_LT((t.weights_at(1.0).head(n) - t.b).cwiseAbs().maxCoeff(), 1e-15);
}

}  // namespace
}  // namespace kurbel
