/// The end of the motion as a parameter: derivatives of the steps of each method, and first motions from point to point.
#include <gtest/gtest.h>

#include <cmath>

#include "floating_frame/criteria.hpp"
#include "floating_frame/make_steps.hpp"
#include "floating_frame/point_to_point.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {
namespace {

/// Two links of a robot under gravity in a vertical plane, with torques at shoulder and elbow, of which the second one
/// jumps between its nodes.
SystemSpec arm(double t1 = 0.4) {
  const auto marker = [](const char* name, const Vector3d& place) {
    return make_sid_node(name, place, Matrix3d::Identity(), 0);
  };
  SystemSpec spec;
  spec.time = {0.1, t1, true};
  spec.gravity << 0.0, -9.81, 0.5;
  spec.bodies.push_back(
      {"upper",
       make_rigid_sid(1.2, Vector3d(0.15, 0.01, 0.0), Vector3d(5e-4, 1.2e-2, 1.2e-2).asDiagonal(),
                      {marker("elbow", {0.3, 0.0, 0.0})}),
       {}});
  spec.bodies.push_back(
      {"lower",
       make_rigid_sid(0.7, Vector3d(0.1, 0.0, 0.02), Vector3d(5e-4, 5e-3, 5e-3).asDiagonal(),
                      {marker("hand", {0.25, 0.0, 0.0})}),
       {}});
  spec.bodies[0].initial.rotation << 0.0, 0.0, -0.5;
  spec.bodies[1].initial.rotation << 0.0, 0.0, 0.9;
  spec.bodies[1].initial.position << 0.3 * std::cos(0.5), -0.3 * std::sin(0.5), 0.0;
  JointSpec hinge{.name = "shoulder", .from = {"ground"}, .to = {"upper"}, .drives = {}};
  locked_dofs_of("revolute", hinge.locked);
  spec.joints.push_back(hinge);
  hinge.name = "elbow", hinge.from = {"upper", "elbow"}, hinge.to = {"lower"};
  spec.joints.push_back(hinge);
  spec.springs.push_back({.name = "s",
                          .from = {"ground"},
                          .to = {"lower", "hand"},
                          .stiffness = 30.0,
                          .damping = 0.8,
                          .free_length = 0.3});
  const auto control = [&](const char* name, Interpolation interpolation, const VectorXd& nodes) {
    spec.controls.push_back({name, {interpolation, static_cast<int>(nodes.size()), spec.time.t0, t1}, nodes});
    const JointSpec& joint = spec.joints[spec.controls.size() - 1];
    spec.motors.push_back({.name = name,
                           .from = joint.from,
                           .to = joint.to,
                           .is_rotary = true,
                           .control = static_cast<int>(spec.controls.size()) - 1});
  };
  control("shoulder", Interpolation::natural, Eigen::Vector<double, 5>(3.0, -1.0, 2.0, 0.5, 1.0));
  control("elbow", Interpolation::constant, Eigen::Vector3d(1.0, -0.5, 0.3));
  return spec;
}

std::vector<CriterionTerm> terms_with(bool has_rates) {
  std::vector<CriterionTerm> terms;
  const auto add = [&](Quantity quantity, TimeFunctional time, double exponent = 0.0) -> CriterionTerm& {
    terms.push_back({.quantity = quantity, .time = time, .exponent = exponent, .marker = {"lower", "hand"}});
    return terms.back();
  };
  using enum TimeFunctional;
  add(Quantity::kinetic_energy, integral);
  add(Quantity::control_energy, integral);
  add(Quantity::control_energy, mean);
  add(Quantity::velocity, final_value).component = 0;
  add(Quantity::velocity, change).component = 1;
  add(Quantity::velocity, p_norm, 4.0);
  add(Quantity::position, kreisselmeier_steinhauser, 3.0).component = 1;
  add(Quantity::joint_angle, instants).joint = "elbow";
  terms.back().steps = {0, 6, 20};
  add(Quantity::duration, mean);
  if (!has_rates) return terms;
  add(Quantity::acceleration, p_norm, 4.0);
  add(Quantity::reaction_force, integral).joint = "elbow";
  return terms;
}

struct Method {
  const char* name;
  IntegratorMethod method;
};
class EndOfMotionSteps : public testing::TestWithParam<Method> {
 protected:
  struct Run {
    Run(const SystemSpec& spec, const IntegratorOptions& options)
        : system(spec), steps(make_steps<double>(system, options)) {
      const Status status = simulate<double>(*steps, trajectory);
      EXPECT_FALSE(status.failed()) << status.message();
      for (const CriterionTerm& term : terms_with(true))
        criteria.push_back(make_criterion<double>(*steps, system, {term}));
    }
    VectorXd values() const {
      VectorXd psi(std::ssize(criteria));
      for (Eigen::Index i = 0; i < psi.size(); ++i)
        psi[i] = criteria[static_cast<std::size_t>(i)].value(trajectory);
      return psi;
    }
    MultibodySystem<double> system;
    std::unique_ptr<DaeSteps<double>> steps;
    Trajectory<double> trajectory;
    std::vector<Criterion<double>> criteria;
  };
  /// 20 steps of a motion that was meant to end at 0.4 s.
  IntegratorOptions options() const {
    return {.method = GetParam().method, .t0 = 0.1, .t1 = 0.4, .step = 0.015, .newton_tolerance = 1e-12};
  }
  static SystemSpec ending_at(double t1) {
    SystemSpec spec = arm();
    spec.time.t1 = t1;
    for (ControlSpec& control : spec.controls) control.grid.stretch_to(t1);
    return spec;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, EndOfMotionSteps,
                         testing::Values(Method{"GeneralizedAlpha", IntegratorMethod::generalized_alpha},
                                         Method{"MatrixR", IntegratorMethod::trapezoidal},
                                         Method{"RungeKutta", IntegratorMethod::runge_kutta_4}),
                         [](const auto& info) { return std::string(info.param.name); });

// By central differences, extrapolated twice.
TEST_P(EndOfMotionSteps, HaveDerivativesOfDifferences) {
  const double t1 = 0.43;
  const Run run(ending_at(t1), options());
  ASSERT_NEAR(run.trajectory.t[20], t1, 1e-15);
  std::vector<VectorXd> differences;
  for (double h = 4e-3; h > 0.9e-3; h *= 0.5)
    differences.push_back(
        (Run(ending_at(t1 + h), options()).values() - Run(ending_at(t1 - h), options()).values()) /
        (2.0 * h));
  for (double factor = 4.0; differences.size() > 1; factor *= 4.0) {
    for (std::size_t i = 0; i + 1 < differences.size(); ++i)
      differences[i] = (factor * differences[i + 1] - differences[i]) / (factor - 1.0);
    differences.pop_back();
  }
  std::vector<LinearizedCriterion> objectives;
  std::vector<const Objective<double>*> pointers;
  for (const Criterion<double>& criterion : run.criteria) objectives.emplace_back(criterion, run.trajectory);
  for (const LinearizedCriterion& objective : objectives) pointers.push_back(&objective);
  const Eigen::Index end = run.system.layout().end();
  ASSERT_GE(end, 0);
  const MatrixXd adjoint = discrete_adjoint<double>(*run.steps, run.trajectory, pointers);
  const MatrixXd direction = MatrixXd::Identity(adjoint.rows(), adjoint.rows()).col(end);
  const MatrixXd direct = direct_differentiation<double>(*run.steps, run.trajectory, pointers, direction);
  const VectorXd values = run.values();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double expected = differences.front()[i];
    const double scale = std::max({1.0, std::abs(expected), std::abs(values[i])});
    EXPECT_NEAR(adjoint(end, i), expected, 1e-7 * scale) << i;
    EXPECT_NEAR(direct(0, i), adjoint(end, i), 1e-10 * scale) << i;
  }
}

// The shares of nodes and steps are those of the time that was meant.
TEST_P(EndOfMotionSteps, AreThoseOfAnEndThatWasGiven) {
  const Run free(ending_at(0.5), options());
  SystemSpec spec = arm(0.5);
  spec.time.varies = false;
  const MultibodySystem<double> system(spec);
  IntegratorOptions given = options();
  given.t1 = 0.5, given.step = 0.02;
  const auto steps = make_steps<double>(system, given);
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(*steps, trajectory).failed());
  EXPECT_LT((free.trajectory.y - trajectory.y).lpNorm<Eigen::Infinity>(),
            1e-8 * trajectory.y.lpNorm<Eigen::Infinity>());
}

