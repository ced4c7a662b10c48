#include "floating_frame/redundant_constraints.hpp"

#include <gmock/gmock.h>

#include "floating_frame/make_steps.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "floating_frame/start_report.hpp"
#include "floating_frame/system_quantity.hpp"
#include "floating_frame/vector_quantities.hpp"
#include "integration/dependent_constraints.hpp"
#include "integration/initial_conditions.hpp"
#include "overconstrained_models.hpp"
#include "quantity_pullback.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::Simulation;
using test::span;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SystemSpec solvable(SystemSpec spec) {
  set_redundant_aside(spec, 0.0);
  return spec;
}

/// The energies of bodies, which constraints do not enter.
template <class S>
void add_energies(Simulation<S>& run) {
  for (const BodySpec& body : run.system.spec().bodies) {
    run.psi.add(1.0,
                std::make_shared<EnergyIntegrand<S>>(run.system, EnergyWeights{1.0, 0.0, 0.3}, body.name));
  }
}

/// x and v of all bodies, one column per instant.
MatrixXd motion_of(const SystemSpec& spec, const IntegratorOptions& options) {
  Simulation<double> run(spec, options, {});
  run.value();
  EXPECT_FALSE(check_redundant(spec, run.integrator.layout(), run.trajectory).failed());
  return run.trajectory.y.topRows(run.system.n_x() + run.system.n_v());
}

double largest(const MatrixXd& m) {
  return m.cwiseAbs().maxCoeff();
}

/// @param p  of the mechanism, as SystemQuantity finds it
MatrixXd gradient_of_energies(const SystemSpec& spec, const std::vector<SystemQuantity>& quantities) {
  Simulation<double> run(spec, span(0.5, 0.01), {});
  add_energies(run);
  EXPECT_NE(run.value(), 0.0);
  const VectorXd p_bar = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  VectorXd gradient(std::ssize(quantities));
  for (std::size_t k = 0; k < quantities.size(); ++k)
    gradient[static_cast<Eigen::Index>(k)] = test::pullback(quantities[k], spec, run.system.layout(), p_bar);
  return gradient;
}

/// Those that keep the four-bar in its plane.
std::vector<SystemQuantity> planar_quantities() {
  using Kind = SystemQuantity::Kind;
  return {{Kind::mass, 1, 0, 0},          {Kind::centre_of_mass, 2, 0, 1}, {Kind::inertia, 0, 0, 2},
          {Kind::marker, 0, 1, 0},        {Kind::marker, 1, 1, 0},         {Kind::marker, 2, 1, 1},
          {Kind::ground_marker, 0, 0, 0}, {Kind::ground_marker, 0, 0, 1}};
}

TEST(RedundantConstraints, OfAPlanarFourBarAreThreeRotationsOfTheLastJoints) {
  const SystemSpec spec = solvable(test::four_bar());
  EXPECT_THAT(redundant_names(spec), ElementsAre("joint C (rx)", "joint D (rx)", "joint D (ry)"));
  EXPECT_EQ(n_free_dofs(spec), 1);
  EXPECT_EQ(MultibodySystem<double>(spec).n_c(), 17);
  EXPECT_THAT(
      report_redundant(spec).redundant,
      ElementsAre(AllOf(HasSubstr("joint C (rx), joint D (rx), joint D (ry)"), HasSubstr("not unique"))));
}

TEST(RedundantConstraints, AreNoneWhereNothingIsStatedTwice) {
  for (const SystemSpec& spec : {test::independent_four_bar(), test::moving_mechanism()}) {
    EXPECT_THAT(redundant_names(solvable(spec)), IsEmpty());
    EXPECT_THAT(report_redundant(solvable(spec)).redundant, IsEmpty());
  }
}

TEST(RedundantConstraints, OfAFourBarLeaveTheMotionAndGradientOfOneWithoutThem) {
  const SystemSpec redundant = solvable(test::four_bar()), independent = test::independent_four_bar();
  const IntegratorOptions options = span(0.5, 0.01);
  const MatrixXd motion = motion_of(independent, options);
  EXPECT_LT(largest(motion_of(redundant, options) - motion), 1e-10);
  const MatrixXd gradient = gradient_of_energies(independent, planar_quantities());
  ASSERT_GT(gradient.cwiseAbs().minCoeff(), 1e-6);
  EXPECT_LT(largest(gradient_of_energies(redundant, planar_quantities()) - gradient),
            1e-8 * largest(gradient));
}

