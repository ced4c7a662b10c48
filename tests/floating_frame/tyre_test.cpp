/// Tyres on roads, and what criteria of vehicles are made of.
#include "floating_frame/tyre.hpp"

#include <gmock/gmock.h>

#include "floating_frame/tyre_range.hpp"
#include "floating_frame/tyre_start.hpp"
#include "floating_frame/vehicle_quantities.hpp"
#include "mechanism/table.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::Simulation;
using test::span;
using ::testing::HasSubstr;

constexpr double g = 9.81, k = 120e3, radius = 0.29, mass = 8.0 + 12.0;

/// Penetration where k (delta + s) / 2 carries a weight: delta = F / k - smoothing^2 k / (4 F).
double penetration_under(double F, double smoothing = 0.002) {
  return F / k - smoothing * smoothing * k / (4.0 * F);
}

/// A wheel of 12 kg on an upright of 8 kg that moves along x and z without turning, at its equilibrium height.
SystemSpec corner(double v, double spin) {
  SystemSpec spec;
  spec.gravity << 0.0, 0.0, -g;
  spec.ground = {make_sid_node("post", {0.0, 0.0, 0.9}, Matrix3d::Identity(), 0)};
  spec.bodies = {
      {"upright", test::rigid_sid_with_markers(8.0, {0, 0, 0}, {0.1, 0.1, 0.1}, {0, 0, 0}, {0, 0.1, 0}), {}},
      {"wheel",
       test::rigid_sid_with_markers(12.0, {0, 0.1, 0}, {0.35, 0.6, 0.35}, {0, 0.1, 0}, {0, 0, 0}),
       {}}};
  for (BodySpec& body : spec.bodies) {
    body.initial.position.z() = radius - penetration_under(mass * g);
    body.initial.velocity.x() = v;
  }
  spec.bodies[1].initial.angular_velocity.y() = spin;
  spec.joints = {{"guide", {"ground"}, {"upright"}, {false, true, false, true, true, true}, {}},
                 {"hub", {"upright", "b"}, {"wheel", "a"}, {true, true, true, true, false, true}, {}}};
  spec.tyres = {{.name = "tyre",
                 .wheel = {"wheel", "a"},
                 .carrier = "upright",
                 .radius = radius,
                 .stiffness = k,
                 .damping = 200.0}};
  return spec;
}

double loaded_radius() {
  return radius - penetration_under(mass * g);
}

TyreForces<double> forces_at(Simulation<double>& run, Eigen::Index step) {
  const auto ws = run.system.make_workspace();
  const auto at = run.integrator.layout().instant<double>(run.trajectory.t[step], run.trajectory.y.col(step));
  return run.system.tyre_forces(0, at, *ws);
}

TEST(Tyre, CarriesTheWeightOfWhatRestsOnIt) {
  Simulation<double> run(corner(0.0, 0.0), span(0.5, 0.01), {});
  run.value();
  for (const Eigen::Index step : {Eigen::Index{0}, run.trajectory.n_stored - 1}) {
    EXPECT_NEAR(forces_at(run, step).vertical, mass * g, 1e-7 * mass * g);
    EXPECT_NEAR(forces_at(run, step).penetration, penetration_under(mass * g), 1e-10);
    EXPECT_NEAR(forces_at(run, step).longitudinal, 0.0, 1e-9);
  }
}

TEST(Tyre, RollsOnWithoutSlip) {
  constexpr double v = 3.0;
  Simulation<double> run(corner(v, v / loaded_radius()), span(1.0, 0.002), {});
  run.value();
  const auto end = run.trajectory.y.rightCols<1>();
  EXPECT_NEAR(end(run.system.x_offset(1)), v * 1.0, 5e-4);  // of second order in the turn of a step
  const Eigen::Index velocities = run.system.n_x();
  EXPECT_NEAR(end(velocities + run.system.v_offset(1) + 4), v / loaded_radius(), 1e-3);
  EXPECT_NEAR(forces_at(run, run.trajectory.n_stored - 1).longitudinal, 0.0, 1e-3);
}