// With as many torques as joints the guess is inverse dynamics: its motion arrives at rest, as well as splines of 41 nodes
// can have these torques.
TEST(PointToPoint, GuessArrivesAtRestUnderGravity) {
  SystemSpec spec = arm();
  for (ControlSpec& control : spec.controls)
    control = {control.name, {Interpolation::not_a_knot, 41, spec.time.t0, spec.time.t1}, VectorXd::Zero(41)};
  spec.time.varies = false;
  PointToPointGuess guess;
  const Status status =
      guess_point_to_point(spec, {{"shoulder", 0.4}, {"elbow", -0.6}}, {{}, {}}, 0.4, guess);
  ASSERT_FALSE(status.failed()) << status.message();
  EXPECT_EQ(guess.t1, 0.4);
  EXPECT_EQ(guess.load, 0.0) << "there are no bounds";
  for (std::size_t i = 0; i < 2; ++i) spec.controls[i].nodes = guess.nodes[i];
  const MultibodySystem<double> system(spec);
  const auto steps = make_steps<double>(
      system, {.method = IntegratorMethod::trapezoidal, .t0 = 0.1, .t1 = 0.4, .step = 7.5e-4});
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(*steps, trajectory).failed());
  const auto final = [&](Quantity quantity, const char* joint) {
    return make_criterion<double>(
               *steps, system, {{.quantity = quantity, .time = TimeFunctional::final_value, .joint = joint}})
        .value(trajectory);
  };
  EXPECT_NEAR(final(Quantity::joint_angle, "shoulder"), 0.4, 1e-3);
  EXPECT_NEAR(final(Quantity::joint_angle, "elbow"), -0.6, 1e-3);
  EXPECT_NEAR(final(Quantity::joint_rate, "shoulder"), 0.0, 2e-2);
  EXPECT_NEAR(final(Quantity::joint_rate, "elbow"), 0.0, 2e-2);
}

