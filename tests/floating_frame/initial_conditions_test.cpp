/// Starts that the joints do not allow as they are given: what moves, and the derivatives of that.
#include "integration/initial_conditions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "floating_frame/start_report.hpp"
#include "start_derivatives.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

std::array<bool, 6> locked_by(const std::string& type) {
  std::array<bool, 6> locked{};
  EXPECT_TRUE(locked_dofs_of(type, locked));
  return locked;
}

struct Start {
  explicit Start(const SystemSpec& spec) : system(spec), initial(system) {
    const Status status = initial.solve(0.0, state);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  Vector3d position(std::size_t body) const { return system.pose(state.x, body).r; }
  Vector3d omega(std::size_t body) const { return state.v.segment<3>(system.v_offset(body) + 3); }
  double energy() {
    const auto ws = system.make_workspace();
    return system.energy({0.0, state.x, state.v, state.v_dot, state.lambda}, *ws).kinetic;
  }
  MultibodySystem<double> system;
  InitialConditions<double> initial;
  InitialConditions<double>::State state;
};

/// Units of length and mass: values in metres and kilograms are multiplied by these.
struct Units {
  double length = 1.0, mass = 1.0;
};

BodySpec arm(const std::string& name, double mass, double length, double half_width, Units u) {
  const double J = mass * length * length / 12.0, Jx = mass * half_width * half_width / 3.0;
  return {name,
          test::rigid_sid_with_markers(
              mass * u.mass, {0.5 * length * u.length, 0, 0},
              Vector3d(Jx, J + 0.25 * mass * length * length, J + 0.25 * mass * length * length) *
                  (u.mass * u.length * u.length),
              {0, 0, 0}, {length * u.length, 0, 0}),
          {}};
}

/// Two arms, the lower one's place given, the upper one set in motion.
SystemSpec double_pendulum(double upper_length, Units u = {}) {
  SystemSpec spec;
  spec.bodies = {arm("upper", 1.0, upper_length, 0.1, u), arm("lower", 1.0, 1.0, 0.1, u)};
  spec.bodies[0].initial.angular_velocity << 0, 0, 2.0;
  spec.bodies[0].initial.given.angular_velocity = true;
  spec.bodies[1].initial.position << u.length, 0, 0;
  spec.bodies[1].initial.given.position = true;
  spec.joints = {{"shoulder", {"ground"}, {"upper", "a"}, locked_by("revolute"), {}},
                 {"elbow", {"upper", "b"}, {"lower", "a"}, locked_by("revolute"), {}}};
  return spec;
}

TEST(Start, KeepsAGivenAngularVelocityWhateverTheLengths) {
  const double at_one = Start(double_pendulum(1.0)).energy();
  EXPECT_GT(at_one, 1.0);
  for (const double change : {1e-6, -1e-6, 1e-12, 0.1, -0.1}) {
    Start start(double_pendulum(1.0 + change));
    EXPECT_NEAR(start.omega(0)[2], 2.0, 1e-14) << change;
    // The lower arm follows the elbow.
    EXPECT_NEAR(start.position(1)[0], 1.0 + change, 1e-14);
    EXPECT_NEAR(start.energy(), at_one, 10.0 * std::abs(change) + 1e-14);
  }
}

TEST(Start, KeepsAGivenVelocityInTheInertialFrameWhenTheRotationIsCorrected) {
  SystemSpec spec = double_pendulum(1.0);
  spec.joints.pop_back();
  spec.bodies[1].initial.velocity << 1.0, 2.0, 0.0;
  spec.bodies[1].initial.given.velocity = true;
  spec.joints.push_back({"direction", {"ground"}, {"lower"}, {false, false, false, true, true, true}, {}});
  spec.bodies[1].initial.rotation << 0, 0, 0.3;
  const Start turned(spec);
  EXPECT_NEAR(turned.state.v[turned.system.v_offset(1)], 1.0, 1e-14);
  EXPECT_NEAR(turned.state.v[turned.system.v_offset(1) + 1], 2.0, 1e-14);
}

/// A crank-slider set in motion by its crank, given for lengths of 0.1 m and 0.3 m.
SystemSpec crank_slider(double crank, double rod) {
  SystemSpec spec;
  spec.bodies = {arm("crank", 1.0, crank, 0.01, {}), arm("rod", 0.5, rod, 0.01, {})};
  InitialState &first = spec.bodies[0].initial, &second = spec.bodies[1].initial;
  first.rotation << 0, 0, 0.7;
  first.angular_velocity << 0, 0, 10.0;
  first.given.rotation = first.given.angular_velocity = true;
  second.position << 0.1 * std::cos(0.7), 0.1 * std::sin(0.7), 0.0;
  second.rotation << 0, 0, -0.21643;
  second.given.position = second.given.rotation = true;
  spec.joints = {{"bearing", {"ground"}, {"crank", "a"}, locked_by("revolute"), {}},
                 {"pin", {"crank", "b"}, {"rod", "a"}, locked_by("revolute"), {}},
                 {"slider", {"ground"}, {"rod", "b"}, {false, true, false, false, false, false}, {}}};
  return spec;
}

StartReport report_of(const SystemSpec& spec) {
  const MultibodySystem<double> system(spec);
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  EXPECT_FALSE(initial.solve(0.0, state).failed());
  return report_start(system, {0.0, state.x, state.v, state.v_dot, state.lambda});
}

/// The place given to the lower arm is one that the upper arm reaches by turning.
TEST(Start, KeepsAGivenPositionThatOtherBodiesReachByTurningFar) {
  for (const double angle : {0.1, 0.6435, 1.2, -2.0}) {
    SystemSpec spec = double_pendulum(1.0);
    spec.bodies[1].initial.position << std::cos(angle), std::sin(angle), 0;
    for (const bool turned : {false, true}) {
      if (turned) {
        spec.bodies[1].initial.rotation << 0, 0, 0.3;
        spec.bodies[1].initial.given.rotation = true;
      }
      const Start start(spec);
      EXPECT_LT((start.position(1) - spec.bodies[1].initial.position).norm(), 1e-9) << angle;
      EXPECT_THAT(report_of(spec).lost, testing::IsEmpty()) << angle;
    }
  }
}

TEST(Start, IsSmoothInTheLengths) {
  constexpr double step = 1e-5;
  for (const bool vary_crank : {true, false}) {
    std::vector<double> energy;
    for (int i = -5; i <= 5; ++i) {
      Start start(vary_crank ? crank_slider(0.1 + i * step, 0.3) : crank_slider(0.1, 0.3 + i * step));
      EXPECT_NEAR(start.omega(0)[2], 10.0, 1e-12);
      energy.push_back(start.energy());
    }
    // Second differences are those of a smooth function, h^2 times its second derivative of some 1e3.
    for (std::size_t i = 1; i + 1 < energy.size(); ++i)
      EXPECT_LT(std::abs(energy[i - 1] - 2.0 * energy[i] + energy[i + 1]), 1e-6) << i;
  }
}

TEST(Start, DoesNotDependOnUnits) {
  const Start metres(double_pendulum(1.05));
  for (const Units u : {Units{1e3, 1e-3}, Units{1e3, 1e3}, Units{1e-3, 1.0}}) {
    SCOPED_TRACE(u.length);
    const Start other(double_pendulum(1.05, u));
    for (std::size_t b = 0; b < 2; ++b) {
      EXPECT_LT((other.position(b) / u.length - metres.position(b)).norm(), 1e-13);
      EXPECT_LT((other.omega(b) - metres.omega(b)).norm(), 1e-13);
      const Eigen::Index o = metres.system.v_offset(b);
      EXPECT_LT((other.state.v.segment<3>(o) / u.length - metres.state.v.segment<3>(o)).norm(), 1e-13);
    }
  }
}

TEST(Start, ChangesNothingWhereTheJointsAreSatisfied) {
  SystemSpec spec = double_pendulum(1.0);
  spec.bodies[1].initial.velocity << 0, 2.0, 0;
  const Start start(spec);
  EXPECT_EQ(start.position(0), Vector3d::Zero());
  EXPECT_EQ(start.position(1), Vector3d(1, 0, 0));
  EXPECT_EQ(start.omega(1), Vector3d::Zero());
}

/// As given with digits cut off, and with values that cannot be kept.
SystemSpec given_mechanism() {
  SystemSpec spec = test::moving_mechanism();
  for (BodySpec& body : spec.bodies) body.initial.given.position = body.initial.given.angular_velocity = true;
  spec.bodies[0].initial.given.rotation = true;
  spec.bodies[2].initial.given.velocity = true;
  spec.bodies[2].initial.given.position = false;
  return spec;
}

/// A body whose joints hold it twice in two directions, so that it has to bend.
SystemSpec bent_body() {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.bodies = {{"beam", test::random_flexible_sid(1, 4, 50.0), {}}};
  spec.bodies[0].initial.given.position = true;
  spec.joints = {{"clamp", {"ground"}, {"beam", "a"}, locked_by("fixed"), {}}};
  const Start start(spec);
  const auto& system = start.system;
  const Pose<double> pose = system.pose(start.state.x, 0);
  const Eigen::AngleAxisd turn(rotation_matrix(pose.e));
  spec.bodies[0].initial.position = pose.r;
  spec.bodies[0].initial.rotation = turn.angle() * turn.axis();
  const Vector3d end = pose.r + rotation_matrix(pose.e) * spec.bodies[0].sid.frame[1].origin.M0.col(0);
  spec.ground.push_back(make_sid_node("stop", end + Vector3d(0.01, -0.005, 0.0), Matrix3d::Identity(), 0));
  spec.joints.push_back({"stop", {"ground", "stop"}, {"beam", "b"}, {true, true}, {}});
  return spec;
}

TEST(Start, HasDerivativesThatEqualComplexStepWithoutAnythingGiven) {
  test::expect_derivatives_of_start(test::moving_mechanism());
}

TEST(Start, HasDerivativesThatEqualComplexStepFarFromAssembled) {
  test::expect_derivatives_of_start(test::scattered_mechanism(), 0.0, 37);
}

TEST(Start, HasDerivativesThatEqualComplexStepWithGivenValuesThatCannotBeKept) {
  const SystemSpec spec = given_mechanism();
  const Start start(spec);
  EXPECT_GT((start.position(0) - spec.bodies[0].initial.position).norm(), 1e-3);
  test::expect_derivatives_of_start(spec);
}

TEST(Start, HasDerivativesThatEqualComplexStepWhereABodyHasToBend) {
  SystemSpec spec = bent_body();
  const Start start(spec);
  EXPECT_GT(start.state.x.tail(4).norm(), 1e-3);
  test::expect_derivatives_of_start(spec);
  spec.initial_equilibrium = InitialEquilibrium::elastic;
  test::expect_derivatives_of_start(spec);
}

/// Bodies that their joints let deform as a load case says.
SystemSpec loaded_mechanism() {
  SystemSpec spec = test::moving_mechanism();
  for (std::size_t i = 0; i < 2; ++i) {
    spec.bodies[i].initial.loads = {{"pull", "b", {3.0, -2.0, 1.0}, Vector3d::Zero()},
                                    {"bend", "a", Vector3d::Zero(), {0.2, 0.5, -0.3}}};
  }
  return spec;
}

TEST(StaticLoad, DeformsABodyByItsFlexibility) {
  SystemSpec spec = loaded_mechanism();
  spec.joints.clear();
  const Start start(spec);
  for (std::size_t i = 0; i < 2; ++i) {
    const Sid& sid = spec.bodies[i].sid;
    const Eigen::Index n_q = sid.n_q();
    const VectorXd q = start.state.x.segment(start.system.x_offset(i) + 7, n_q);
    const VectorXd load = sid.frame[1].phi.M0.transpose() * Vector3d(3.0, -2.0, 1.0) +
                          sid.frame[0].psi.M0.transpose() * Vector3d(0.2, 0.5, -0.3);
    EXPECT_LT((sid.Ke.M0 * q - load).norm(), 1e-12 * load.norm());
    EXPECT_GT(q.norm(), 1e-3);
  }
}

TEST(StaticLoad, HasDerivativesThatEqualComplexStep) {
  test::expect_derivatives_of_start(loaded_mechanism());
}

TEST(StaticLoad, SaysNothingOfABodyWithoutStiffness) {
  SystemSpec spec = loaded_mechanism();
  spec.bodies[1].sid.Ke.M0.setZero();
  const MultibodySystem<double> system(spec);
  InitialConditions<double> initial(system);
  InitialConditions<double>::State state;
  EXPECT_THROW(initial.solve(0.0, state), InputError);
}

TEST(StartReport, NamesGivenValuesThatAreLostAndTellsWhatElseMoved) {
  using ::testing::Contains;
  using ::testing::IsEmpty;
  const StartReport lost = report_of(double_pendulum(1.1));
  EXPECT_THAT(lost.lost, testing::ElementsAre("body lower: the joints change the initial position by 0.1 m, "
                                              "though it is given. Correct it in [bodies.lower.initial]"));
  EXPECT_THAT(lost.corrections,
              Contains("body lower: the joints determine the initial velocity, which is not stated"));
  // Digits that were cut off are no loss; rounding is nothing.
  const StartReport cut = report_of(double_pendulum(1.0 + 1e-6));
  EXPECT_THAT(cut.lost, IsEmpty());
  EXPECT_THAT(cut.corrections, Contains("body lower: the joints change the initial position by 1e-06 m"));
  SystemSpec at_rest = double_pendulum(1.0 + 1e-15);
  at_rest.bodies[0].initial.angular_velocity.setZero();
  EXPECT_THAT(report_of(at_rest).corrections, IsEmpty());
}

TEST(StaticEquilibrium, DoesNotDependOnUnits) {
  // A pendulum whose centre of mass has to come below its hinge, and an arm whose place is given off its
  // hinge.
  for (const Units u : {Units{}, Units{1e3, 1e-3}}) {
    SystemSpec spec;
    spec.gravity << 0, -9.81 * u.length, 0;
    spec.bodies = {arm("rod", 2.0, 1.0, 0.1, u)};
    spec.bodies[0].initial.position << 0.2 * u.length, 0, 0;
    spec.joints = {{"hinge", {"ground"}, {"rod", "a"}, locked_by("revolute"), {}}};
    spec.initial_equilibrium = InitialEquilibrium::all;
    const Start start(spec);
    const Matrix3d A = rotation_matrix(start.system.pose(start.state.x, 0).e);
    EXPECT_NEAR(std::atan2(A(1, 0), A(0, 0)), -EIGEN_PI / 2.0, 1e-14);
    EXPECT_LT(start.position(0).norm(), 1e-14 * u.length);
  }
}

}  // namespace
}  // namespace kurbel
