/// Joints of type "distance": massless rods.
#include <gmock/gmock.h>

#include "floating_frame/redundant_constraints.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "integration/dependent_constraints.hpp"
#include "integration/initial_conditions.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::Simulation;
using test::span;
using ::testing::ElementsAre;

JointSpec rod(const std::string& name, const MarkerRef& from, const MarkerRef& to, double length) {
  JointSpec joint;
  joint.name = name, joint.from = from, joint.to = to, joint.length = length;
  return joint;
}

/// A body of 2 kg on a rod of 0.5 m that points along (0.6, 0, -0.8).
SystemSpec pendulum(const Vector3d& direction = {0.6, 0.0, -0.8}) {
  SystemSpec spec;
  spec.gravity << 0.0, 0.0, -9.81;
  spec.bodies = {
      {"bob",
       test::rigid_sid_with_markers(2.0, Vector3d::Zero(), {0.02, 0.02, 0.02}, {0, 0, 0}, {0, 0, 0.1}),
       {}}};
  spec.bodies[0].initial.position = 0.5 * direction;
  spec.joints = {rod("rod", {"ground"}, {"bob", "a"}, 0.5)};
  return spec;
}

/// Two bodies on three rods, one of them between the two, that start elsewhere than where the rods let them be.
SystemSpec net_of_rods() {
  SystemSpec spec = pendulum();
  spec.ground = {make_sid_node("post", {0.1, 0.8, 0.2}, Matrix3d::Identity(), 0)};
  spec.bodies.push_back(
      {"arm",
       test::rigid_sid_with_markers(1.3, {0.1, 0.02, 0.0}, {0.02, 0.05, 0.04}, {0.1, 0, 0.1}, {0.5, 0.1, 0}),
       {}});
  spec.bodies[1].initial.position << 0.3, 0.4, -0.1;
  spec.bodies[1].initial.angular_velocity << 0.3, -0.2, 1.0;
  spec.joints.push_back(rod("tie", {"bob", "b"}, {"arm", "a"}, 0.52));
  spec.joints.push_back(rod("stay", {"arm", "b"}, {"ground", "post"}, 0.78));
  return spec;
}

template <class S>
void add_forces_of_rods(Simulation<S>& run) {
  for (const char* name : {"rod", "tie", "stay"}) {
    CriterionTerm term{.quantity = Quantity::rod_force};
    term.joint = name;
    run.psi.add(1.0, make_integrand(run.system, term));
  }
}

TEST(Rod, IsPulledByWhatHangsOnIt) {
  Simulation<double> run(pendulum({0.0, 0.0, -1.0}), span(0.1, 0.01), {});
  run.value();
  const RodForce<double> force(run.system, "rod");
  for (Eigen::Index k = 0; k < run.trajectory.n_stored; ++k) {
    const auto at = run.integrator.layout().instant<double>(run.trajectory.t[k], run.trajectory.y.col(k));
    EXPECT_NEAR(force.value(at)[0], 2.0 * 9.81, 1e-9);
  }
}

TEST(Rod, LetsItsEndSwingOnASphere) {
  Simulation<double> run(pendulum(), span(1.0, 0.01), {});
  run.value();
  const auto r = run.trajectory.y.middleRows<3>(0);
  EXPECT_LT((r.colwise().norm().array() - 0.5).abs().maxCoeff(), 1e-10);
  EXPECT_GT((r.rightCols<1>() - r.leftCols<1>()).norm(), 0.2);
  EXPECT_EQ(n_free_dofs(run.system.spec()), 5);
}

TEST(Rod, GradientEqualsComplexStepInEveryParameterByEitherMethod) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(net_of_rods(), options, {});
  add_forces_of_rods(run);
  run.value();
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, {&run.psi});
  Simulation<Complex> judge(net_of_rods(), options, {});
  add_forces_of_rods(judge);
  const VectorX<Complex> p = judge.system.parameters();
  const double step = 1e-40, scale = adjoint.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, step);
    judge.system.set_parameters(moved);
    const double expected = judge.value().imag() / step;
    // Newton's iterations stop at 1e-8 of a quadratically converging correction.
    EXPECT_NEAR(adjoint(i, 0), expected, 1e-10 * scale + 1e-9 * std::abs(expected)) << "parameter " << i;
    EXPECT_NEAR(direct(i, 0), expected, 1e-10 * scale + 1e-9 * std::abs(expected)) << "parameter " << i;
  }
  EXPECT_GT(std::abs(adjoint(run.system.layout().rod_length(1), 0)), 1e-3 * scale);
}

TEST(Rod, IsSetAsideBesideItsEqual) {
  SystemSpec spec = pendulum();
  spec.joints.push_back(spec.joints[0]);
  spec.joints[1].name = "twin";
  set_redundant_aside(spec, 0.0);
  EXPECT_THAT(redundant_names(spec), ElementsAre("joint twin (distance)"));
  EXPECT_EQ(n_free_dofs(spec), 5);
  Simulation<double> run(spec, span(0.1, 0.01), {});
  run.value();
  EXPECT_FALSE(check_redundant(spec, run.integrator.layout(), run.trajectory).failed());
  const auto at = run.integrator.layout().instant<double>(0.0, run.trajectory.y.col(0));
  EXPECT_EQ(RodForce<double>(run.system, "twin").value(at)[0], 0.0);
  EXPECT_GT(RodForce<double>(run.system, "rod").value(at)[0], 1.0);
}

TEST(Rod, OfAnotherLengthBesideItIsRefused) {
  SystemSpec spec = pendulum();
  spec.joints.push_back(spec.joints[0]);
  spec.joints[1].name = "twin", spec.joints[1].length = 0.6;
  set_redundant_aside(spec, 0.0);
  const MultibodySystem<double> system(spec);
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  EXPECT_THROW((void)initial.solve(0.0, state), DependentConstraints);
}

TEST(Rod, HasNoReactionAlongAxesAndALength) {
  const MultibodySystem<double> system(pendulum());
  EXPECT_THROW((JointReaction<double>(system, "rod", ReactionKind::force)), InputError);
  SystemSpec spec = pendulum();
  spec.joints[0].length = 0.0;
  EXPECT_THROW(MultibodySystem<double>{spec}, InputError);
}

}  // namespace
}  // namespace kurbel