TEST(Tyre, BrakesWhenItsWheelIsLocked) {
  constexpr double v = 8.0, B = 10.0, C = 1.3;
  Simulation<double> run(corner(v, 0.0), span(0.001, 0.001), {});
  run.value();
  const double sigma = v / std::sqrt(v * v + 0.25);
  const TyreForces<double> forces = forces_at(run, 0);
  EXPECT_NEAR(forces.longitudinal, -mass * g * std::sin(C * std::atan(B * sigma)), 1e-6 * mass * g);
  EXPECT_EQ(forces.lateral, 0.0);
}

TEST(Tyre, PullsItsWheelUntilItRolls) {
  Simulation<double> run(corner(3.0, 0.0), span(2.0, 0.002), {});
  run.value();
  const auto end = run.trajectory.y.rightCols<1>();
  const Eigen::Index velocities = run.system.n_x();
  const double speed = end(velocities + run.system.v_offset(0)),
               spin = end(velocities + run.system.v_offset(1) + 4);
  EXPECT_NEAR(spin * loaded_radius(), speed, 1e-3);
  // Angular momentum about the contact: m v R + J w.
  EXPECT_NEAR(mass * speed * loaded_radius() + 0.6 * spin, mass * 3.0 * loaded_radius(), 0.02);
}

TEST(Tyre, InTheAirIsFree) {
  SystemSpec spec = corner(0.0, 0.0);
  for (BodySpec& body : spec.bodies) body.initial.position.z() += 1.0;
  Simulation<double> run(spec, span(0.01, 0.001), {});
  run.value();
  EXPECT_LT(forces_at(run, 0).vertical, 0.13);  // k smoothing^2 / (4 |delta|)
  EXPECT_GT(forces_at(run, 0).vertical, 0.0);
}

TEST(Tyre, OnASlopeOfTheRoadIsDampedByTheRateOfPenetration) {
  SystemSpec spec = corner(2.0, 2.0 / loaded_radius());
  spec.road.height = table({-1.0, 1.0}, {-0.1, 0.1});
  Simulation<double> run(spec, span(0.001, 0.001), {});
  run.value();
  const double delta = penetration_under(mass * g), s = std::hypot(delta, 0.002);
  EXPECT_NEAR(forces_at(run, 0).vertical, mass * g + 200.0 * 0.5 * (1.0 + delta / s) * 0.1 * 2.0, 1e-6);
}

/// A corner with a spring, steered and leaning, on waves.
SystemSpec suspended() {
  SystemSpec spec = corner(2.0, 5.0);
  spec.joints[0].locked = {false, true, false, false, false, false};
  spec.bodies[0].initial.rotation << 0.1, 0.05, 0.2;
  spec.bodies[1].initial.rotation << 0.1, 0.05, 0.2;
  spec.bodies[0].initial.angular_velocity << 0.3, -0.2, 0.4;
  spec.road.height = road_sine(0.01, 0.7, -0.3);
  spec.springs = {{"strut", {"ground", "post"}, {"upright", "b"}, 3e3, 100.0, 0.7}};
  return spec;
}

// The tolerance is that of Newton's iteration.
TEST(Tyre, HasForcesThatDoNotDependOnTheFrameOfTheWheel) {
  constexpr double yaw_rate = 0.8;
  SystemSpec beside = corner(2.0, 5.0);
  beside.joints[0].locked = {false, true, false, false, false, false};
  for (BodySpec& body : beside.bodies) body.initial.angular_velocity.z() = yaw_rate;
  SystemSpec at_hub = beside;
  BodySpec& wheel = at_hub.bodies[1];
  wheel.sid = test::rigid_sid_with_markers(12.0, {0, 0, 0}, {0.35, 0.6, 0.35}, {0, 0, 0}, {0, -0.1, 0});
  wheel.initial.position.y() += 0.1;
  wheel.initial.velocity.x() -= 0.1 * yaw_rate;
  Simulation<double> first(beside, span(0.02, 0.001), {}), second(at_hub, span(0.02, 0.001), {});
  first.value(), second.value();
  for (const Eigen::Index step : {Eigen::Index{0}, Eigen::Index{20}}) {
    const TyreForces<double> a = forces_at(first, step), b = forces_at(second, step);
    EXPECT_NEAR(a.longitudinal, b.longitudinal, 1e-8 * mass * g);
    EXPECT_NEAR(a.lateral, b.lateral, 1e-8 * mass * g);
    EXPECT_NEAR(a.vertical, b.vertical, 1e-8 * mass * g);
  }
}

