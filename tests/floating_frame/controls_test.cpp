/// Controls of a mechanism in the floating frame: their signs and what they do to a body, in closed form.
#include <gtest/gtest.h>

#include <cmath>

#include "floating_frame/criteria.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

ControlSpec control(const std::string& name, Interpolation interpolation, const VectorXd& nodes, double t1) {
  return {name, ControlGrid(interpolation, static_cast<int>(nodes.size()), 0.0, t1), nodes};
}

/// A body of 2 kg with 0.3 kg m^2 about the z axis through its reference frame, its centre of mass.
SystemSpec wheel() {
  SystemSpec spec;
  const Matrix3d inertia = Vector3d(0.2, 0.2, 0.3).asDiagonal();
  spec.bodies = {{"wheel",
                  make_rigid_sid(2.0, Vector3d::Zero(), inertia,
                                 {make_sid_node("rim", {0.4, 0.1, 0.0}, Matrix3d::Identity(), 0)}),
                  {}}};
  return spec;
}

/// Positions and velocities of the last instant.
DaeInstant<double> last_instant(const GeneralizedAlpha<double>& integrator,
                                const Trajectory<double>& trajectory) {
  const Eigen::Index n = trajectory.y.cols() - 1;
  return integrator.layout().instant<double>(trajectory.t[n], trajectory.y.col(n));
}

struct Played {
  Played(const SystemSpec& spec, double t1, double step)
      : system(spec), integrator(system, test::span(t1, step)) {
    const Status status = simulate<double>(integrator, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  DaeInstant<double> end() const { return last_instant(integrator, trajectory); }
  MultibodySystem<double> system;
  GeneralizedAlpha<double> integrator;
  Trajectory<double> trajectory;
};

TEST(Controls, ForceAtAMarkerMovesTheBodyAsItsDoubleIntegralSays) {
  SystemSpec spec = wheel();
  // Through the centre of mass: from 0 to 4 N over 1 s along x, so x = F t^3 / (6 m) = 1/3 m.
  spec.controls = {control("push", Interpolation::linear, Eigen::Vector2d(0.0, 4.0), 1.0)};
  MarkerLoadSpec load{"push", {"wheel", "origin"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  load.controls = {{0, Vector3d::UnitX(), Vector3d::Zero()}};
  spec.loads = {load};
  const Played coarse(spec, 1.0, 0.02), fine(spec, 1.0, 0.01);
  const double error = std::abs(fine.end().x[0] - 1.0 / 3.0);
  EXPECT_LT(error, 1e-4);
  EXPECT_NEAR(std::log2(std::abs(coarse.end().x[0] - 1.0 / 3.0) / error), 2.0, 0.1);
}

SystemSpec hinged_wheel() {
  SystemSpec spec = wheel();
  JointSpec hinge{"hinge", {"ground", "origin"}, {"wheel", "origin"}, {}, {}};
  locked_dofs_of("revolute", hinge.locked);
  spec.joints = {hinge};
  return spec;
}

TEST(Controls, MotorTurnsTheToBodyForwards) {
  SystemSpec spec = hinged_wheel();
  spec.controls = {control("torque", Interpolation::constant, VectorXd::Constant(1, 0.6), 1.0)};
  spec.motors = {{"motor", {"ground", "origin"}, {"wheel", "origin"}, true, 0}};
  const Played run(spec, 1.0, 1e-2);
  EXPECT_NEAR(run.end().v[5], 0.6 / 0.3 * 1.0, 1e-10);
  // The same motor the other way round turns it backwards.
  std::swap(spec.motors[0].from, spec.motors[0].to);
  EXPECT_NEAR(Played(spec, 1.0, 1e-2).end().v[5], -2.0, 1e-10);
}

TEST(Controls, TorqueAtAMarkerIsThatOfAMotorOnTheGround) {
  SystemSpec spec = hinged_wheel();
  spec.controls = {control("torque", Interpolation::natural, Eigen::Vector4d(0.6, -0.3, 0.8, 0.1), 1.0)};
  SystemSpec loaded = spec;
  spec.motors = {{"motor", {"ground", "origin"}, {"wheel", "origin"}, true, 0}};
  MarkerLoadSpec load{"torque", {"wheel", "rim"}, MarkerLoadSpec::Frame::body, {}, {}};
  load.controls = {{0, Vector3d::Zero(), Vector3d::UnitZ()}};
  loaded.loads = {load};
  const Played motor(spec, 1.0, 1e-2), marker(loaded, 1.0, 1e-2);
  // The integrator's iterations end with a relative error below 1e-8, squared.
  EXPECT_NEAR(motor.end().v[5], marker.end().v[5], 1e-12);
}

TEST(Controls, CylinderPushesItsEndsApart) {
  SystemSpec spec = wheel();
  spec.bodies[0].initial.position << 1.0, 0.0, 0.0;
  spec.controls = {control("piston", Interpolation::constant, VectorXd::Constant(1, 3.0), 1.0)};
  spec.motors = {{"cylinder", {"ground", "origin"}, {"wheel", "origin"}, false, 0}};
  EXPECT_NEAR(Played(spec, 1.0, 1e-2).end().v[0], 3.0 / 2.0, 1e-10);
}

TEST(Controls, JumpIsSeenByTheStepThatItsIntervalHolds) {
  SystemSpec spec = hinged_wheel();
  spec.controls = {control("torque", Interpolation::constant, Eigen::Vector2d(0.3, -0.3), 1.0)};
  spec.motors = {{"motor", {"ground", "origin"}, {"wheel", "origin"}, true, 0}};
  const Played run(spec, 1.0, 1e-3);
  // Half a second of +1 rad/s^2, half a second of -1 rad/s^2.
  EXPECT_NEAR(run.end().v[5], 0.0, 1e-11);
}

TEST(ControlEnergy, IsHalfTheIntegralOfTheSquare) {
  SystemSpec spec = hinged_wheel();
  const Eigen::Vector4d nodes(0.6, -0.3, 0.8, 0.1);
  spec.controls = {control("torque", Interpolation::natural, nodes, 1.0),
                   control("other", Interpolation::linear, Eigen::Vector2d(1.0, 1.0), 1.0)};
  spec.motors = {{"motor", {"ground", "origin"}, {"wheel", "origin"}, true, 0}};
  const Played run(spec, 1.0, 1e-3);
  const auto energy = [&](const std::string& name) {
    return make_criterion<double>(run.integrator, run.system,
                                  {{.quantity = Quantity::control_energy, .control = name}})
        .value(run.trajectory);
  };
  const double exact = 0.5 * nodes.dot(spec.controls[0].grid.energy_matrix() * nodes);
  EXPECT_NEAR(energy("torque"), exact, 1e-6);  // trapezoidal rule, h^2
  EXPECT_NEAR(energy(""), exact + 0.5, 1e-6);
  EXPECT_THROW(energy("nothing"), InputError);
}

}  // namespace
}  // namespace kurbel
