/// Motions where coordinates are chosen anew or factors are kept: the trapezoidal rule by Matrix R.
#include <gtest/gtest.h>

#include <set>

#include "floating_frame/criteria.hpp"
#include "floating_frame/make_steps.hpp"
#include "floating_frame/redundant_constraints.hpp"
#include "integration/dae_steps.hpp"
#include "integration/matrix_r.hpp"
#include "joint_coordinates/bodies_of_joints.hpp"
#include "motion_models.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/floating_frame/overconstrained_models.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

using test::options;
using test::spatial_loop;

TEST(MatrixR, ChoosesIndependentCoordinatesAnewWithoutAJump) {
  // In frames that turn with the links of a four-bar each coordinate serves for a part of a turn only.
  SystemSpec spec = test::four_bar();
  spec.bodies[0].initial.angular_velocity.z() = 12.0;
  set_redundant_aside(spec, 0.0);
  struct Run {
    Run(const SystemSpec& spec, const VectorXd* p)
        : system(test::system_with(spec, p)),
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

}  // namespace
}  // namespace kurbel
