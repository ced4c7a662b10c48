/// Mechanisms in canonical coordinates, against the same ones in all other formulations.              [P3]
#include <gmock/gmock.h>

#include "formulation/joint_coordinates_motion.hpp"
#include "integration/canonical_steps.hpp"
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
  EXPECT_FALSE(model->make({model->numbers(), {}, {}}, motion).failed());
  Trajectory<double> trajectory;
  const Status status = motion->simulate(trajectory);
  EXPECT_GE(trajectory.n_stored, 1) << "what was found stays";
  return status.message();
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

/// A driven crank, and a coupler whose end a rod holds to the ground: the coupler is one short of reaching round.
const char* const four_bar_that_locks = R"(
formulation = "joint-hamiltonian"
integrator = { t1 = 0.9, step = 5e-3, method = "runge-kutta-4" }

[ground.markers]
anchor = { position = [1.0, 0.0, 0.0] }

[bodies.crank]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
markers.pin = { position = [0.6, 0.0, 0.0] }
initial = { rotation = [0.0, 0.0, 0.5] }

[bodies.coupler]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
markers.pin = { position = [0.5, 0.0, 0.0] }
initial = { position = [0.5265495, 0.2876553, 0.0], rotation = [0.0, 0.0, 0.7] }

[joints.bearing]
from = "ground"
to = "crank"
type = "revolute"
drive = { type = "constant-rate", dof = "rz", value = 0.5, rate = 2.0 }

[joints.pin]
from = "crank.pin"
to = "coupler"
type = "revolute"

[joints.rod]
from = "ground.anchor"
to = "coupler.pin"
type = "distance"
)";

// The coupler's 0.5 and the rod's 0.617 reach the crank's pin up to 0.49 s, when they stand in a line. Beyond it the rod is
// torn off.
TEST(ExplicitSteps, WarnOfJointsThatTheyLeave) {
  const auto warnings = [](const char* end) {
    const Simulated run(read_problem(
        TomlDocument::parse(four_bar_that_locks, "locks.toml", ".", {std::string("integrator.t1=") + end})));
    return run.motion->warnings(run.trajectory);
  };
  EXPECT_THAT(warnings("0.4"), testing::IsEmpty());
  EXPECT_THAT(warnings("1.5"), testing::Contains(testing::HasSubstr("joint rod")));
  EXPECT_THAT(warnings("9.0"), testing::Contains(testing::HasSubstr("joint rod")))
      << "nearly three turns of the crank";
}