TEST(RedundantConstraints, LeaveTheSameMotionInWhateverOrderTheJointsStand) {
  const SystemSpec given = test::four_bar();
  const MatrixXd motion = motion_of(solvable(given), span(0.3, 0.01));
  std::vector<int> order = {0, 1, 2, 3};
  while (std::next_permutation(order.begin(), order.end())) {
    SystemSpec spec = given;
    for (std::size_t j = 0; j < 4; ++j) {
      spec.joints[j] = given.joints[static_cast<std::size_t>(order[j])];
      if (order[j] % 2 == 1) std::swap(spec.joints[j].from, spec.joints[j].to);
    }
    spec = solvable(spec);
    EXPECT_EQ(redundant_names(spec).size(), 3);
    EXPECT_LT(largest(motion_of(spec, span(0.3, 0.01)) - motion), 1e-10);
  }
}

TEST(RedundantConstraints, DoNotStopASliderCrankOfRevolutes) {
  const SystemSpec spec = solvable(test::slider_crank(0.7));
  EXPECT_EQ(n_free_dofs(spec), 1);
  Simulation<double> run(spec, span(2.0, 0.005), {});  // over both dead centres
  run.value();
  EXPECT_FALSE(check_redundant(spec, run.integrator.layout(), run.trajectory).failed());
  const auto x = run.trajectory.y.row(run.system.x_offset(2));
  EXPECT_GT(x.maxCoeff() - x.minCoeff(), 0.2);
}

TEST(RedundantConstraints, OfADrivenMechanismSpareItsDrive) {
  SystemSpec spec = test::slider_crank(0.7);
  spec.joints[0].drives = {{RelativeDof::rz, constant_rate(0.7, 3.0)}};
  spec = solvable(spec);
  EXPECT_EQ(n_free_dofs(spec), 0);
  EXPECT_FALSE(spec.joints[0].redundant[5]);
  const MatrixXd motion = motion_of(spec, span(1.0, 0.01));
  const double angle = 0.7 + 3.0;
  EXPECT_NEAR(motion(14, motion.cols() - 1),
              0.2 * std::cos(angle) + std::sqrt(0.25 - 0.04 * std::sin(angle) * std::sin(angle)), 1e-9);
}

/// Largest change of the energy along a motion, and how far it goes.
struct EnergyDrift {
  double energy = 0.0, way = 0.0;
};

EnergyDrift energy_drift(const SystemSpec& spec, double step) {
  Simulation<double> run(spec, span(1.0, step, 1.0), {});
  run.value();
  EXPECT_FALSE(check_redundant(spec, run.integrator.layout(), run.trajectory).failed());
  const auto ws = run.system.make_workspace();
  const auto at = [&](Eigen::Index k) {
    return run.integrator.layout().instant<double>(run.trajectory.t[k], run.trajectory.y.col(k));
  };
  const auto energy = [&](Eigen::Index k) {
    const auto e = run.system.energy(at(k), *ws);
    return e.kinetic + e.gravitational;
  };
  EnergyDrift drift;
  const auto distance = [&](Eigen::Index k) {
    return (run.system.pose(at(k).x, 0).r - run.system.pose(at(k).x, 2).r).norm();
  };
  for (Eigen::Index k = 1; k < run.trajectory.n_stored; ++k) {
    drift.energy = std::max(drift.energy, std::abs(energy(k) - energy(0)));
    drift.way = std::max(drift.way, std::abs(distance(k) - distance(0)));
  }
  return drift;
}

TEST(RedundantConstraints, LetBricardsLinkageMoveWithItsEnergy) {
  const SystemSpec spec = solvable(test::bricard());
  ASSERT_EQ(redundant_names(spec).size(), 1);
  EXPECT_EQ(n_free_dofs(spec), 7);
  const EnergyDrift coarse = energy_drift(spec, 0.01), fine = energy_drift(spec, 0.005);
  EXPECT_GT(fine.way, 0.1);
  EXPECT_NEAR(std::log2(coarse.energy / fine.energy), 2.0, 0.2);
}

