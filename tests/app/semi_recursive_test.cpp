/// Mechanisms in joint coordinates: against published numbers, and against the floating frame.   [P4]
#include <gtest/gtest.h>

#include "formulation/joint_coordinates_motion.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "simulated.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using test::Method, test::read, test::Simulated;

const std::string joints = "formulation=\"semi-recursive\"", frames = "formulation=\"floating-frame\"";

// --- [P4, Table 1]: rows are the lengths of the springs, mass, centre of mass and length of the crank.

MatrixXd published() {
  MatrixXd table(5, 3);
  table << -4.2288, -15.452, 221.64,  //
      3.2116, 50.309, 2436.6,         //
      0.31866, 0.97012, -32.497,      //
      0.44235, 0.74560, -85.657,      //
      3.3598, -27.359, -2546.6;
  return table;
}

TEST(FiveBar, HasThePublishedGradientsToFiveDigits) {
  // Richardson's extrapolation of steps h and h/2 of a method of second order.
  const auto gradients = [](const char* step) {
    return Simulated(read("five_bar.toml", {step})).gradients(Method::discrete_adjoint);
  };
  const MatrixXd coarse = gradients("integrator.step=5e-4"), fine = gradients("integrator.step=2.5e-4");
  const MatrixXd converged = (4.0 * fine - coarse) / 3.0, table = published();
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 3; ++j) {
      const double digit = std::pow(10.0, std::floor(std::log10(std::abs(table(i, j)))) - 4.0);
      // One of them, -32.49752 for -32.497, is cut off rather than rounded.
      EXPECT_NEAR(converged(i, j), table(i, j), 0.55 * digit) << i << ", " << j;
    }
  }
}

TEST(FiveBar, IsTheSameInFramesWithTheSameIndependentCoordinates) {
  // Both take two turns, of which those in joint coordinates are sums and differences of those of bodies: the
  // trapezoidal rule does not tell them apart.
  const std::string t1 = "integrator.t1=1.0", step = "integrator.step=2e-3";
  Simulated in_joints(
      read("five_bar.toml", {t1, step, joints, "integrator.independent=[\"A.rz\", \"P1.rz\"]"}));
  Simulated in_frames(read(
      "five_bar.toml", {t1, step, frames, "integrator.independent=[\"left_crank.rz\", \"left_rod.rz\"]"}));
  EXPECT_LT(test::column_error(in_joints.values, in_frames.values), 1e-9);
  EXPECT_LT(test::column_error(in_joints.gradients(Method::discrete_adjoint),
                               in_frames.gradients(Method::discrete_adjoint)),
            1e-9);
}

TEST(FiveBar, HasOneGradientByEveryExactMethod) {
  for (const char* method :
       {"integrator.method=\"trapezoidal\"", "integrator.method=\"generalized-alpha\""}) {
    Simulated run(read("five_bar.toml", {"integrator.t1=0.5", "integrator.step=5e-3", method}));
    const MatrixXd adjoint = run.gradients(Method::discrete_adjoint), direct = run.gradients(Method::direct);
    EXPECT_LT(test::column_error(adjoint, direct), 1e-10) << method;
    MatrixXd differences(run.z.size(), run.values.size());
    const VectorXd z = run.z;
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double h = 1e-5 * std::max(1.0, std::abs(z[i]));
      VectorXd plus = z, minus = z;
      plus[i] += h, minus[i] -= h;
      differences.row(i) = (run.simulate(plus) - run.simulate(minus)) / (2.0 * h);
    }
    EXPECT_LT(test::column_error(adjoint, differences), 1e-7) << method;
  }
}

TEST(FiveBar, GradientGrowsOverTimeToTheWholeOne) {
  Simulated run(read("five_bar.toml", {"integrator.t1=0.5", "integrator.step=5e-3"}));
  const MatrixXd expected = run.gradients(Method::discrete_adjoint);
  const auto objectives = run.motion->objectives(run.trajectory, run.asked);
  StepResidual<double>& steps = run.motion->steps();
  MatrixXd directions(steps.n_parameters(), run.z.size());
  for (Eigen::Index i = 0; i < steps.n_parameters(); ++i)
    directions.row(i) = run.motion->pullback(VectorXd::Unit(steps.n_parameters(), i)).transpose();
  for (std::size_t j = 0; j < objectives.size(); ++j) {
    const VectorXd at_end =
        gradient_over_time<double>(steps, run.trajectory, *objectives[j], directions).rightCols(1);
    EXPECT_LT((at_end - expected.col(static_cast<Eigen::Index>(j))).norm(), 1e-10 * at_end.norm());
  }
  // Of the first half: that of a motion half as long, but for the weight of its last instant in the integral.
  Simulated half(read("five_bar.toml", {"integrator.t1=0.25", "integrator.step=5e-3"}));
  const MatrixXd course = gradient_over_time<double>(steps, run.trajectory, *objectives[0], directions);
  const VectorXd of_half = half.gradients(Method::discrete_adjoint).col(0);
  EXPECT_LT((0.5 * (course.col(49) + course.col(50)) - of_half).norm(), 1e-9 * of_half.norm());
}

TEST(FiveBar, AdjointOfTheContinuousEquationsConvergesInTheSquareOfTheStep) {
  const auto error = [](const char* step) {
    Simulated run(read("five_bar.toml", {"integrator.t1=0.5", step}));
    return test::column_error(run.gradients(Method::continuous_adjoint),
                              run.gradients(Method::discrete_adjoint));
  };
  const double coarse = error("integrator.step=1e-2"), fine = error("integrator.step=5e-3");
  EXPECT_GT(coarse / fine, 3.5);
  EXPECT_LT(coarse / fine, 4.5);
}

}  // namespace
}  // namespace kurbel