TEST(FourLinks, KeepTheirEnergyToTheOrderOfTheMethod) {
  const auto drift = [](const char* step) {
    const Simulated run(read("n_link.toml", {"integrator.t1=0.8", step}));
    for (const OutputHistory& output : run.motion->outputs(run.trajectory)) {
      if (output.name == "energy") return (output.values.array() - output.values(0, 0)).abs().maxCoeff();
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  const double coarse = drift("integrator.step=2e-3"), fine = drift("integrator.step=1e-3");
  EXPECT_LT(fine, 1e-6) << "J, of some 10 J that change";
  EXPECT_GT(coarse / fine, 14.0);
}

// --- Dormand and Prince's steps with dense output

const std::string dense = "integrator.dense_output=true", coarse_output = "integrator.step=5e-3",
                  fine_output = "integrator.step=1e-3";

Simulated five_bar_densely(const std::string& formulation, const std::string& output,
                           const std::string& tolerance) {
  return Simulated(read("five_bar.toml", {formulation, adaptive, dense, two_seconds, output,
                                          "integrator.tolerance=" + tolerance}));
}

TEST(DenseOutput, IsAsAccurateBetweenTheStepsAsTheyAre) {
  for (const std::string& formulation : {joints, bodies}) {
    Simulated fine(read("five_bar.toml", {formulation, classical, two_seconds, "integrator.step=5e-4"}));
    const auto error = [&](const char* tolerance) {
      Simulated run = five_bar_densely(formulation, coarse_output, tolerance);
      const auto& steps = dynamic_cast<const DaeSteps<double>&>(run.motion->steps());
      const Eigen::Index n = steps.layout().n_x + steps.layout().n_v;
      double largest = 0.0;
      for (Eigen::Index k = 0; k < run.trajectory.n_stored; ++k)
        largest = std::max(
            largest, (run.trajectory.y.col(k) - fine.trajectory.y.col(10 * k)).head(n).cwiseAbs().maxCoeff());
      return largest;
    };
    EXPECT_LT(error("1e-6"), 1e-3) << formulation;
    EXPECT_LT(error("1e-9"), 1e-6) << formulation;
  }
}

// The first step that is tried takes the whole second to the first output, and is refused.
TEST(DenseOutput, IsAsAccurateWhereTheFirstStepTriedIsFarTooLong) {
  Simulated fine(read("five_bar.toml", {joints, classical, two_seconds, "integrator.step=5e-4"})),
      run = five_bar_densely(joints, "integrator.step=1.0", "1e-9");
  const auto& steps = dynamic_cast<const DaeSteps<double>&>(run.motion->steps());
  const Eigen::Index n = steps.layout().n_x + steps.layout().n_v, last = fine.trajectory.n_stored - 1;
  ASSERT_EQ(run.trajectory.n_stored, 3);
  EXPECT_LT((run.trajectory.y.col(2) - fine.trajectory.y.col(last)).head(n).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(DenseOutput, LeavesTheStepsToTheErrorAlone) {
  const auto steps_of = [](Simulated& run) {
    return dynamic_cast<const CanonicalSteps<double>&>(run.motion->steps()).n_steps_taken();
  };
  Simulated coarse = five_bar_densely(joints, coarse_output, "1e-6"),
            fine = five_bar_densely(joints, fine_output, "1e-6");
  EXPECT_NEAR(static_cast<double>(steps_of(fine)), static_cast<double>(steps_of(coarse)), 5.0);
  EXPECT_LT(steps_of(fine), 400) << "of 2000 outputs";
  EXPECT_LT(test::column_error(fine.values, coarse.values), 1e-4);
}

TEST(DenseOutput, MeetsTheConstraintsOfVelocity) {
  Simulated run = five_bar_densely(joints, coarse_output, "1e-7");
  const auto& system = dynamic_cast<const JointCoordinatesMotion&>(*run.motion).system();
  const DaeStateLayout layout{system.n_x(), system.n_v(), system.n_c(), 1};
  const auto ws = system.make_workspace();
  ConstraintDerivatives<double> c;
  for (Eigen::Index k = 0; k < run.trajectory.n_stored; ++k) {
    system.constraint_derivatives(layout.instant<double>(run.trajectory.t[k], run.trajectory.y.col(k)), *ws,
                                  c);
    EXPECT_LT(c.c1.cwiseAbs().maxCoeff(), 1e-12) << run.trajectory.t[k];
    EXPECT_LT(c.c2.cwiseAbs().maxCoeff(), 1e-9) << run.trajectory.t[k];
  }
}

TEST(DenseOutput, HasGradientsByTheContinuousAdjoint) {
  Simulated exact(read("five_bar.toml", {joints, classical, two_seconds, coarse_output}));
  Simulated run = five_bar_densely(joints, coarse_output, "1e-9");
  EXPECT_EQ(run.problem.sensitivity.method, Method::continuous_adjoint) << "where none is given";
  EXPECT_LT(largest_relative(run.gradients(Method::continuous_adjoint).col(0),
                             exact.gradients(Method::discrete_adjoint).col(0)),
            1e-5);
}

TEST(DenseOutput, IsRefusedForDerivativesOfSteps) {
  const auto refusal = [](const std::string& method) -> std::string {
    try {
      read("five_bar.toml", {joints, adaptive, dense, "sensitivity.method=\"" + method + "\""});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  for (const char* method : {"discrete-adjoint", "direct", "auto"})
    EXPECT_THAT(refusal(method), testing::HasSubstr("integrator.dense_output")) << method;
  EXPECT_EQ(refusal("finite-differences"), "");
  Simulated run = five_bar_densely(joints, coarse_output, "1e-6");
  EXPECT_THROW(run.gradients(Method::discrete_adjoint), InputError);
  EXPECT_THROW(run.gradients(Method::direct), InputError);
}

}  // namespace
}  // namespace kurbel