template <class S>
void add_quantities(Simulation<S>& run) {
  const auto add = [&](Quantity quantity, double weight) {
    CriterionTerm term{.quantity = quantity};
    term.tyre = "tyre", term.spring = "strut", term.body = "upright";
    run.psi.add(weight, make_integrand(run.system, term));
  };
  add(Quantity::tyre_force, 1e-3);
  add(Quantity::spring_length, 10.0);
  add(Quantity::attitude, 30.0);
  add(Quantity::attitude_rate, 1.0);
}

TEST(VehicleQuantities, HaveTheGradientOfComplexStepByEitherMethod) {
  const IntegratorOptions options = span(0.006, 0.001);
  Simulation<double> run(suspended(), options, {});
  add_quantities(run);
  ASSERT_GT(run.value(), 0.0);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, {&run.psi});
  Simulation<Complex> judge(suspended(), options, {});
  add_quantities(judge);
  const VectorX<Complex> p = judge.system.parameters();
  const double step = 1e-40, scale = adjoint.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, step);
    judge.system.set_parameters(moved);
    const double expected = judge.value().imag() / step;
    // Newton's iterations stop at 1e-8 of a quadratically converging correction.
    EXPECT_NEAR(adjoint(i, 0), expected, 1e-10 * scale + 1e-8 * std::abs(expected)) << "parameter " << i;
    EXPECT_NEAR(direct(i, 0), expected, 1e-10 * scale + 1e-8 * std::abs(expected)) << "parameter " << i;
  }
  const TyreLayout& tyre = run.system.layout().tyre(0);
  for (int j = 0; j < 6; ++j) EXPECT_NE(adjoint(tyre.first + j, 0), 0.0) << j;
}

TEST(Attitude, IsThatOfYawThenPitchThenRoll) {
  SystemSpec spec = corner(0.0, 0.0);
  const double roll = 0.3, pitch = -0.4, yaw = 2.0;
  const auto turn = [](int axis, double angle) {
    return rotation_matrix(exp_quaternion<double>(angle * Vector3d::Unit(axis)));
  };
  const Eigen::AngleAxisd all(Matrix3d(turn(2, yaw) * turn(1, pitch) * turn(0, roll)));
  spec.bodies[0].initial.rotation = all.angle() * all.axis();
  const MultibodySystem<double> system(spec);
  VectorXd x(system.n_x()), v(system.n_v());
  system.given_initial_state(x, v);
  v.segment<3>(3) << 0.7, -0.2, 0.4;
  const VectorXd rest = VectorXd::Zero(system.n_v()), none = VectorXd::Zero(system.n_c());
  const Attitude<double> angles(system, "upright", AttitudeKind::angles);
  const Vector3d z = angles.value({0.0, x, v, rest, none});
  EXPECT_LT((z - Vector3d(roll, pitch, yaw)).norm(), 1e-14);
  const Attitude<double> rates(system, "upright", AttitudeKind::rates);
  constexpr double h = 1e-6;
  VectorXd later(system.n_x()), earlier(system.n_x());
  system.retract(x, h * v, later), system.retract(x, -h * v, earlier);
  const Vector3d difference =
      (angles.value({0.0, later, v, rest, none}) - angles.value({0.0, earlier, v, rest, none})) / (2.0 * h);
  EXPECT_LT((Vector3d(rates.value({0.0, x, v, rest, none})) - difference).norm(), 1e-9);
}

TEST(Tyre, NeedsTwoRigidBodies) {
  SystemSpec spec = corner(0.0, 0.0);
  spec.tyres[0].carrier = "wheel";
  EXPECT_THROW(MultibodySystem<double>{spec}, InputError);
  spec.tyres[0].carrier = "ground";
  EXPECT_THROW(MultibodySystem<double>{spec}, InputError);
  spec = test::kitchen_sink();
  spec.tyres = {{.name = "tyre", .wheel = {"rod", "a"}, .carrier = "one", .radius = radius, .stiffness = k}};
  EXPECT_THROW(MultibodySystem<double>{spec}, InputError);
}

