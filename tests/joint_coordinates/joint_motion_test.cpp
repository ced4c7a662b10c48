/// Motions in joint coordinates: starts, energy, methods, and the floating frame.
#include <gtest/gtest.h>

#include <set>

#include "floating_frame/criteria.hpp"
#include "floating_frame/make_steps.hpp"
#include "floating_frame/redundant_constraints.hpp"
#include "integration/dae_steps.hpp"
#include "integration/matrix_r.hpp"
#include "joint_coordinates/bodies_of_joints.hpp"
#include "joint_coordinates/make_joint_steps.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/floating_frame/overconstrained_models.hpp"
#include "tests/integration/dae_derivatives.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

using test::spatial_loop;

IntegratorOptions options(IntegratorMethod method, double t1, double step) {
  IntegratorOptions o;
  o.method = method, o.t1 = t1, o.step = step, o.rho_inf = 0.8, o.newton_tolerance = 1e-11;
  return o;
}

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
      : absolute(with(spec, p)),
        joints(absolute, point),
        steps(make_steps<S>(joints, o)),
        psi(*steps, steps->layout()) {
    for (const CriterionTerm& t : terms())
      psi.add(t.weight, std::make_shared<JointIntegrand<S>>(joints, make_integrand(absolute, t), true),
              t.time);
    const Status status = simulate(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  static MultibodySystem<S> with(const SystemSpec& spec, const VectorX<S>* p) {
    MultibodySystem<S> system(spec);
    if (p) system.set_parameters(*p);
    return system;
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

TEST(MatrixR, ChoosesIndependentCoordinatesAnewWithoutAJump) {
  // In frames that turn with the links of a four-bar each coordinate serves for a part of a turn only.
  SystemSpec spec = test::four_bar();
  spec.bodies[0].initial.angular_velocity.z() = 12.0;
  set_redundant_aside(spec, 0.0);
  struct Run {
    Run(const SystemSpec& spec, const VectorXd* p)
        : system(InJoints::with(spec, p)),
          steps(system, options(IntegratorMethod::trapezoidal, 0.8, 1e-3)),
          psi(steps, steps.layout()) {
      psi.add(1.0, make_integrand(system, of_coupler()), TimeFunctional::integral);
      const Status status = simulate(steps, trajectory);
      EXPECT_FALSE(status.failed()) << status.message();
    }
    static CriterionTerm of_coupler() {
      CriterionTerm t;
      t.quantity = Quantity::position, t.marker = {"coupler", "b"};
      return t;
    }
    double energy(Eigen::Index k) const {
      const auto e = system.energy(steps.layout().instant<double>(trajectory.t[k], trajectory.y.col(k)),
                                   *system.make_workspace());
      return e.kinetic + e.gravitational;
    }
    MultibodySystem<double> system;
    MatrixR<double> steps;
    Criterion<double> psi;
    Trajectory<double> trajectory;
  };
  Run run(spec, nullptr);
  std::set<MatrixR<double>::Indices> chosen;
  double where_chosen = 0.0, elsewhere = 0.0;  // largest change of the energy in a step
  for (Eigen::Index k = 2; k < run.trajectory.n_stored; ++k) {
    chosen.insert(run.steps.independent(k));
    const bool is_new = run.steps.independent(k) != run.steps.independent(k - 1);
    double& largest = is_new ? where_chosen : elsewhere;
    largest = std::max(largest, std::abs(run.energy(k) - run.energy(k - 1)));
  }
  EXPECT_GT(chosen.size(), 1u);
  EXPECT_LT(where_chosen, elsewhere);
  const LinearizedCriterion function(run.psi, run.trajectory);
  const std::vector<const Objective<double>*> all = {&function};
  const VectorXd adjoint = discrete_adjoint<double>(run.steps, run.trajectory, all),
                 direct = test::direct_by_all_parameters(run.steps, run.trajectory, all);
  EXPECT_LT((adjoint - direct).norm(), 1e-9 * direct.norm());
  const VectorXd p = run.system.parameters(), direction = test::Random(3).vector(p.size()).cwiseProduct(p);
  const double h = 1e-6;
  const VectorXd plus = p + h * direction, minus = p - h * direction;
  const Run above(spec, &plus), below(spec, &minus);
  const double difference =
      (above.psi.value(above.trajectory) - below.psi.value(below.trajectory)) / (2.0 * h);
  EXPECT_NEAR(adjoint.dot(direction), difference, 1e-5 * adjoint.norm() * direction.norm());
}

// A step backwards leaves factors that do not serve the next one forwards.
TEST(MatrixR, EndsAStepAlikeWithFactorsOfFormerOnes) {
  const IntegratorOptions o = options(IntegratorMethod::trapezoidal, 0.3, 1e-3);
  const MultibodySystem<double> absolute(spatial_loop());
  const JointCoordinateSystem<double> joints(absolute, ReferencePoint::common);
  MatrixR<double> steps(joints, o), anew(joints, o);
  MatrixXd y(steps.n_state(), steps.n_steps() + 1), bar = MatrixXd::Zero(steps.n_tangent(), 1),
                                                    p_bar = MatrixXd::Zero(steps.n_parameters(), 1);
  ASSERT_FALSE(steps.initial_state(y.col(0)).failed());
  ASSERT_FALSE(anew.initial_state(y.col(0)).failed());
  VectorXd own = y.col(0);
  double motion = 0.0, multipliers = 0.0;
  const Eigen::Index n = steps.n_state() - joints.n_c();
  for (Eigen::Index k = 1; k <= steps.n_steps(); ++k) {
    ASSERT_FALSE(steps.step(k, y.col(k - 1), y.col(k)).failed());
    if (k > 1) anew.pullback_step(k - 1, y.col(k - 2), y.col(k - 1), bar, p_bar);
    ASSERT_FALSE(anew.step(k, y.col(k - 1), own).failed());
    const VectorXd difference = own - y.col(k);
    motion = std::max(motion, difference.head(n).norm() / own.head(n).norm());
    multipliers = std::max(multipliers, difference.tail(joints.n_c()).norm() / own.tail(joints.n_c()).norm());
  }
  EXPECT_LT(motion, 1e-10) << "an iteration ends where 1e-12 of the accelerations is left";
  EXPECT_LT(multipliers, 1e-8) << "they follow the accelerations, one iteration behind";
  EXPECT_GT(steps.newton_iterations(), anew.newton_iterations())
      << "more iterations, almost all without Jacobians";
}

// A drive turns a rotor at a constant rate: its accelerations are right at once, however old the factors are, and the
// force of its bearing is not.
TEST(MatrixR, FindsReactionsOfWhatTurnsAtAConstantRate) {
  constexpr double m = 2.0, r = 0.1, omega = 50.0, g = 9.81;
  SystemSpec spec;
  spec.gravity << 0.0, -g, 0.0;
  spec.bodies = {
      {"rotor", make_rigid_sid(m, {r, 0.0, 0.0}, Vector3d(0.02, 0.05, 0.06).asDiagonal(), {}), {}}};
  JointSpec shaft{"shaft", {"ground"}, {"rotor"}, test::locked_by("revolute"), {}};
  shaft.drives = {{RelativeDof::rz, constant_rate(0.0, omega)}};
  spec.joints = {shaft};
  const MultibodySystem<double> system(spec);
  const auto steps = make_steps<double>(system, options(IntegratorMethod::trapezoidal, 0.3, 1e-3));
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate(*steps, trajectory).failed());
  const JointReaction<double> reaction(system, "shaft", ReactionKind::force);
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const double angle = omega * trajectory.t[k];
    const Vector3d expected(m * r * omega * omega * std::cos(angle),
                            m * r * omega * omega * std::sin(angle) - m * g, 0.0);
    const VectorXd found =
        reaction.value(steps->layout().instant<double>(trajectory.t[k], trajectory.y.col(k)));
    EXPECT_NEAR(found.norm(), expected.norm(), 1e-8 * m * r * omega * omega) << "after " << angle << " rad";
  }
}

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

/// n squares of rods of 1 m and 1 kg side by side, upright and pushed to the right at 1 m/s: all rods align where
/// they lie down. [IFToMM benchmark: N-four-bar mechanism]
SystemSpec four_bars(int n) {
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  const double up = 0.5 * std::acos(-1.0);
  const auto rod = [](const std::string& name, const Vector3d& place, double angle) {
    BodySpec body{name,
                  test::rigid_sid_with_markers(1.0, {0.5, 0.0, 0.0}, {1e-3, 1.0 / 12.0, 1.0 / 12.0},
                                               {0, 0, 0}, {1, 0, 0}),
                  {}};
    body.initial.position = place, body.initial.rotation = {0.0, 0.0, angle};
    return body;
  };
  for (int i = 0; i <= n; ++i) {
    const std::string post = "post" + std::to_string(i), ground = "g" + std::to_string(i);
    spec.ground.push_back(make_sid_node(ground, {double(i), 0.0, 0.0}, Matrix3d::Identity(), 0));
    spec.bodies.push_back(rod(post, {double(i), 0.0, 0.0}, up));
    spec.bodies.back().initial.angular_velocity.z() = -1.0;
    spec.joints.push_back(
        test::joint_of("a" + std::to_string(i), "revolute", {"ground", ground}, {post, "a"}));
  }
  for (int i = 0; i < n; ++i) {
    const std::string bar = "bar" + std::to_string(i), next = "post" + std::to_string(i + 1);
    spec.bodies.push_back(rod(bar, {double(i), 1.0, 0.0}, 0.0));
    spec.joints.push_back(
        test::joint_of("b" + std::to_string(i), "revolute", {"post" + std::to_string(i), "b"}, {bar, "a"}));
    spec.joints.push_back(test::joint_of("c" + std::to_string(i), "revolute", {bar, "b"}, {next, "b"}));
  }
  return spec;
}

TEST(JointCoordinates, CrossTheAlignedPositionsOfFourBars) {
  SystemSpec spec = four_bars(2);
  std::vector<std::string> tree;
  for (const TreeLink& link : choose_spanning_tree(spec))
    tree.push_back(spec.joints[static_cast<std::size_t>(link.joint)].name);
  set_redundant_aside(spec, 0.0, tree);
  const MultibodySystem<double> absolute(spec);
  const JointCoordinateSystem<double> joints(absolute, ReferencePoint::common);
  IntegratorOptions o = options(IntegratorMethod::trapezoidal, 3.0, 2e-3);
  o.newton_tolerance = IntegratorOptions{}.newton_tolerance;  // close to a dead centre less is rounding
  const auto steps = make_dae_steps<double>(joints, o);
  Trajectory<double> trajectory;
  const Status status = simulate(*steps, trajectory);
  ASSERT_FALSE(status.failed()) << status.message();
  BodiesOfJoints<double> bodies(joints);
  const auto energy = [&](Eigen::Index k) {
    const auto at = steps->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    const auto e = absolute.energy(bodies.at(at, false), *absolute.make_workspace());
    return e.kinetic + e.gravitational;
  };
  double lowest = 1.0;
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const auto at = steps->layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    const auto x = bodies.at(at, false).x;
    lowest = std::min(lowest, rotation_matrix<double>(absolute.pose(x, 0).e)(1, 0));
  }
  EXPECT_LT(lowest, -0.5) << "the posts pass through the aligned position";
  EXPECT_NEAR(energy(trajectory.n_stored - 1), energy(0), 1e-3 * energy(0));
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
