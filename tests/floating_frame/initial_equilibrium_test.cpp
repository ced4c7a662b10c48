/// Starts in static and quasi-static equilibrium: closed forms, what follows in time, derivatives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "equilibrium_models.hpp"
#include "integration/initial_conditions.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using Start = test::FoundStart;
using test::mechanism_near_rest;
using test::quasi_static_mechanism;
using test::resting_mechanism;
using test::Simulation;
using test::span;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double g = 9.81;

std::array<bool, 6> locked_by(const std::string& type) {
  std::array<bool, 6> locked{};
  EXPECT_TRUE(locked_dofs_of(type, locked));
  return locked;
}

/// A rod on a hinge, its centre of mass at 0.5 m along its x axis, in gravity along -y.
SystemSpec pendulum(double angle) {
  SystemSpec spec;
  spec.gravity << 0, -g, 0;
  spec.bodies = {
      {"rod", test::rigid_sid_with_markers(2.0, {0.5, 0, 0}, {0.1, 0.7, 0.7}, {0, 0, 0}, {1, 0, 0}), {}}};
  spec.bodies[0].initial.rotation << 0, 0, angle;
  spec.joints = {{"hinge", {"ground"}, {"rod", "a"}, locked_by("revolute"), {}}};
  spec.initial_equilibrium = InitialEquilibrium::all;
  return spec;
}

TEST(StaticEquilibrium, OfAMassOnASpringStretchesItByItsWeight) {
  const double m = 2.0, k = 50.0, l0 = 0.5;
  SystemSpec spec;
  spec.gravity << g, 0, 0;
  spec.bodies = {{"mass", test::rigid_sid_with_markers(m, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}), {}}};
  spec.bodies[0].initial.position << 0.1, 0, 0;
  spec.joints = {{"guide", {"ground"}, {"mass"}, {false, true, true, true, true, true}, {}}};
  spec.springs = {{"coil", {"ground"}, {"mass", "a"}, k, 0.0, l0}};
  spec.initial_equilibrium = InitialEquilibrium::all;
  const Start start(spec);
  ASSERT_FALSE(start.status.failed()) << start.status.message();
  EXPECT_NEAR(start.state.x[0], l0 + m * g / k, 1e-14);
}

TEST(StaticEquilibrium, OfAPendulumIsBelowItsHingeFromAnyStart) {
  for (const double angle : {0.0, 0.5, 1.5, -2.0, 3.0, 1.5707}) {
    const Start start(pendulum(angle));
    ASSERT_FALSE(start.status.failed()) << start.status.message();
    EXPECT_NEAR(start.angle(0), -EIGEN_PI / 2.0, 1e-14) << angle;
    // The hinge carries the weight: -lambda acts on the rod, along its axes.
    EXPECT_NEAR(start.state.lambda[0], 2.0 * g, 1e-12);
  }
}

TEST(StaticEquilibrium, ThatADirectionWithoutStiffnessLeavesOpenIsRefused) {
  SystemSpec spec = pendulum(0.3);
  spec.joints.clear();
  spec.bodies[0].initial.position << 0.1, -0.1, 0.05;
  for (const auto& [name, end] : {std::pair("x", Vector3d(1, 0, 0)), std::pair("y", Vector3d(0, 1, 0)),
                                  std::pair("z", Vector3d(0, 0, 1))})
    spec.ground.push_back(make_sid_node(name, end, Matrix3d::Identity(), 0));
  int n = 0;
  for (const char* post : {"x", "y", "z"}) {
    for (const char* end : {"a", "b"})
      spec.springs.push_back({"s" + std::to_string(n++), {"ground", post}, {"rod", end}, 300.0, 0.0, 0.4});
  }
  const Start start(spec);
  // Turning about the line from a to b meets no stiffness.
  ASSERT_TRUE(start.status.failed());
  EXPECT_THAT(start.status.message(), AllOf(HasSubstr("no stiffness"), HasSubstr("body rod")));
}

TEST(StaticEquilibrium, ThatDoesNotExistNamesTheBody) {
  SystemSpec falling = pendulum(0.0);
  falling.joints = {{"guide", {"ground"}, {"rod"}, {true, false, true, true, true, true}, {}}};
  const Start fall(falling, 0.25);
  ASSERT_TRUE(fall.status.failed());
  EXPECT_THAT(fall.status.message(), AllOf(HasSubstr("no static equilibrium is found"), HasSubstr("body rod"),
                                           HasSubstr("t = 0.25 s"), HasSubstr("initial.state")));

  SystemSpec rotor = pendulum(0.2);
  rotor.gravity.setZero();
  const Start spin(rotor);
  ASSERT_TRUE(spin.status.failed());
  EXPECT_THAT(spin.status.message(), AllOf(HasSubstr("no stiffness"), HasSubstr("body rod")));

  const Start upright(pendulum(EIGEN_PI / 2.0));
  ASSERT_TRUE(upright.status.failed());
  EXPECT_THAT(upright.status.message(), AllOf(HasSubstr("unstable"), HasSubstr("body rod")));
}