/// A wheel that rolls from x = 0 at 3 m/s over a level table that ends at x = 1 m.
SystemSpec rolling_to_the_end_of_its_road(Beyond beyond) {
  constexpr double v = 3.0;
  SystemSpec spec = corner(v, v / loaded_radius());
  spec.road.height = table({-1.0, 0.0, 1.0}, {0.0, 0.0, 0.0}, TableInterpolation::monotone, beyond);
  return spec;
}

TEST(TyreOnATable, EndsTheMotionWhereItLeavesTheTable) {
  Simulation<double> run(rolling_to_the_end_of_its_road(Beyond::refused), span(0.5, 0.005), {});
  run.value();
  EXPECT_TRUE(has_end_of_road(run.system.spec()));
  const Status status = end_with_road(run.system, run.integrator.layout(), run.trajectory, run.trajectory);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), HasSubstr("the tyre tyre is at x = 1.0"));
  EXPECT_THAT(status.message(), HasSubstr("beyond the table of the road, which reaches from -1 m to 1 m"));
  EXPECT_NEAR(status.failure().time, 1.0 / 3.0, 0.005);
  EXPECT_EQ(run.trajectory.t[run.trajectory.n_stored], status.failure().time);
}

TEST(TyreOnATable, RollsOnWhereTheTableIsHeldOrRepeats) {
  for (const Beyond beyond : {Beyond::hold, Beyond::repeat}) {
    Simulation<double> run(rolling_to_the_end_of_its_road(beyond), span(0.5, 0.005), {});
    run.value();
    EXPECT_FALSE(has_end_of_road(run.system.spec()));
    EXPECT_EQ(run.trajectory.n_stored, run.trajectory.y.cols());
    EXPECT_NEAR(run.trajectory.y(run.system.x_offset(1), run.trajectory.n_stored - 1), 1.5, 1e-3);
  }
}

TEST(TyreAtTheStart, IsOnTheRoadUprightAndAboveIt) {
  SystemSpec spec = corner(0.0, 0.0);
  EXPECT_FALSE(tyre_fault_at_start(spec, 0.0));
  spec.road.height = constant_rate(0.5, 0.0);
  ASSERT_TRUE(tyre_fault_at_start(spec, 0.0));
  EXPECT_EQ(tyre_fault_at_start(spec, 0.0)->tyre, "tyre");
  EXPECT_THAT(tyre_fault_at_start(spec, 0.0)->what, HasSubstr("under it"));
  spec.road.height = table({1.0, 2.0}, {0.0, 0.0}, TableInterpolation::monotone);
  ASSERT_TRUE(tyre_fault_at_start(spec, 0.0));
  EXPECT_THAT(tyre_fault_at_start(spec, 0.0)->what,
              HasSubstr("stands at x = 0 m at the start, but the table of the road reaches from 1 m to 2 m"));
  spec.road = {};
  spec.bodies[1].sid.frame[0].AP.M0 = rotation_matrix(exp_quaternion<double>({1.5707963267948966, 0.0, 0.0}));
  spec.joints.pop_back();
  ASSERT_TRUE(tyre_fault_at_start(spec, 0.0));
  EXPECT_THAT(tyre_fault_at_start(spec, 0.0)->what, HasSubstr("lies on its side"));
}

// Along the wheel's plane, which leans by 60 degrees, the road is twice as far from the centre as below it.
TEST(TyreAtTheStart, HasItsLoadedRadiusAlongTheWheel) {
  SystemSpec spec = corner(0.0, 0.0);
  spec.bodies[1].sid.frame[0].AP.M0 = rotation_matrix(exp_quaternion<double>({EIGEN_PI / 3.0, 0.0, 0.0}));
  spec.joints.pop_back();
  spec.bodies[1].initial.position.z() = 0.3 * radius;
  EXPECT_FALSE(tyre_fault_at_start(spec, 0.0));
  spec.bodies[1].initial.position.z() = 0.2 * radius;
  ASSERT_TRUE(tyre_fault_at_start(spec, 0.0));
  EXPECT_THAT(tyre_fault_at_start(spec, 0.0)->what, HasSubstr("under it"));
}

}  // namespace
}  // namespace kurbel
