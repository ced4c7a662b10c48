/// Motions in joint coordinates: starts, energy, methods, and the floating frame.
#include <gtest/gtest.h>

#include "floating_frame/criteria.hpp"
#include "floating_frame/make_steps.hpp"
#include "floating_frame/redundant_constraints.hpp"
#include "integration/dae_steps.hpp"
#include "joint_coordinates/bodies_of_joints.hpp"
#include "joint_coordinates/make_joint_steps.hpp"
#include "motion_models.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/floating_frame/overconstrained_models.hpp"
#include "tests/integration/dae_derivatives.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

using test::options;
using test::spatial_loop;

/// psi: position of the weight, speed of the rocker's end, and reactions of joints of the tree and of the loop.
std::vector<CriterionTerm> terms() {
  const auto term = [](Quantity quantity, const MarkerRef& marker, const std::string& joint, double weight) {
    CriterionTerm t;
    t.quantity = quantity, t.marker = marker, t.joint = joint, t.weight = weight;
    t.time = TimeFunctional::integral;
    return t;
  };
  return {term(Quantity::position, {"weight", "end"}, "", 1.0),
          term(Quantity::velocity, {"rocker", "end"}, "", 0.3),
          term(Quantity::acceleration, {"rod", "end"}, "", 1e-3),
          term(Quantity::reaction_force, {}, "left", 1e-3),
          term(Quantity::reaction_moment, {}, "knee", 1e-2),
          term(Quantity::reaction_force, {}, "ball", 1e-3)};
}

