/// Integration and its discrete adjoint on whole mechanisms.
#include "sensitivity/discrete_adjoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "integration/initial_conditions.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

using test::moving_mechanism;
using test::Simulation;
using test::span;

void expect_gradients_of_complex_step(const SystemSpec& spec) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(spec, options, {"one", "two"});
  ASSERT_GT(run.value(), 0.0);
  const MatrixXd gradient = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});

  Simulation<Complex> judge(spec, options, {"one", "two"});
  const VectorX<Complex> p = judge.system.parameters();
  const double step = 1e-40;
  const double scale = gradient.cwiseAbs().maxCoeff();
  ASSERT_GT(scale, 0.0);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, step);
    judge.system.set_parameters(moved);
    const double expected = judge.value().imag() / step;
    // Both Newton iterations stop at 1e-8 of a quadratically converging correction.
    EXPECT_NEAR(gradient(i, 0), expected, 1e-10 * scale + 1e-9 * std::abs(expected)) << "parameter " << i;
  }
}

TEST(DiscreteAdjoint, EqualsComplexStepInEveryParameterOfAMovingMechanism) {
  expect_gradients_of_complex_step(moving_mechanism());
}

TEST(DiscreteAdjoint, EqualsComplexStepInEveryParameterWhereForcesJump) {
  const SystemSpec spec = test::with_jumps(moving_mechanism(), 0.06);
  EXPECT_EQ(jumps_of(spec, 0.0, 0.06).size(), 2u);
  expect_gradients_of_complex_step(spec);
}

TEST(DiscreteAdjoint, TreatsSeveralObjectivesInOneSweep) {
  const IntegratorOptions options = span(0.05, 0.01);
  Simulation<double> run(moving_mechanism(), options, {"one"});
  ASSERT_GT(run.value(), 0.0);
  TimeIntegral<double> other(run.integrator);
  other.add(2.0, std::make_shared<ComplianceIntegrand<double>>(run.system, "two"));
  const MatrixXd both = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi, &other});
  const MatrixXd first = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  const MatrixXd second = discrete_adjoint<double>(run.integrator, run.trajectory, {&other});
  EXPECT_EQ(both.col(0), first.col(0));
  EXPECT_EQ(both.col(1), second.col(0));
}

TEST(InitialConditions, AssembleThePositionAndVelocityOfAMechanism) {
  MultibodySystem<double> system(moving_mechanism());
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  ASSERT_FALSE(initial.solve(0.0, state).failed());
  ConstraintDerivatives<double> constraints;
  auto ws = system.make_workspace();
  system.constraint_derivatives({0.0, state.x, state.v, state.v_dot, state.lambda}, *ws, constraints);
  // Newton's last correction was below 1e-9, so its square is left; velocities and accelerations are linear
  // solves.
  EXPECT_LT(constraints.c0.cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT(constraints.c1.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(constraints.c2.cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_GT(state.v.cwiseAbs().maxCoeff(), 0.1);
}

TEST(InitialConditions, NamesRedundantConstraints) {
  SystemSpec spec;
  spec.bodies = {
      {"rod", test::rigid_sid_with_markers(1.0, {0.5, 0, 0}, {0.1, 0.1, 0.1}, {0, 0, 0}, {1, 0, 0}), {}}};
  std::array<bool, 6> revolute{}, in_plane{};
  locked_dofs_of("revolute", revolute);
  locked_dofs_of("in-plane", in_plane);
  spec.joints = {{"left", {"ground"}, {"rod", "a"}, revolute, {}},
                 {"guide", {"ground"}, {"rod", "b"}, in_plane, {}}};
  MultibodySystem<double> system(spec);
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  try {
    (void)initial.solve(0.0, state);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::AllOf(::testing::HasSubstr("redundant"), ::testing::HasSubstr("tz")));
  }
}

}  // namespace
}  // namespace kurbel