// Slow motions take the torques that hold the arm, and fast ones more: with a fifth more than these, time helps.
TEST(PointToPoint, TakesTheTimeThatBoundsAskFor) {
  const std::vector<JointEnd> ends = {{"shoulder", 0.4}, {"elbow", -0.6}};
  PointToPointGuess guess;
  ASSERT_FALSE(guess_point_to_point(arm(10.0), ends, {{}, {}}, 10.0, guess).failed());
  std::vector<ControlBounds> bounds;
  for (const VectorXd& nodes : guess.nodes) {
    const double bound = 1.2 * nodes.lpNorm<Eigen::Infinity>();
    bounds.push_back({-bound, bound});
  }
  ASSERT_FALSE(guess_point_to_point(arm(0.2), ends, bounds, 10.0, guess).failed());
  EXPECT_GT(guess.t1, 0.2);
  EXPECT_LT(guess.t1, 10.0);
  EXPECT_LE(guess.load, 1.0);
  EXPECT_GT(guess.load, 0.7);
  // Without time enough they are clipped.
  ASSERT_FALSE(guess_point_to_point(arm(0.2), ends, bounds, 0.2, guess).failed());
  EXPECT_EQ(guess.t1, 0.2);
  EXPECT_GT(guess.load, 1.0);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LE(guess.nodes[i].lpNorm<Eigen::Infinity>(), bounds[i].upper);
}

TEST(PointToPoint, RefusesJointsThatLeaveTheMotionOpen) {
  PointToPointGuess guess;
  try {
    (void)guess_point_to_point(arm(), {{"shoulder", 0.4}}, {{}, {}}, 1.0, guess);
    FAIL() << "no InputError";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("leave 1 degree of freedom"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kurbel