TEST(RedundantConstraints, LetBennettsLinkageMoveWithItsEnergy) {
  const SystemSpec spec = solvable(test::bennett());
  ASSERT_EQ(redundant_names(spec).size(), 3);
  EXPECT_EQ(n_free_dofs(spec), 1);
  const EnergyDrift coarse = energy_drift(spec, 0.01), fine = energy_drift(spec, 0.005);
  EXPECT_GT(fine.way, 0.1);
  EXPECT_NEAR(std::log2(coarse.energy / fine.energy), 2.0, 0.2);
}

TEST(RedundantConstraints, AreChosenSoThatLinkagesMoveAllTheWay) {
  for (const double theta : {0.3, 1.2, 2.5}) motion_of(solvable(test::bennett(theta)), span(10.0, 0.01));
  motion_of(solvable(test::bricard()), span(10.0, 0.01));
}

TEST(RedundantConstraints, AreThoseOfRigidBodiesWhereElasticOnesCouldBend) {
  SystemSpec spec;
  spec.bodies = {{"beam", test::random_flexible_sid(1, 4), {}}};
  spec.ground = {spec.bodies[0].sid.frame[0], spec.bodies[0].sid.frame[1]};
  for (SidNode& node : spec.ground) node = make_sid_node(node.name, node.origin.M0, node.AP.M0, 0);
  spec.joints = {{"left", {"ground", "a"}, {"beam", "a"}, test::locked_by("revolute"), {}},
                 {"right", {"ground", "b"}, {"beam", "b"}, test::locked_by("revolute"), {}}};
  EXPECT_THAT(redundant_names(solvable(spec)), IsEmpty());
  EXPECT_THAT(redundant_names(solvable(rigid_twin(spec))),
              AllOf(testing::SizeIs(4), Each(HasSubstr("joint "))));
}

TEST(RedundantConstraints, AreFoundFromAStartThatIsNotAssembled) {
  SystemSpec spec = test::bricard();
  test::Random random(3);
  for (BodySpec& link : spec.bodies) link.initial.position += 0.01 * random.vector(3);
  for (BodySpec& link : spec.bodies) link.initial.rotation += 0.01 * random.vector(3);
  spec = solvable(spec);
  EXPECT_EQ(redundant_names(spec).size(), 1);
  motion_of(spec, span(0.1, 0.01));
}

TEST(RedundantConstraints, OfAJointStatedTwiceAreItsSecondStatement) {
  const SystemSpec once = test::independent_four_bar();
  SystemSpec twice = once;
  JointSpec again = twice.joints[0];
  again.name = "again";
  twice.joints.push_back(again);
  twice = solvable(twice);
  EXPECT_THAT(redundant_names(twice), AllOf(testing::SizeIs(5), Each(HasSubstr("again"))));
  EXPECT_EQ(motion_of(twice, span(0.3, 0.01)), motion_of(once, span(0.3, 0.01)));
}

std::string refusal_of(const SystemSpec& spec) {
  try {
    MultibodySystem<double> system(solvable(spec));
    InitialConditions<double>::State state;
    if (const Status s = InitialConditions<double>(system).solve(0.0, state); s.failed())
      return "failed: " + s.message();
  } catch (const DependentConstraints& e) {
    return e.what();
  }
  return "none";
}

TEST(RedundantConstraints, ThatContradictOthersAreRefusedByName) {
  SystemSpec spec = test::four_bar();
  spec.ground.push_back(make_sid_node("above", {0.0, 0.0, 0.1}, Matrix3d::Identity(), 0));
  JointSpec again = spec.joints[0];
  again.name = "again", again.from.marker = "above";
  spec.joints.push_back(again);
  EXPECT_THAT(refusal_of(spec), AllOf(HasSubstr("contradictory constraint: joint"), HasSubstr("(tz)"),
                                      HasSubstr("joint again"), HasSubstr("joint A")));
}

TEST(RedundantConstraints, ThatHoldAtASingularStartAloneAreRefused) {
  const SystemSpec aligned = test::four_bar({0.3, 0.9, 0.6, 0.6, 0.0});
  EXPECT_THAT(refusal_of(aligned), AllOf(HasSubstr("singular position (dead centre)"), HasSubstr("joint")));
  SystemSpec driven = test::slider_crank(0.0);
  driven.joints[3].drives = {{RelativeDof::tx, constant_rate(0.7, -0.1)}};
  EXPECT_THAT(refusal_of(driven), AllOf(HasSubstr("dead centre"), HasSubstr("joint guide")));
  EXPECT_EQ(refusal_of(test::slider_crank(0.0)), "none");  // its rows are independent there
}

