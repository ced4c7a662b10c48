/// Mechanisms in canonical coordinates, against the same ones in all other formulations.              [P3]
#include <gmock/gmock.h>

#include "formulation/joint_coordinates_motion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulated.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using test::Method, test::read, test::Simulated;

const std::string joints = "formulation=\"joint-hamiltonian\"", bodies = "formulation=\"hamiltonian\"",
                  classical = "integrator.method=\"runge-kutta-4\"",
                  adaptive = "integrator.method=\"dormand-prince\"", two_seconds = "integrator.t1=2.0";

double largest_relative(const MatrixXd& found, const MatrixXd& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

TEST(FiveBarInMomenta, MovesAsInEveryFormulation) {
  const auto values = [](const std::string& formulation, const std::string& method, const char* step) {
    return Simulated(read("five_bar.toml", {formulation, method, two_seconds, step})).values;
  };
  const VectorXd fine = values(joints, classical, "integrator.step=1e-3");
  EXPECT_LT(test::column_error(values(bodies, classical, "integrator.step=1e-3"), fine), 1e-8);
  EXPECT_LT(test::column_error(values(joints, adaptive, "integrator.step=5e-3"), fine), 1e-7);
  const std::string semi_recursive = "formulation=\"semi-recursive\"",
                    trapezoidal = "integrator.method=\"trapezoidal\"";
  const VectorXd coarse = values(semi_recursive, trapezoidal, "integrator.step=1e-3"),
                 half = values(semi_recursive, trapezoidal, "integrator.step=5e-4");
  EXPECT_LT(test::column_error((4.0 * half - coarse) / 3.0, fine), 1e-6) << "Richardson's extrapolation";
}

TEST(FiveBarInMomenta, ConvergesInTheFourthPowerOfTheStep) {
  for (const std::string& formulation : {joints, bodies}) {
    const auto values = [&](const char* step) {
      return Simulated(read("five_bar.toml", {formulation, classical, two_seconds, step})).values;
    };
    const VectorXd fine = values("integrator.step=1e-3");
    const double coarse_error = (values("integrator.step=0.02") - fine).norm(),
                 error = (values("integrator.step=0.01") - fine).norm();
    EXPECT_GT(coarse_error / error, 12.0) << formulation;
  }
}

TEST(FiveBarInMomenta, HasOneGradientByEveryExactMethod) {
  for (const std::string& formulation : {joints, bodies}) {
    for (const std::string& method : {classical, adaptive}) {
      const std::vector<std::string> overrides = {formulation, method, "integrator.t1=0.3",
                                                  "integrator.step=5e-3"};
      Simulated run(read("five_bar.toml", overrides));
      const MatrixXd adjoint = run.gradients(Method::discrete_adjoint);
      EXPECT_LT(test::column_error(run.gradients(Method::direct), adjoint), 1e-9) << formulation << method;
      if (method == adaptive) continue;  // differences take other steps
      for (Eigen::Index i = 0; i < run.z.size(); ++i) {
        const double h = 1e-5 * run.z[i];
        VectorXd above = run.z, below = run.z;
        above[i] += h, below[i] -= h;
        const VectorXd difference =
            (Simulated(read("five_bar.toml", overrides)).simulate(above) - run.simulate(below)) / (2.0 * h);
        for (Eigen::Index j = 0; j < difference.size(); ++j)
          EXPECT_NEAR(adjoint(i, j), difference[j], 1e-5 * adjoint.col(j).norm()) << i << ' ' << j;
      }
    }
  }
}

// [P3 (b)]: relative 1e-5 at 5 ms, fourth order.
TEST(FiveBarInMomenta, ContinuousAdjointsConvergeInTheFourthPowerOfTheStep) {
  for (const std::string& formulation : {joints, bodies}) {
    const auto error = [&](const char* step) {
      Simulated run(read("five_bar.toml", {formulation, classical, two_seconds, step}));
      return largest_relative(run.gradients(Method::continuous_adjoint).col(0),
                              run.gradients(Method::discrete_adjoint).col(0));
    };
    const double coarse = error("integrator.step=0.01"), fine = error("integrator.step=5e-3");
    EXPECT_LT(fine, 1e-5) << formulation;
    EXPECT_GT(coarse / fine, 11.0) << formulation;
  }
}

TEST(FiveBarInMomenta, KeepsVelocitiesOnTheConstraints) {
  Simulated run(read("five_bar.toml", {joints, classical, "integrator.step=5e-3"}));
  const auto& motion = dynamic_cast<const JointCoordinatesMotion&>(*run.motion);
  const auto& system = motion.system();
  const DaeStateLayout layout{system.n_x(), system.n_v(), system.n_c(), 1};
  const auto ws = system.make_workspace();
  ConstraintDerivatives<double> c;
  double position = 0.0, velocity = 0.0;
  for (Eigen::Index k = 0; k < run.trajectory.n_stored; ++k) {
    system.constraint_derivatives(layout.instant<double>(run.trajectory.t[k], run.trajectory.y.col(k)), *ws,
                                  c);
    position = std::max(position, c.c0.cwiseAbs().maxCoeff());
    velocity = std::max(velocity, c.c1.cwiseAbs().maxCoeff());
  }
  EXPECT_LT(velocity, 1e-12);
  EXPECT_LT(position, 1e-5);
  EXPECT_GT(position, 1e-14) << "positions drift";
}

/// Why a motion fails.
std::string failure_of(const std::vector<std::string>& overrides) {
  const Problem problem = read("five_bar.toml", overrides);
  const StressSets stress(problem);
  const auto model = make_motion_model(problem, stress);
  std::unique_ptr<Motion> motion;
  EXPECT_FALSE(model->make({model->numbers(), {}, {}}, motion));
  Trajectory<double> trajectory;
  const Status status = motion->simulate(trajectory);
  EXPECT_GE(trajectory.n_stored, 1) << "what was found stays";
  return status ? status->message() : "";
}

TEST(FiveBarInMomenta, AreSaidToBeTooStiffWhereTheyAre) {
  const std::vector<std::string> stiff = {joints, "springs.side.stiffness=1e9", "springs.side.damping=1e9",
                                          "integrator.step=1e-2"};
  const auto with = [&](const std::string& method) {
    std::vector<std::string> all = stiff;
    all.push_back(method);
    return failure_of(all);
  };
  EXPECT_THAT(with(classical), testing::HasSubstr("the motion has diverged"));
  EXPECT_THAT(with(adaptive), testing::HasSubstr("steps that are far too small"));
  EXPECT_THAT(failure_of({joints, classical, "springs.side.stiffness=1e300", "springs.side.damping=1e300"}),
              testing::HasSubstr("the motion has diverged"))
      << "within a step";
}

}  // namespace
}  // namespace kurbel