template <class S>
struct InJointsOf {
  InJointsOf(const SystemSpec& spec, const IntegratorOptions& o, const VectorX<S>* p = nullptr,
             ReferencePoint point = ReferencePoint::common)
      : absolute(test::system_with(spec, p)),
        joints(absolute, point),
        steps(make_steps<S>(joints, o)),
        psi(*steps, steps->layout()) {
    for (const CriterionTerm& t : terms())
      psi.add(t.weight, std::make_shared<JointIntegrand<S>>(joints, make_integrand(absolute, t), true),
              t.time);
    const Status status = simulate(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  S value() const { return psi.value(trajectory); }
  MatrixXd gradient(bool direct) {
    const LinearizedCriterion function(psi, trajectory);
    const std::vector<const Objective<double>*> all = {&function};
    return direct ? test::direct_by_all_parameters(*steps, trajectory, all)
                  : discrete_adjoint<double>(*steps, trajectory, all);
  }
  S energy(Eigen::Index k) {
    BodiesOfJoints<S> bodies(joints);
    const auto at = steps->layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
    const auto e = absolute.energy(bodies.at(at, false), *absolute.make_workspace());
    return e.kinetic + e.elastic + e.gravitational;
  }

  MultibodySystem<S> absolute;
  JointCoordinateSystem<S> joints;
  std::unique_ptr<DaeSteps<S>> steps;
  Criterion<S> psi;
  Trajectory<S> trajectory;
};
using InJoints = InJointsOf<double>;

double in_frames(const SystemSpec& spec, const IntegratorOptions& o) {
  MultibodySystem<double> system(spec);
  const auto steps = make_steps<double>(system, o);
  Trajectory<double> trajectory;
  const Status status = simulate(*steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  return make_criterion(*steps, system, terms()).value(trajectory);
}

/// Joints that turn in every direction and slide, too: their translations are along axes that have turned with them.
TEST(JointStart, HasBodiesWhereTheyStartInTheFloatingFrame) {
  test::Random random(11);
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  for (const char* name : {"slider", "puck"})
    spec.bodies.push_back({name, test::random_rigid_sid(random), {}});
  spec.bodies[0].initial.position << 0.0, 0.0, 0.4;
  spec.bodies[0].initial.rotation << 0.5, -0.8, 0.3;
  spec.bodies[0].initial.velocity << 0.0, 0.0, 0.6;
  spec.bodies[0].initial.angular_velocity << 1.0, -2.0, 0.5;
  spec.bodies[1].initial.position << 0.3, -0.2, 0.9;
  spec.bodies[1].initial.rotation << -0.4, 0.6, 1.1;
  spec.joints = {test::joint_of("line", "in-line", {"ground"}, {"slider"}),
                 test::joint_of("plane", "in-plane", {"slider"}, {"puck"})};
  const MultibodySystem<double> absolute(spec);
  const JointCoordinateSystem<double> joints(absolute, ReferencePoint::common);
  StartState<double> expected, state;
  ASSERT_FALSE(absolute.make_start()->solve(0.0, expected).failed());
  ASSERT_FALSE(joints.make_start()->solve(0.0, state).failed());
  BodiesOfJoints<double> bodies(joints);
  const DaeInstant<double> found = bodies.at({0.0, state.x, state.v, state.v_dot, state.lambda}, false);
  for (std::size_t i = 0; i < 2; ++i) {
    const Pose<double> a = absolute.pose(found.x, i), b = absolute.pose(expected.x, i);
    EXPECT_LT((a.r - b.r).norm(), 1e-12) << i;
    EXPECT_LT((rotation_matrix(a.e) - rotation_matrix(b.e)).norm(), 1e-12) << i;
  }
  EXPECT_LT((found.v - expected.v).norm(), 1e-11 * expected.v.norm());
  EXPECT_LT((found.v_dot - expected.v_dot).norm(), 1e-10 * expected.v_dot.norm());
}

class EveryMethod : public ::testing::TestWithParam<IntegratorMethod> {};

TEST_P(EveryMethod, GivesTheMotionAndReactionsOfTheFloatingFrame) {
  const double fine = in_frames(spatial_loop(), options(GetParam(), 0.5, 2.5e-4));
  const double coarse_error =
      std::abs(InJoints(spatial_loop(), options(GetParam(), 0.5, 4e-3)).value() - fine);
  const double error = std::abs(InJoints(spatial_loop(), options(GetParam(), 0.5, 1e-3)).value() - fine);
  EXPECT_LT(error, 1e-4 * std::abs(fine));
  EXPECT_LT(error, coarse_error / 8.0) << "O(h^2) at least, a step of a quarter";
}

TEST_P(EveryMethod, HasOneGradientForwardsAndBackwardsAndByDifferences) {
  const IntegratorOptions o = options(GetParam(), 0.2, 4e-3);
  InJoints run(spatial_loop(), o);
  const VectorXd adjoint = run.gradient(false), direct = run.gradient(true);
  EXPECT_LT((adjoint - direct).norm(), 1e-10 * direct.norm());
  test::Random random(3);
  const VectorXd p = run.joints.parameters(), direction = test::with_symmetric_inertias(
                                                  run.absolute, random.vector(p.size()).cwiseProduct(p));
  const double h = 1e-6;
  const VectorXd plus = p + h * direction, minus = p - h * direction;
  const double difference =
      (InJoints(spatial_loop(), o, &plus).value() - InJoints(spatial_loop(), o, &minus).value()) / (2.0 * h);
  EXPECT_NEAR(adjoint.dot(direction), difference, 1e-6 * adjoint.norm() * direction.norm());
}

// [P4, eqs 5-23]: z^i = h(z, rho), the coordinates of a marker.
TEST(Markers, MayBeIndependent) {
  IntegratorOptions o = options(IntegratorMethod::trapezoidal, 0.2, 4e-3);
  const double chosen = InJoints(spatial_loop(), o).value();
  o.independent = {"crank.end.y"};
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    const SystemSpec spec = test::with_every_parameter(spatial_loop());
    InJoints run(spec, o, nullptr, point);
    EXPECT_NEAR(run.value(), in_frames(spec, o), 1e-9 * run.value())
        << "as in frames with the same coordinate";
    EXPECT_GT(std::abs(run.value() - chosen), 1e-9 * chosen) << "other steps than with coordinates of joints";
    EXPECT_NEAR(run.value(), chosen, 1e-3 * chosen) << "of the same motion";
    const VectorXd adjoint = run.gradient(false), direct = run.gradient(true);
    EXPECT_LT((adjoint - direct).norm(), 1e-10 * direct.norm());
    test::Random random(5);
    for (int i = 0; i < 3; ++i) {
      const VectorXd direction = test::with_symmetric_inertias(
          run.absolute, random.vector(adjoint.size()).cwiseProduct(run.joints.parameters()));
      const VectorX<Complex> p = run.joints.parameters() + Complex(0.0, 1e-40) * direction;
      const double expected = InJointsOf<Complex>(spec, o, &p, point).value().imag() / 1e-40;
      EXPECT_NEAR(adjoint.dot(direction), expected, 1e-10 * adjoint.norm() * direction.norm());
    }
  }
}

/// The loop, moved by its crank, with a driven cart that pulls at the weight.
SystemSpec driven_loop() {
  SystemSpec spec = spatial_loop();
  spec.joints[0].drives = {{RelativeDof::rz, constant_rate(0.1, 3.0)}};
  spec.bodies.push_back({"cart", spec.bodies[1].sid, {}});
  spec.joints.push_back(test::joint_of("rail", "prismatic", {"ground", "right"}, {"cart", "end"}));
  spec.joints.back().drives = {{RelativeDof::tz, constant_rate(0.2, -0.5)}};
  spec.springs.push_back({"pull", {"cart", "origin"}, {"weight", "end"}, 20.0, 0.3, 0.4});
  return spec;
}

TEST_P(EveryMethod, HasTheGradientOfComplexStepByInitialStatesAndDrives) {
  const IntegratorOptions o = options(GetParam(), 0.08, 8e-3);
  for (const SystemSpec& given : {spatial_loop(), driven_loop()}) {
    const SystemSpec spec = test::with_every_parameter(given);
    InJoints run(spec, o);
    const VectorXd adjoint = run.gradient(false), direct = run.gradient(true);
    const Eigen::Index first = run.absolute.layout().initial(0).position, n = adjoint.size() - first;
    const VectorXd own = adjoint.tail(n);
    EXPECT_LT((own - direct.tail(n)).norm(), 1e-10 * own.norm());
    test::Random random(17);
    for (int i = 0; i < 6; ++i) {
      VectorXd direction = VectorXd::Zero(adjoint.size());
      direction.tail(n) = random.vector(n);
      const VectorX<Complex> p = run.joints.parameters() + Complex(0.0, 1e-40) * direction;
      const double expected = InJointsOf<Complex>(spec, o, &p).value().imag() / 1e-40;
      EXPECT_NEAR(adjoint.dot(direction), expected, 1e-10 * own.norm() * direction.norm());
    }
  }
}

// No iteration is broken off in these steps, nor where the start is found: what differs is rounding.  [P3, section 2]
TEST(RungeKutta4, HasTheGradientOfComplexStepToTwelveDigits) {
  const IntegratorOptions o = options(IntegratorMethod::runge_kutta_4, 0.08, 8e-3);
  SystemSpec open = spatial_loop();
  open.joints.pop_back();
  for (const SystemSpec& given : {open, spatial_loop(), driven_loop()}) {
    const SystemSpec spec = test::with_every_parameter(given);
    InJoints run(spec, o);
    const VectorXd adjoint = run.gradient(false), direct = run.gradient(true);
    EXPECT_LT((adjoint - direct).norm(), 1e-12 * direct.norm());
    test::Random random(19);
    for (int i = 0; i < 6; ++i) {
      const VectorXd direction = test::with_symmetric_inertias(run.absolute, random.vector(adjoint.size()));
      const VectorX<Complex> p = run.joints.parameters() + Complex(0.0, 1e-40) * direction;
      const double expected = InJointsOf<Complex>(spec, o, &p).value().imag() / 1e-40;
      EXPECT_NEAR(adjoint.dot(direction), expected, 1e-12 * adjoint.norm() * direction.norm());
    }
  }
}

TEST_P(EveryMethod, KeepsTheEnergyToTheSquareOfTheStep) {
  SystemSpec spec = spatial_loop();
  spec.springs[0].damping = 0.0;
  const auto loss = [&](double step) {
    InJoints run(spec, options(GetParam(), 1.0, step));
    return std::abs(run.energy(run.trajectory.n_stored - 1) - run.energy(0));
  };
  const double coarse = loss(4e-3), fine = loss(1e-3);
  EXPECT_LT(fine, 1e-3);
  EXPECT_LT(fine, coarse / 8.0);
}

TEST_P(EveryMethod, DoesNotDependOnTheReferencePoint) {
  const IntegratorOptions o = options(GetParam(), 0.3, 2e-3);
  InJoints common(spatial_loop(), o), at_mass(spatial_loop(), o, nullptr, ReferencePoint::centre_of_mass);
  EXPECT_NEAR(common.value(), at_mass.value(), 1e-10 * std::abs(common.value()));
  const VectorXd gradient = common.gradient(false);
  EXPECT_LT((at_mass.gradient(false) - gradient).norm(), 1e-9 * gradient.norm());
}

INSTANTIATE_TEST_SUITE_P(Of, EveryMethod,
                         ::testing::Values(IntegratorMethod::generalized_alpha, IntegratorMethod::trapezoidal,
                                           IntegratorMethod::runge_kutta_4),
                         [](const auto& of) {
                           if (of.param == IntegratorMethod::runge_kutta_4) return "RungeKutta4";
                           return of.param == IntegratorMethod::trapezoidal ? "MatrixR" : "GeneralizedAlpha";
                         });

TEST(MatrixR, MeetsConstraintsAtEveryLevel) {
  InJoints run(spatial_loop(), options(IntegratorMethod::trapezoidal, 1.0, 4e-3));
  const auto ws = run.joints.make_workspace();
  ConstraintDerivatives<double> c;
  for (Eigen::Index k = 0; k < run.trajectory.n_stored; ++k) {
    run.joints.constraint_derivatives(
        run.steps->layout().instant<double>(run.trajectory.t[k], run.trajectory.y.col(k)), *ws, c);
    EXPECT_LT(c.c0.cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT(c.c1.cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT(c.c2.cwiseAbs().maxCoeff(), 1e-8);
  }
}

/// Positions and quaternions of all bodies at the end.
VectorXd bodies_at_end(SystemSpec spec, const IntegratorOptions& o, bool in_joints) {
  std::vector<std::string> tree;
  for (const TreeLink& link : choose_spanning_tree(spec)) {
    if (in_joints && link.joint >= 0) tree.push_back(spec.joints[static_cast<std::size_t>(link.joint)].name);
  }
  set_redundant_aside(spec, 0.0, tree);
  const MultibodySystem<double> absolute(spec);
  const JointCoordinateSystem<double> joints(absolute, ReferencePoint::common);
  const SecondOrderDae<double>& model =
      in_joints ? static_cast<const SecondOrderDae<double>&>(joints) : absolute;
  const auto steps = make_dae_steps<double>(model, o);
  Trajectory<double> trajectory;
  const Status status = simulate(*steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  const Eigen::Index last = trajectory.n_stored - 1;
  const auto at = steps->layout().instant<double>(trajectory.t[last], trajectory.y.col(last));
  if (!in_joints) return at.x;
  return BodiesOfJoints<double>(joints).at(at, false).x;
}

TEST_P(EveryMethod, MovesOverconstrainedLinkagesAsTheFloatingFrameDoes) {
  for (const SystemSpec& spec : {test::four_bar(), test::bricard(), test::bennett()}) {
    const VectorXd fine = bodies_at_end(spec, options(GetParam(), 0.5, 1e-4), false);
    const auto error = [&](double step) {
      VectorXd found = bodies_at_end(spec, options(GetParam(), 0.5, step), true);
      for (Eigen::Index b = 0; 7 * b < found.size(); ++b) {  // a quaternion and its negative are one rotation
        auto e = found.segment<4>(7 * b + 3);
        if (e.dot(fine.segment<4>(7 * b + 3)) < 0.0) e *= -1.0;
      }
      return (found - fine).norm();
    };
    EXPECT_LT(error(1e-3), 1e-4);
    EXPECT_LT(error(1e-3), error(4e-3) / 8.0);
  }
}

TEST(JointCoordinates, MoveAlikeWhereAConstraintIsStatedTwice) {
  SystemSpec twice = spatial_loop();
  twice.joints.push_back(test::joint_of("again", "spherical", {"rod", "end"}, {"rocker", "end"}));
  set_redundant_aside(twice, 0.0, {"left", "knee", "right"});
  EXPECT_EQ(redundant_names(twice).size(), 3u);
  const IntegratorOptions o = options(IntegratorMethod::trapezoidal, 0.3, 2e-3);
  const auto weight_at_end = [](const InJoints& run) {
    return run.trajectory.y.col(run.trajectory.n_stored - 1).head(run.joints.n_x()).eval();
  };
  EXPECT_LT((weight_at_end(InJoints(twice, o)) - weight_at_end(InJoints(spatial_loop(), o))).norm(), 1e-10);
}

}  // namespace
}  // namespace kurbel