TEST(RedundantConstraints, ThatTheMotionNeedsAreNamedWithTheirTime) {
  SystemSpec spec = test::independent_four_bar();
  spec.joints[3].redundant[static_cast<std::size_t>(RelativeDof::tx)] = true;
  Simulation<double> run(spec, span(0.2, 0.01), {});
  run.value();
  const Status violated = check_redundant(spec, run.integrator.layout(), run.trajectory);
  ASSERT_TRUE(violated.failed());
  EXPECT_EQ(violated.failure().where, "joint D (tx)");
  EXPECT_THAT(violated.failure().what, HasSubstr("the constraint that was removed as redundant is violated"));
  EXPECT_NEAR(violated.failure().time, 0.01, 1e-12);
}

TEST(RedundantConstraints, AreExaminedAtTheLastInstantToo) {
  SystemSpec spec = test::independent_four_bar();
  spec.joints[3].redundant[static_cast<std::size_t>(RelativeDof::tx)] = true;
  Simulation<double> run(spec, span(0.2, 0.01), {});
  run.value();
  const VectorXd start = run.trajectory.y.col(0);
  run.trajectory.y.leftCols(run.trajectory.y.cols() - 1).colwise() = start;
  const Status violated = check_redundant(spec, run.integrator.layout(), run.trajectory);
  ASSERT_TRUE(violated.failed());
  EXPECT_EQ(violated.failure().time, run.trajectory.t[run.trajectory.n_stored - 1]);
}

TEST(RedundantConstraints, HaveNoReaction) {
  const SystemSpec spec = solvable(test::four_bar());
  Simulation<double> run(spec, span(0.1, 0.01), {});
  run.value();
  const auto at = run.integrator.layout().instant<double>(0.1, run.trajectory.y.col(10));
  const auto reaction = [&](const char* joint, ReactionKind kind) -> VectorXd {
    return JointReaction<double>(run.system, joint, kind).value(at);
  };
  EXPECT_EQ(reaction("D", ReactionKind::moment), VectorXd::Zero(3));
  EXPECT_GT(reaction("D", ReactionKind::force).head(2).norm(), 1.0);
  EXPECT_THROW(JointReaction<double>(run.system, "none", ReactionKind::force), InputError);
}

TEST(RedundantConstraints, LeaveGradientsThatEqualComplexStep) {
  const SystemSpec spec = solvable(test::four_bar());
  const IntegratorOptions options = span(0.3, 0.01);
  Simulation<double> run(spec, options, {});
  add_energies(run);
  ASSERT_NE(run.value(), 0.0);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, {&run.psi});
  EXPECT_LT(largest(direct - adjoint), 1e-11 * largest(adjoint));

  Simulation<Complex> judge(spec, options, {});
  add_energies(judge);
  const double step = 1e-40;
  const VectorXd direction = test::Random(5).vector(adjoint.rows());
  judge.system.set_parameters(judge.system.parameters() + Complex(0.0, step) * direction);
  EXPECT_NEAR(adjoint.col(0).dot(direction), judge.value().imag() / step,
              1e-10 * adjoint.norm() * direction.norm());
}

TEST(RedundantConstraints, LeaveAContinuousAdjointOfOrderTwo) {
  std::vector<double> errors;
  for (const double h : {2e-3, 1e-3}) {
    Simulation<double> run(solvable(test::four_bar()), span(0.2, h), {});
    add_energies(run);
    ASSERT_NE(run.value(), 0.0);
    const MatrixXd discrete = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
    const MatrixXd continuous =
        continuous_adjoint(run.system, run.integrator, run.trajectory, {&run.psi.integrand()});
    errors.push_back(largest(continuous - discrete) / largest(discrete));
  }
  EXPECT_LT(errors.back(), 1e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.15);
}

TEST(RedundantConstraints, OfTwoDrivesOnOneDegreeOfFreedomAreTheLater) {
  SystemSpec spec = test::slider_crank(0.7);
  spec.joints[0].drives = {{RelativeDof::rz, constant_rate(0.7, 3.0)}};
  const double at_start = spec.bodies[2].initial.position.x();
  spec.joints[3].drives = {{RelativeDof::tx, constant_rate(at_start, 0.0)}};
  spec = solvable(spec);
  EXPECT_TRUE(spec.joints[3].redundant[0]);
  Simulation<double> run(spec, span(0.1, 0.01), {});
  run.value();
  const Status violated = check_redundant(spec, run.integrator.layout(), run.trajectory);
  ASSERT_TRUE(violated.failed());
  EXPECT_EQ(violated.failure().where, "joint guide (tx)");
}