TEST(StaticEquilibrium, StartsAtRestAndStaysThere) {
  Simulation<double> run(resting_mechanism(), span(0.5, 0.01), {"one"});
  ASSERT_GT(run.value(), 0.0);
  const auto start = run.trajectory.y.col(0);
  EXPECT_GT(start.cwiseAbs().maxCoeff(), 1.0);
  const Eigen::Index n_x = run.system.n_x(), n_v = run.system.n_v();
  EXPECT_EQ(start.segment(n_x, n_v).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_LT(start.segment(n_x + n_v, 2 * n_v).cwiseAbs().maxCoeff(), 1e-10);  // rounding of forces near 100 N
  const MatrixXd moved = (run.trajectory.y.colwise() - start).cwiseAbs();
  EXPECT_LT(moved.topRows(n_x).maxCoeff(), 1e-13);
  EXPECT_LT(moved.middleRows(n_x, n_v).maxCoeff(), 1e-12);
  // Newton stops at accelerations of 1e-13 / h^2.
  EXPECT_LT(moved.bottomRows(run.system.n_c()).maxCoeff(), 1e-8);
}

/// A mass that a spring holds on an arm turning at a constant rate.
TEST(RelativeEquilibrium, OfAMassOnATurningArmBalancesItsCentrifugalForce) {
  const double m = 0.5, k = 200.0, l0 = 0.3, rate = 8.0;
  SystemSpec spec;
  spec.ground = {make_sid_node("axle", {0, 0, 0}, Matrix3d::Identity(), 0)};
  spec.bodies = {
      {"arm", test::rigid_sid_with_markers(1.0, {0.5, 0, 0}, {0.1, 0.1, 0.1}, {0, 0, 0}, {1, 0, 0}), {}},
      {"mass", test::rigid_sid_with_markers(m, {0, 0, 0}, {0.01, 0.01, 0.01}, {0, 0, 0}, {0.1, 0, 0}), {}}};
  spec.bodies[1].initial.position << 0.35, 0, 0;
  spec.joints = {{"axle",
                  {"ground"},
                  {"arm", "a"},
                  locked_by("revolute"),
                  {{RelativeDof::rz, constant_rate(0.0, rate)}}},
                 {"guide", {"arm", "a"}, {"mass", "a"}, {false, true, true, true, true, true}, {}}};
  spec.springs = {{"coil", {"arm", "a"}, {"mass", "a"}, k, 0.0, l0}};
  spec.initial_equilibrium = InitialEquilibrium::all;
  Simulation<double> run(spec, span(0.2, 1e-3), {});
  (void)run.value();
  const double expected = k * l0 / (k - m * rate * rate);
  for (const Eigen::Index i : {Eigen::Index{0}, run.trajectory.n_stored - 1}) {
    const Vector3d r = run.system.pose(run.trajectory.y.col(i).head(run.system.n_x()), 1).r;
    EXPECT_NEAR(r.norm(), expected, i == 0 ? 1e-14 : 1e-10);  // later, rounding of Newton's iterations
  }
}

TEST(RelativeEquilibrium, BeyondTheCriticalSpeedIsRefused) {
  SystemSpec spec = pendulum(0.0);
  spec.gravity.setZero();
  spec.joints = {{"guide", {"ground"}, {"rod"}, {false, true, true, true, true, false}, {}}};
  spec.joints[0].drives = {{RelativeDof::rz, constant_rate(0.0, 30.0)}};
  spec.springs = {{"coil", {"ground"}, {"rod", "b"}, 200.0, 0.0, 0.3}};
  const Start start(spec);
  ASSERT_TRUE(start.status.failed());
  EXPECT_THAT(start.status.message(), HasSubstr("body rod"));
}

TEST(QuasiStaticStart, HoldsRigidCoordinatesAndLeavesElasticOnesWithoutAcceleration) {
  SystemSpec spec = quasi_static_mechanism();
  spec.bodies[2].initial.given.position = spec.bodies[2].initial.given.velocity = true;
  const Start start(spec);
  ASSERT_FALSE(start.status.failed()) << start.status.message();
  ConstraintDerivatives<double> constraints;
  const auto ws = start.system.make_workspace();
  start.system.constraint_derivatives(
      {0.0, start.state.x, start.state.v, start.state.v_dot, start.state.lambda}, *ws, constraints);
  EXPECT_LT(constraints.c0.cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT(constraints.c1.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(constraints.c2.cwiseAbs().maxCoeff(), 1e-10);
  double rigid = 0.0;
  for (Eigen::Index i = 0; i < start.system.n_v(); ++i) {
    if (start.system.is_rigid_coordinate(i)) {
      rigid = std::max(rigid, std::abs(start.state.v_dot[i]));
    } else {
      EXPECT_LT(std::abs(start.state.v_dot[i]), 1e-9) << i;
      EXPECT_EQ(start.state.v[i], 0.0) << i;
    }
  }
  EXPECT_GT(rigid, 1.0);
  // The joints leave the rod where it is given, and as fast.
  EXPECT_LT((start.system.pose(start.state.x, 2).r - spec.bodies[2].initial.position).norm(), 1e-14);
  const Vector3d velocity = rotation_matrix(start.system.pose(start.state.x, 2).e) *
                            start.state.v.segment<3>(start.system.v_offset(2));
  EXPECT_LT((velocity - spec.bodies[2].initial.velocity).norm(), 1e-14);
}

// A start that is quasi-static already is not told to become so.
TEST(QuasiStaticStart, OfABodyThatBreaksAwayAdvisesMoreStiffness) {
  SystemSpec spec;
  spec.bodies = {{"blade", test::random_flexible_sid(5, 3, 4000.0), {}}};
  spec.joints = {{"axle",
                  {"ground"},
                  {"blade"},
                  locked_by("revolute"),
                  {{RelativeDof::rz, constant_rate(0.0, 5000.0)}}}};
  spec.initial_equilibrium = InitialEquilibrium::elastic;
  const Start start(spec);
  ASSERT_TRUE(start.status.failed());
  EXPECT_THAT(start.status.message(), AllOf(HasSubstr("body blade"), HasSubstr("raise the stiffness"),
                                            testing::Not(HasSubstr("quasi-static"))));
}

TEST(QuasiStaticStart, SetsATurningBodyInMotionWithoutVibration) {
  // A driven flexible body: its elastic coordinates begin where centrifugal force and weight leave them.
  SystemSpec spec;
  spec.bodies = {{"blade", test::random_flexible_sid(5, 3, 4000.0), {}}};
  spec.joints = {
      {"axle", {"ground"}, {"blade"}, locked_by("revolute"), {{RelativeDof::rz, constant_rate(0.0, 5.0)}}}};
  const auto amplitude = [&](InitialEquilibrium start) {
    spec.initial_equilibrium = start;
    Simulation<double> run(spec, span(0.5, 1e-3, 1.0), {"blade"});
    EXPECT_GT(run.value(), 0.0);
    const auto q = run.trajectory.y.middleRows(7, 3);
    return (q.rowwise().maxCoeff() - q.rowwise().minCoeff()).maxCoeff();
  };
  // Turning steadily without gravity, the relative equilibrium lasts.
  EXPECT_GT(amplitude(InitialEquilibrium::none), 1e-4);
  EXPECT_LT(amplitude(InitialEquilibrium::elastic), 1e-10);
}

class EquilibriumStart : public ::testing::TestWithParam<bool> {
 protected:
  SystemSpec spec() const { return GetParam() ? mechanism_near_rest() : quasi_static_mechanism(); }
};

TEST_P(EquilibriumStart, ServesEveryMethodOfSensitivityAnalysis) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(spec(), options, {"one", "two"});
  ASSERT_GT(run.value(), 0.0);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, {&run.psi});
  EXPECT_LT((adjoint - direct).cwiseAbs().maxCoeff(), 1e-12 * adjoint.cwiseAbs().maxCoeff());

  Simulation<Complex> judge(spec(), options, {"one", "two"});
  const VectorX<Complex> p = judge.system.parameters();
  const double step = 1e-40;
  test::Random random(37);
  for (int i = 0; i < 5; ++i) {
    const VectorXd direction = random.vector(p.size());
    judge.system.set_parameters(p + Complex(0.0, step) * direction);
    const double expected = judge.value().imag() / step;
    EXPECT_NEAR(adjoint.col(0).dot(direction), expected, 1e-10 * adjoint.norm() * direction.norm());
  }

  double errors[2];
  for (int i = 0; i < 2; ++i) {
    Simulation<double> fine(spec(), span(0.08, i == 0 ? 6.25e-4 : 3.125e-4), {"one", "two"});
    ASSERT_GT(fine.value(), 0.0);
    const MatrixXd discrete = discrete_adjoint<double>(fine.integrator, fine.trajectory, {&fine.psi});
    const MatrixXd continuous =
        continuous_adjoint(fine.system, fine.integrator, fine.trajectory, {&fine.psi.integrand()});
    errors[i] = (continuous - discrete).cwiseAbs().maxCoeff() / discrete.cwiseAbs().maxCoeff();
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Starts, EquilibriumStart, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Static" : "QuasiStatic"; });

}  // namespace
}  // namespace kurbel