TEST(RedundantConstraints, OfTheRigidTwinAreSetAsideThere) {
  SystemSpec spec = test::slider_crank(0.7);
  spec.joints[0].drives = {{RelativeDof::rz, constant_rate(0.7, 3.0)}};
  CriterionTerm position{.quantity = Quantity::position, .marker = {"rod", "b"}};
  position.relative_to_rigid_twin = true;
  ASSERT_FALSE(set_rigid_targets(spec, span(0.2, 0.01), {&position}).failed());
  const double angle = 0.7 + 0.6;
  EXPECT_NEAR(position.target[0]->at(0.2).value,
              0.2 * std::cos(angle) + std::sqrt(0.25 - 0.04 * std::sin(angle) * std::sin(angle)), 1e-9);
  spec.joints[0].drives.clear();
  EXPECT_THROW((void)set_rigid_targets(spec, span(0.2, 0.01), {&position}), InputError);
}

TEST(ContinuousAdjoint, TakesAccelerationsBetweenStoredStepsFromBothEnds) {
  const auto discrete = [](double h) {
    Simulation<double> run(solvable(test::four_bar()), span(0.2, h), {});
    add_energies(run);
    EXPECT_NE(run.value(), 0.0);
    return MatrixXd(discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi}));
  };
  const MatrixXd limit = (4.0 * discrete(5e-4) - discrete(1e-3)) / 3.0;  // h to 0, O(h^4)
  const auto error = [&](double h) {
    Simulation<double> run(solvable(test::four_bar()), span(0.2, h), {});
    add_energies(run);
    EXPECT_NE(run.value(), 0.0);
    constexpr int substeps = 4;
    return largest(continuous_adjoint(run.system, run.integrator, run.trajectory, {&run.psi.integrand()},
                                      substeps) -
                   limit) /
           largest(limit);
  };
  const double coarse = error(4e-3), fine = error(2e-3);
  EXPECT_LT(fine, 1e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.7);  // one where they stay what they were at the last stored step
}

TEST(TrapezoidalRule, DifferentiatesTheTurnOfAFreeBodyForwardsAsBackwards) {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.bodies = {test::planar_rod("rod", 0.5, {0.1, 0.2, 0.0}, 0.3)};
  spec.bodies[0].initial.angular_velocity << 2.0, -1.0, 3.0;
  spec = test::with_every_parameter(spec);
  const MultibodySystem<double> system(spec);
  IntegratorOptions options = span(0.2, 0.05);
  options.method = IntegratorMethod::trapezoidal;
  const auto steps = make_steps<double>(system, options);
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(*steps, trajectory).failed());
  CriterionTerm term{.quantity = Quantity::position, .marker = {"rod", "b"}, .component = 1};
  term.time = TimeFunctional::final_value;
  const LinearizedCriterion psi(make_criterion<double>(*steps, system, {term}), trajectory);
  const MatrixXd adjoint = discrete_adjoint<double>(*steps, trajectory, {&psi}),
                 direct = test::direct_by_all_parameters(*steps, trajectory, {&psi});
  EXPECT_LT(largest(direct - adjoint), 1e-12 * largest(adjoint));
}

// Its constraints hold at every half turn as well, about whichever axis.
TEST(RedundantConstraints, RefuseALockedJointHalfATurnOffAboutEveryAxis) {
  for (int axis = 0; axis < 3; ++axis) {
    SystemSpec spec;
    spec.bodies = {test::planar_rod("arm", 0.5, Vector3d::Zero(), 0.0)};
    spec.joints = {{"hold", {"ground"}, {"arm"}, test::locked_by("fixed"), {}}};
    EXPECT_NO_THROW(solvable(spec));
    spec.bodies[0].initial.rotation = EIGEN_PI * Vector3d::Unit(axis);
    try {
      solvable(spec);
      ADD_FAILURE() << axis;
    } catch (const DependentConstraints& error) {
      EXPECT_THAT(error.what(), HasSubstr("its frames point in opposite directions"));
    }
  }
}

}  // namespace
}  // namespace kurbel
